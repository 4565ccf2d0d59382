"""Figure 3.14: method 8, sandwich, 23 flows (Section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import adaptations
from penstock.papers.alemu_2004.adaptations import measure
from penstock.papers.alemu_2004.setup import KT
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

METHODS = ["sandwich"]


def study(effort: Effort) -> Study:
    """The method."""
    return adaptations.study(effort, METHODS, 23)


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of the figure."""
    own = table.where(method=METHODS[0])
    yield Claim(
        id="fig3.14/c1",
        says="the average swings about Max; the queue is long",
        expected="above Max 25 to 75 % of the time, crossed at least 10 times; AQS > 10",
        holds=all_of(
            own("above").between(25, 75).at("above"),
            (own("crossings") >= 10.0).at("crossings"),
            (own("AQS") > float(KT)).at("AQS"),
        ),
    )


def draw(shown: Shown) -> Figure:
    """Average and thresholds over time."""
    return adaptations.draw(shown, METHODS[0])
