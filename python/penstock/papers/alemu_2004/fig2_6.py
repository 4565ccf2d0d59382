"""Figure 2.6: 100 flows join three at 50 s (Section 2.4.2.1.1)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import judge, traces
from penstock.papers.alemu_2004.traces import measure
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

FLOWS = 100


def study(effort: Effort) -> Study:
    """The four schemes before and after the step."""
    return traces.study(effort, traces.added, [FLOWS])


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of the figure; what it says of Figures 2.3 to 2.6 together is in fig2-3-6."""
    yield Claim(
        id="fig2.6d/c1",
        says="PSAND's average is about 18 after the step",
        expected="mean WAQS on [60, 100] s 18 +- 25 %",
        holds=judge.aqs(table("WAQS", scheme="PSAND", window="60-100"), 18),
    )


def draw(shown: Shown) -> Figure:
    """The four schemes over time."""
    return traces.draw(shown, FLOWS)
