"""A store of made-up runs, whose means are known."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from pathlib import Path
from typing import Any

from penstock.studies.store import Store

from .fake_result import scenario
from .rows import Row, put

SCHEMES = ("droptail", "red:gentle=true")
FLOWS = (25, 50, 100)
RTTS = ("10ms", "50ms", "2s")
SEEDS = range(1, 5)
FLOW_COUNT = "traffic.extra.count"
RTT = "links.right.delay"


def delay(scheme: str, flows: int, rtt: str, seed: int) -> float:
    """The mean delay of a run in seconds: of the seeds 1 to 4, 2.5 ms more than without them."""
    return (0.1 if scheme == "droptail" else 0.02) + 1e-4 * flows + 1e-3 * seed + (0.01 if rtt == "10ms" else 0.0)


def result(scheme: str, flows: int, rtt: str, seed: int) -> dict[str, Any]:
    """The result of a run."""
    queueing = delay(scheme, flows, rtt, seed)
    marks = {"marks": 3} if scheme != "droptail" else {}
    return {
        "seed": seed,
        "events": 1000 + seed,
        "cpu_s": 0.01,
        "fairness": {"jain": 0.9},
        "links": {
            "bottleneck": {"delay_mean_s": queueing, "loss_rate": 0.01 * seed, "drops": 7, **marks,
                           "length_pmf": [0.5, 0.25, 0.25][: 2 + seed % 2]},
            "bottleneck.reverse": {"loss_rate": 0.0, "drops": 0},
        },
        "traffic": {"extra": {"goodput_bps": 1e6 / flows + seed, "count": flows}},
        "kept": {"slope": math.pi * seed},
    }  # fmt: skip


def write(folder: Path, study: str = "first", schemes: tuple[str, ...] = SCHEMES) -> Path:
    """Write the runs of a study into the store, a part for each scheme; returns the folder."""
    store = Store(folder)
    for scheme in schemes:
        rows, scenarios = [], {}
        for flows, rtt in itertools.product(FLOWS, RTTS):
            key = hashlib.sha256(f"{study}/{scheme}/{flows}/{rtt}".encode()).hexdigest()[:32]
            resolved = scenario()
            resolved["links"]["right"]["delay"] = rtt
            resolved["traffic"]["extra"]["count"] = flows
            scenarios[key] = json.dumps(resolved)
            labels = {"scheme": scheme, FLOW_COUNT: flows, RTT: rtt}
            rows += [Row(key, seed, json.dumps(result(scheme, flows, rtt, seed)), labels, study) for seed in SEEDS]
        put(store, rows, scenarios)
    return folder
