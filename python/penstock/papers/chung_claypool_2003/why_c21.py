"""Why c21: drop-tail's queue with unequal round trips."""

from dataclasses import replace

import penstock as ps
from penstock.reproduce.figure import Claim, CurveFigure, QuickOrFull, Sweep

from .setup import dumbbell, tcp_flows
from .step_load import LIMIT, queue_length

EQUAL, JITTER, UNEQUAL = "equal round trips of 80 ms", "0 to 5 ms more for each packet", "round trips of 60 to 100 ms"
PLACES = 10  # of the sources with unequal round trips


def _scenario(which: str, flows: int) -> ps.Scenario:
    bulk = tcp_flows(flows)
    base = dumbbell(ps.DropTail(limit=f"{LIMIT}p"), {"bulk": bulk}, "100s", "60s")
    source = base.links["source"]
    if which == JITTER:
        return replace(base, links={**base.links, "source": replace(source, jitter={"uniform": ["0ms", "5ms"]})})
    if which == EQUAL:
        return base
    links = {name: link for name, link in base.links.items() if name != "source"}
    delays = {i: 20 * i / (PLACES - 1) for i in range(PLACES)}  # ms; 10 ms more or less than in the paper
    links |= {f"source{i}": replace(source, from_=f"S{i}", delay=f"{d:.3f}ms") for i, d in delays.items()}
    traffic = {f"bulk{i}": replace(bulk, count=flows // PLACES, from_=f"S{i}") for i in delays}
    return replace(base, links=links, traffic=traffic)


# One change at a time; all flows start together, and the last 40 of 100 s are measured.
study = Sweep(
    lambda **at: _scenario(at["round trips"], at["flows"]),
    {"round trips": [EQUAL, JITTER, UNEQUAL], "flows": QuickOrFull([250], [250, 300, 400])},
)


SAYS = "the queue of drop-tail is near the buffer's size"
CLAIMS = tuple(
    Claim("c21", SAYS, queue_length(**{"round trips": which}) >= 0.85 * LIMIT, reading=which)
    for which in (JITTER, UNEQUAL)
)

draw = CurveFigure("flows", "q", "round trips", labels=("flows", "mean queue of drop-tail (packets)"))
