"""Why c08: how many flows with 6 packets have the queue of 700 with 12."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matplotlib.figure import Figure

from penstock.papers.chung_claypool_2003.constant import constant, of_queue
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import per_run
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

P = 0.01
measure = of_queue


def study(effort: Effort) -> Study:
    """Both limits, and numbers of flows below 1300 for the smaller."""
    counts = effort.choose([1100, 1300], [1100, 1150, 1200, 1250, 1300])
    return Study(
        lambda limit, flows: constant("drop", flows, P, window=limit),
        {"limit": [12, 6], "flows": [700, *counts]},
        where=lambda limit, flows: (limit == 12) == (flows == 700),
        seeds=5,
    )


def claims(table: Table) -> Iterator[Claim]:
    """The number that makes the queues equal, as another reading of c08; and why it is that."""
    flows = [flows for flows in table.axis("flows") if flows > 700]
    queues = [table("q", limit=6, flows=n) for n in flows]

    def equal(queues: Any, wanted: float) -> float:
        gain = (queues[-1] - queues[0]) / (flows[-1] - flows[0])
        return float(flows[0] + (wanted - queues[0]) / gain)

    yield Claim(
        id="c08",
        says="1300 flows with at most 6 packets have the queue of 700 with at most 12, where a hundredth is dropped",
        reading="how many flows with at most 6 packets it takes",
        expected="1300 within 10 %",
        holds=per_run(equal, queues, table("q", limit=12, flows=700)).reads(1300, share=0.1),
    )
    yield Claim(
        id="why-c08/windows",
        says="windows limited to 12 packets are 1.67 times those limited to 6, as many as the flows that it takes",
        reading="no claim of the work",
        expected="mean windows in use, 700 flows / 1300 flows: between 1.6 and 1.75",
        holds=(table("in_use", limit=12, flows=700) / table("in_use", limit=6, flows=1300)).between(1.6, 1.75),
    )


def draw(shown: Shown) -> Figure:
    """The queue against the number of flows."""
    return curves(shown, "flows", "q", "limit", labels=("flows", "mean queue (packets)"))
