"""Figure 5, top: the queue against the number of flows, drops (Section III)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.chung_claypool_2003.constant import drops_and_marks, of_queue
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.results.summary_table import Shown
from penstock.results.table import Table

study = drops_and_marks
measure = of_queue


def claims(table: Table) -> Iterator[Claim]:
    """None of its own: that the queue is linear in N is decided with figure 4, from the same runs (c03)."""
    yield from ()


def draw(shown: Shown) -> Figure:
    """The measured queue laws in one graph."""
    where = {"by": "drop"}
    return curves(shown, "p", "q", "flows", where=where, labels=("drop probability", "mean queue (packets)"), log="x")
