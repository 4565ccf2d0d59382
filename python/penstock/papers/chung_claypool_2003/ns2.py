"""Comparison with ns-2: the deviation of the average as flows are added, with and without marks."""

from dataclasses import replace

import penstock as ps
from penstock.reproduce.figure import CurveFigure, QuickOrFull, Sweep

from .step_load import QUEUES, course, step_scenario

SCHEMES = ["drop-tail", "RED", "gentle RED", "A-RED", "A-RED-ECN"]


def _as_ns2(queue: str, flows: int) -> ps.Scenario:
    """Like the runs of ns-2.35: access of 5 ms, 30 ms on the bottleneck, packets of 1040 bytes, its senders."""
    base = step_scenario(QUEUES[queue], flows, profile="ns2", packet="1000B", min_rto="1s")
    delays = {"bottleneck": "30ms", "source": "5ms", "sink": "5ms"}
    links = {name: replace(link, delay=delays[name]) for name, link in base.links.items()}
    return replace(base, links=links)


study = Sweep(_as_ns2, {"queue": SCHEMES, "flows": QuickOrFull([200], [100, 200, 300, 400])}, keep=course)

CLAIMS = ()  # a comparison of simulators

draw = CurveFigure("flows", "avg_sd", "queue", labels=("flows", "sd of the average queue (packets)"))
