"""Figure 6: the average queue, Reno and strict WRED (Section 3.2)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.sweep import Setting, apart, draw_course
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = sweep.with_course


def study(effort: Effort) -> Study:
    """The sweep in this setting."""
    return sweep.study(["Reno, strict"], effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claims c08 and c09."""
    of = Setting(table, "Reno, strict")
    yield Claim(
        id="c08",
        because="half is still out of profile; where it is a fifth, or with ns-2's tagger, it is so (why-above)",
        says="the average swings more with DA, and often above max_th",
        expected="at 5 Mb/s: sd(DA) > sd(DFQ), intervals disjoint; DA above 45 for more than 5 %, and longer than DFQ",
        holds=all_of(
            apart(of("avg_sd", "DA"), of("avg_sd", "DFQ")).at("sd"),
            (of("above", "DA") > 0.05).at("time above 45 with DA"),
            (of("above", "DA") > of("above", "DFQ")).at("time above 45"),
        ),
    )
    yield Claim(
        id="c09",
        says="in the long run the average is the same with both",
        expected="at 5 Mb/s: mean average within 15 %",
        holds=(of("avg_mean", "DA") / of("avg_mean", "DFQ")).between(0.85, 1.15),
    )


def draw(shown: Shown) -> Figure:
    """The average of the first run at half of the link."""
    return draw_course(shown, "Reno, strict")
