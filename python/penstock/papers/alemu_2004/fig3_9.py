"""Figure 3.9: method 1, Max falls as the average rises, 103 flows (Section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import adaptations
from penstock.papers.alemu_2004.adaptations import measure
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

METHODS = ["max-down", "none"]


def study(effort: Effort) -> Study:
    """The method and, beside it, fixed thresholds."""
    return adaptations.study(effort, METHODS, 103)


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of the figure."""
    own = table.where(method=METHODS[0])
    fixed = table.where(method="none")
    yield Claim(
        id="fig3.9/c1",
        says="Max stays near the target; the queue swings much and is long",
        expected="mean Max 10 +- 25 %; VQS and AQS above those of the fixed thresholds",
        holds=all_of(
            own("mean max_th").reads(10, share=0.25).at("Max"),
            (own("VQS") > fixed("VQS")).at("VQS"),
            (own("AQS") > fixed("AQS")).at("AQS"),
        ),
    )
    yield Claim(
        id="fig3.9/c2",
        says="the average exceeds Max, where more is dropped, falls below, and so on",
        expected="at least 10 times in 100 s, above Max 5 to 95 % of the time",
        holds=all_of((own("crossings") >= 10.0).at("crossings"), own("above").between(5, 95).at("above")),
    )


def draw(shown: Shown) -> Figure:
    """Average and thresholds over time."""
    return adaptations.draw(shown, METHODS[0])
