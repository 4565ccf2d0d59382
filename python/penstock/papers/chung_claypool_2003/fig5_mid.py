"""Figure 5, middle: the queue against the round-trip delay of the links, drops (Section III)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.chung_claypool_2003.constant import BUSY, law, of_queue, over_delay, slope
from penstock.papers.chung_claypool_2003.setup import service_rate
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.results.sample import all_of, per_run
from penstock.results.summary_table import Shown
from penstock.results.table import Table

study = over_delay
measure = of_queue


def claims(table: Table) -> Iterator[Claim]:
    """Claim c04."""
    delays, rate = table.axis("rtld"), service_rate("20Mbit")
    queues = {p: [table("q", rtld=rtld, p=p) for rtld in delays] for p in table.axis("p")}
    yield Claim(
        id="c04",
        says="the queue falls linearly with the links' round-trip delay (Section III prints that it rises: a misprint)",
        expected="slope -SR within 15 % at each p where q > 0 (10 packets)",
        holds=all_of(
            (per_run(slope(delays), at) / -rate).between(0.85, 1.15).at(f"p = {p:g}, slope / -SR")
            for p, at in queues.items()
            if all(queue.mean >= BUSY for queue in at)
        ),
    )


def draw(shown: Shown) -> Figure:
    """A line for each delay."""
    return curves(
        shown,
        "p",
        "q",
        "rtld",
        labels=("drop probability", "mean queue (packets)"),
        theory=lambda rtld, p: float(law("drop", rtld=rtld).queue(300, p)),
        log="x",
    )
