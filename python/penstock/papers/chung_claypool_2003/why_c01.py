"""Why c01: marks at larger probabilities, with windows halved to whole or to real numbers."""

from dataclasses import replace
from typing import Any

import penstock as ps
from penstock.reproduce.figure import Choice, Curves, Number, Statement, Sweep, at_most, formula

from .constant import GRID, constant, law, of_queue, queue, window
from .setup import claim

FLOWS = 200
measure = of_queue


def _halving(halving: Any, p: float) -> ps.Scenario:
    """ns-2 halved to whole packets in 2003 ("whole") and does not any more ("real")."""
    base = constant("mark", FLOWS, p)
    bulk = base.traffic["bulk"]
    assert isinstance(bulk, ps.Tcp)
    return replace(base, traffic={"bulk": replace(bulk, halving=halving)})


study = Sweep(_halving, {"halving": ["whole", "real"], "p": Choice([0.05, 0.2], [p for p in GRID if 0.01 <= p <= 0.2])})


def _near(asked: Number) -> Statement:
    return abs(queue / asked - 1) <= 0.1


SAYS = "with marks the simulated queue follows the law"
MARKS = law("mark")
CLAIMS = (
    claim(
        "c01",
        _near(window * FLOWS - MARKS.rtld * MARKS.service_rate)(p=at_most(0.05)),
        "q within 10 % of N W - RTLD SR for p <= 0.05 (windows of 4 packets and more), N = 200",
        reading="the senders' mean windows in place of the model's",
    ),
    claim(
        "c01",
        _near(formula(lambda p: float(MARKS.queue(FLOWS, p)), "the law"))(halving="real"),
        "within 10 % for p <= 0.2, N = 200",
        reading="senders that halve to real numbers",
    ),
)

draw = Curves(
    "p",
    "window",
    "halving",
    labels=("probability of a mark", "mean window (packets)"),
    theory=lambda halving, p: float(law("mark").window(p)),
    log="xy",
)
