"""Figure 10: loss, Reno and gentle WRED (Section 3.4)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.sweep import Setting, draw_sweep, whole
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of, most_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = sweep.measure


def study(effort: Effort) -> Study:
    """The sweep in this setting."""
    return sweep.study(["Reno, gentle"], effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claim c14."""
    if not whole(table):
        return
    of = Setting(table, "Reno, gentle")
    yield Claim(
        id="c14",
        because="up to 2 Mb/s, where nearly all is out of profile, both are the same; then it is so (fig10)",
        says="with gentle WRED it is the other way round: DFQ loses more",
        expected="of all and of what is out, at 70 % of the rates in profile or more",
        holds=all_of(
            most_of(0.7, ((of(metric, "DFQ", x) > of(metric, "DA", x)).at(f"{metric}, {x:g} Mb/s") for x in of.xs))
            for metric in ("loss", "loss_out")
        ),
    )


def draw(shown: Shown) -> Figure:
    """Loss out of profile."""
    return draw_sweep(shown, "loss_out", "loss out of profile (%)", "Reno, gentle", scale=100)
