"""The queue of the bottleneck packet by packet, from a second run with a trace.

ns-2's RED exposes its queue length as a variable, `curq_`. The trace has a line when an arriving packet finds another
length than the packet before: a queue that stays empty, or full, has one line.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

import penstock as ps
from penstock import _native
from penstock.scenario.scenario import Document
from penstock.units import parse_time

from .measures import BUFFER


class Lengths(NamedTuple):
    """For each arrival, enqueue and dequeue: the time, the packets then waiting, and whether it is an arrival."""

    seconds: np.ndarray
    length: np.ndarray
    arrives: np.ndarray


def lengths(run: ps.Run) -> Lengths:
    """Run the scenario again with a trace. An arriving packet is not counted as waiting yet."""
    scenario = Document({key: value for key, value in run.scenario.items() if key != "seed"}).resolve()
    _, raw = _native.run_recorded(scenario.for_engine(flows=False, series=False), run.seed, True, [], {})
    place = [entry["name"] for entry in scenario.canonical["links"]].index("bottleneck")
    at = np.frombuffer(raw["link"], dtype="<u4") == place
    names = _native.trace_words()[0]
    event = np.frombuffer(raw["event"], dtype="u1")[at]
    enters, leaves, arrives = (event == names.index(name) for name in ("enqueue", "dequeue", "arrive"))
    counted = enters | leaves | arrives
    seconds = np.frombuffer(raw["t_ns"], dtype="<i8")[at][counted] / 1e9
    return Lengths(seconds, np.cumsum(enters[counted].astype(int) - leaves[counted]), arrives[counted])


def over_lines(run: ps.Run) -> Mapping[str, Any]:
    """The queue after the warm-up over the lines of ns-2's trace; losses as in `measures`, shares in percent."""
    trace = lengths(run)
    queues = trace.length[trace.arrives & (trace.seconds >= parse_time(run.scenario["warmup"]) / 1e9)]
    lines = queues[np.concatenate([[True], queues[1:] != queues[:-1]])]
    inside = {
        "empty": lines <= 0,
        "5 to 15": (lines > 5) & (lines <= 15),
        "25 to 35": (lines > 25) & (lines <= 35),
        "full": lines > 34,
    }
    shares = {name: float(100 * among.mean()) for name, among in inside.items()}
    by_length = 100 * np.bincount(lines, minlength=BUFFER + 1) / len(lines)
    return {
        "AQS": float(lines.mean()),
        "VQS": float(lines.var()),
        "PLR": 100 * run.links["bottleneck"].loss_rate,
        **shares,
        **{f"X={i}": float(by_length[i]) for i in range(BUFFER + 1)},
    }
