"""Figure 9: the average queue, SACK and strict WRED (Section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.setup import HALF
from penstock.papers.bodin_schelen_2001.sweep import Setting, draw_course, whole
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Condition, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = sweep.with_course


def study(effort: Effort) -> Study:
    """The sweep in this and the settings that it is compared with."""
    return sweep.study(["SACK, strict", "Reno, strict"], effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claim c13."""
    sack, reno = Setting(table, "SACK, strict"), Setting(table, "Reno, strict")

    def swings(x: float) -> Condition:
        return all_of(
            (sack("avg_sd", "DA", x) < reno("avg_sd", "DA", x)).at("SACK and Reno"),
            (sack("avg_sd", "DA", x) > sack("avg_sd", "DFQ", x)).at("DA and DFQ"),
            (sack("above", "DA", x) > 0.05).at("time above 45"),
        )

    says = "with DA the average swings less with SACK than with Reno, still more than with DFQ, often above max_th"
    yield Claim(
        id="c13",
        because="as c08: half is still out of profile at 5 Mb/s; at 8 it is as the text says (fig9)",
        says=says,
        expected="at 5 Mb/s: sd(SACK, DA) < sd(Reno, DA), > sd(SACK, DFQ); above 45 for more than 5 % of the time",
        holds=swings(HALF),
    )
    if whole(table):
        yield Claim(
            id="c13",
            says=says,
            reading="at 8 Mb/s, where a fifth is out of profile",
            expected="at 8 Mb/s: sd(SACK, DA) < sd(Reno, DA), > sd(SACK, DFQ); above 45 for more than 5 % of the time",
            holds=swings(8.0),
        )


def draw(shown: Shown) -> Figure:
    """The average of the first run at half of the link."""
    return draw_course(shown, "SACK, strict")
