"""Figure 12: the average queue, Reno and gentle WRED (Section 3.4)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.bodin_schelen_2001 import sweep
from penstock.papers.bodin_schelen_2001.sweep import Setting, draw_course
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = sweep.with_course


def study(effort: Effort) -> Study:
    """The sweep in this setting."""
    return sweep.study(["Reno, gentle"], effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claim c17."""
    of = Setting(table, "Reno, gentle")
    yield Claim(
        id="c17",
        says="in the long run the average is longer with DA",
        expected="at 5 Mb/s: mean average of DA > DFQ",
        must_hold=True,
        holds=of("avg_mean", "DA") > of("avg_mean", "DFQ"),
    )


def draw(shown: Shown) -> Figure:
    """The average of the first run at half of the link."""
    return draw_course(shown, "Reno, gentle")
