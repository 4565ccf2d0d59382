"""Why c08: the number of flows limited to 6 packets that have the same queue as 700 flows limited to 12."""

from typing import Any

from penstock.reproduce.figure import Claim, CurveFigure, QuickOrFull, Sweep, Table, table_statement
from penstock.results.condition import Condition
from penstock.results.sample import per_run

from .constant import constant_probability_scenario, in_use
from .setup import claim

P = 0.01


# Both limits, with up to 1300 flows for the smaller.
study = Sweep(
    lambda limit, flows: constant_probability_scenario("drop", flows, P, window=limit),
    {"limit": [12, 6], "flows": QuickOrFull([700, 1100, 1300], [700, 1100, 1150, 1200, 1250, 1300])},
    where=lambda limit, flows: (limit == 12) == (flows == 700),
)


def _needed(table: Table) -> Condition:
    """The number of flows that makes the queues equal, on a line through the ends of the curve."""
    flows = [flows for flows in table.axis("flows") if flows > 700]

    def equal(queues: Any, target: float) -> float:
        gain = (queues[-1] - queues[0]) / (flows[-1] - flows[0])
        return float(flows[0] + (target - queues[0]) / gain)

    needed = per_run(equal, [table("q", limit=6, flows=n) for n in flows], table("q", limit=12, flows=700))
    return needed.matches_printed(1300, share=0.1)


CLAIMS = (
    claim(
        "c08",
        table_statement(_needed, "1300 within 10 %"),
        reading="the number of flows limited to 6 packets that it takes",
    ),
    Claim(
        "why-c08/windows",
        "windows limited to 12 packets are 1.67 times those limited to 6, as many as the flows that it takes",
        (in_use(limit=12, flows=700) / in_use(limit=6, flows=1300)).between(1.6, 1.75),
        reading="no claim of the work",
    ),
)

draw = CurveFigure("flows", "q", "limit", labels=("flows", "mean queue (packets)"))
