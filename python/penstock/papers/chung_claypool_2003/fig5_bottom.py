"""Figure 5, bottom: the queue against the rate of the congested link, drops (Section III)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.chung_claypool_2003.constant import BUSY, law, of_queue, over_rate, slope
from penstock.papers.chung_claypool_2003.setup import service_rate
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.results.sample import all_of, per_run
from penstock.results.summary_table import Shown
from penstock.results.table import Table

RTLD = 0.080
study = over_rate
measure = of_queue


def claims(table: Table) -> Iterator[Claim]:
    """Claim c05."""
    rates = [service_rate(rate) for rate in table.axis("rate")]
    queues = {p: [table("q", rate=rate, p=p) for rate in table.axis("rate")] for p in table.axis("p")}
    yield Claim(
        id="c05",
        says="the queue falls linearly with the rate of the link",
        because="a faster link has shorter round trips, beside which timeouts of 1 s and more weigh more (why-c06)",
        expected="slope -RTLD within 15 % (as c04 asks) at each p where q > 0 (10 packets)",
        holds=all_of(
            (per_run(slope(rates), at) / -RTLD).between(0.85, 1.15).at(f"p = {p:g}, slope / -RTLD")
            for p, at in queues.items()
            if all(queue.mean >= BUSY for queue in at)
        ),
    )


def draw(shown: Shown) -> Figure:
    """A line for each rate."""
    return curves(
        shown,
        "p",
        "q",
        "rate",
        labels=("drop probability", "mean queue (packets)"),
        theory=lambda rate, p: float(law("drop", rate).queue(300, p)),
        log="x",
    )
