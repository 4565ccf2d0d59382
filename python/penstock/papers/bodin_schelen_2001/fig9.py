"""Figure 9: the average queue, SACK and strict WRED (Section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.claims import Claim
from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.sweep import Setting, draw_course
from penstock.reproduce import Effort
from penstock.samples import all_of
from penstock.shown import Shown
from penstock.study import Study, Table

measure = sweep.with_course


def study(effort: Effort) -> Study:
    """The sweep in this and the settings that it is compared with."""
    return sweep.study(["SACK, strict", "Reno, strict"], effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claim c13."""
    sack, reno = Setting(table, "SACK, strict"), Setting(table, "Reno, strict")
    yield Claim(
        id="c13",
        says="with DA the average swings less with SACK than with Reno, still more than with DFQ, often above max_th",
        expected="at 5 Mb/s: sd(SACK, DA) < sd(Reno, DA), > sd(SACK, DFQ); above 45 for more than 5 % of the time",
        holds=all_of(
            (sack("avg_sd", "DA") < reno("avg_sd", "DA")).at("SACK and Reno"),
            (sack("avg_sd", "DA") > sack("avg_sd", "DFQ")).at("DA and DFQ"),
            (sack("above", "DA") > 0.05).at("time above 45"),
        ),
    )


def draw(shown: Shown) -> Figure:
    """The average of the first run at half of the link."""
    return draw_course(shown, "SACK, strict")
