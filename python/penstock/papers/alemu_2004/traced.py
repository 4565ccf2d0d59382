"""The queue of the bottleneck packet by packet, from a second run with a trace."""

from typing import NamedTuple

import numpy as np

import penstock as ps
from penstock import _native
from penstock.scenario.scenario import Document


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
    seen = enters | leaves | arrives
    seconds = np.frombuffer(raw["t_ns"], dtype="<i8")[at][seen] / 1e9
    return Lengths(seconds, np.cumsum(enters[seen].astype(int) - leaves[seen]), arrives[seen])
