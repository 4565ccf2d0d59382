"""Figure 7: loss, SACK and strict WRED (Section 3.3)."""

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
    """The sweep in this and the settings that it is compared with."""
    return sweep.study(["SACK, strict", "Reno, strict"], effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claims c10 and c11."""
    if not whole(table):
        return
    sack, reno = Setting(table, "SACK, strict"), Setting(table, "Reno, strict")
    yield Claim(
        id="c10",
        because="Reno's timeouts after several losses in a window: NewReno has none and loses as SACK does (why-reno)",
        says="with DFQ Reno and SACK lose alike",
        expected="loss of all traffic within 15 % at each rate in profile",
        holds=all_of(
            (sack("loss", "DFQ", x) / reno("loss", "DFQ", x)).between(0.85, 1.15).at(f"{x:g} Mb/s") for x in sack.xs
        ),
    )
    yield Claim(
        id="c11",
        says="with DA SACK loses more of what is out of profile than Reno",
        expected="at 70 % of the rates in profile or more",
        holds=most_of(
            0.7, ((sack("loss_out", "DA", x) > reno("loss_out", "DA", x)).at(f"{x:g} Mb/s") for x in sack.xs)
        ),
    )


def draw(shown: Shown) -> Figure:
    """Loss out of profile."""
    return draw_sweep(shown, "loss_out", "loss out of profile (%)", "SACK, strict", scale=100)
