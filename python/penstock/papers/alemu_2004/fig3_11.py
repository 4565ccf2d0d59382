"""Figure 3.11: method 4, symmetric, 23 flows (Section 3.3)."""

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

METHODS = ["spread"]


def study(effort: Effort) -> Study:
    """The method."""
    return adaptations.study(effort, METHODS, 23)


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of the figure."""
    own = table.where(method=METHODS[0])
    yield Claim(
        id="fig3.11/c1",
        says="the average stays between the thresholds",
        expected="Min <= WAQS <= Max for 90 % of the time",
        holds=all_of(own("between") >= 90.0),
    )


def draw(shown: Shown) -> Figure:
    """Average and thresholds over time."""
    return adaptations.draw(shown, METHODS[0])
