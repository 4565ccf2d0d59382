"""Figure 8: the queue of flows whose window is limited (Section III)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.chung_claypool_2003.constant import at_queue, limited, of_queue
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table

study = limited
measure = of_queue


def claims(table: Table) -> Iterator[Claim]:
    """Claims c08 and c09."""
    ratio = table("q", limit=6, p=0.01) / table("q", limit=12, p=0.01)
    yield Claim(
        id="c08",
        says="1300 flows with at most 6 packets have the queue of 700 with at most 12, where a hundredth is dropped",
        expected="equal within 10 %",
        because="at p = 0.01 flows use 8.9 of 12 packets and 5.3 of 6: 1.67 times, where 1300 / 700 is 1.86 (why-c08)",
        holds=all_of(ratio >= 0.9, ratio <= 1.1),
    )
    needed = at_queue(table, 3000, limit=6) / at_queue(table, 3000, limit=12)
    yield Claim(
        id="c09",
        says="a queue of 3000 packets takes about twice the drops with the smaller windows",
        expected="p(1300 flows, 6) / p(700 flows, 12) is about 2 (1.6 to 2.6)",
        must_hold=True,
        holds=needed.reads(2.0, low=1.6, high=2.6),
    )


def draw(shown: Shown) -> Figure:
    """A line for each limit."""
    return curves(shown, "p", "q", "limit", labels=("drop probability", "mean queue (packets)"), log="x")
