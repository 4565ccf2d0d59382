"""Figure 11: throughput, Reno and gentle WRED (Section 3.4)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.sweep import Setting, draw_sweep, whole
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = sweep.measure


def study(effort: Effort) -> Study:
    """The sweep in this and the settings that it is compared with."""
    return sweep.study(["Reno, gentle", "Reno, strict", "SACK, strict"], effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claim c15."""
    if not whole(table):
        return
    of = Setting(table, "Reno, gentle")
    yield Claim(
        id="c15",
        because="Reno, too, fills the link with both, within 0.5 % (fig11)",
        says="DA still has the lower throughput, by less than with strict WRED",
        expected="mean over the sweep: 0 < DFQ - DA, smaller than with strict WRED, Reno and SACK",
        holds=all_of(
            (of.deficit() > 0).at("DFQ - DA (bit/s)"),
            *((of.deficit() < Setting(table, name).deficit()).at(name) for name in ("Reno, strict", "SACK, strict")),
        ),
    )


def draw(shown: Shown) -> Figure:
    """Payload delivered."""
    return draw_sweep(shown, "goodput", "throughput (Mb/s)", "Reno, gentle", scale=1e-6)
