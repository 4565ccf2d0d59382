"""Figure 3.10: method 2, Max rises with the average, 103 flows (Section 3.3)."""

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

METHODS = ["max-up", "max-down"]


def study(effort: Effort) -> Study:
    """The method and, beside it, the opposite one."""
    return adaptations.study(effort, METHODS, 103)


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of the figure."""
    own = table.where(method=METHODS[0])
    other = table.where(method="max-down")
    yield Claim(
        id="fig3.10/c1",
        says="Max stays between twice the target and the buffer; the queue swings less than with method 1 and is long",
        expected="Max >= 20 for 90 % of the time; VQS below method 1's; AQS > 10",
        holds=all_of(
            (own("max_th from 20") >= 90.0).at("Max"),
            (own("VQS") < other("VQS")).at("VQS"),
            (own("AQS") > float(KT)).at("AQS"),
        ),
    )


def draw(shown: Shown) -> Figure:
    """Average and thresholds over time."""
    return adaptations.draw(shown, METHODS[0])
