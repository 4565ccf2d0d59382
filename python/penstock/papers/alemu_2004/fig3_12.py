"""Figure 3.12: method 6, not symmetric, 23 flows (Section 3.3)."""

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

METHODS = ["shift-down", "spread"]


def study(effort: Effort) -> Study:
    """The method and, beside it, the symmetric one."""
    return adaptations.study(effort, METHODS, 23)


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of the figure."""
    own = table.where(method=METHODS[0])
    yield Claim(
        id="fig3.12/c1",
        says="the average swings about Max and is often above it; the delay is larger than with method 4",
        expected="WAQS > Max for 25 % of the time; AQS above method 4's",
        holds=all_of((own("above") >= 25.0).at("above"), (own("AQS") > table("AQS", method="spread")).at("AQS")),
    )


def draw(shown: Shown) -> Figure:
    """Average and thresholds over time."""
    return adaptations.draw(shown, METHODS[0])
