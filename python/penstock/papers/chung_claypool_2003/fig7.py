"""Figure 7: the mean window where it is limited (Section III)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.chung_claypool_2003.constant import LIMITS, limited, of_queue
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table

study = limited
measure = of_queue


def claims(table: Table) -> Iterator[Claim]:
    """Claim c07."""
    if not all(table.has(limit=limit, p=p) for limit in LIMITS for p in (0.005, 0.1)):
        return

    def fall(limit: int) -> Sample:
        return table("in_use", limit=limit, p=0.005) / table("in_use", limit=limit, p=0.1)

    yield Claim(
        id="c07",
        says="a limit on the window flattens it over the probability",
        expected="W(0.005) / W(0.1) smaller with 6 packets than with 12 than without a limit",
        holds=all_of((fall(6) < fall(12)).at("6 and 12"), (fall(12) < fall(10_000)).at("12 and no limit")),
    )


def draw(shown: Shown) -> Figure:
    """A line for each limit."""
    return curves(shown, "p", "in_use", "limit", labels=("drop probability", "mean window in use (packets)"), log="xy")
