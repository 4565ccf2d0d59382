"""Many scenarios with many seeds each, in one batch on all cores."""

import json
from collections.abc import Sequence
from typing import Any

from penstock.engine.run import core_count, run_batch
from penstock.scenario.document import Document

from .setup import Table


def simulate(scenarios: Sequence[Table], seeds: Sequence[int], jobs: int | None) -> list[list[dict[str, Any]]]:
    """For each scenario, as plain values of a scenario file, the results of its runs in the order of the seeds."""
    texts = [Document(tree).resolve().for_engine(flows=False, series=False) for tree in scenarios]
    # The long runs first: at the end all cores still have something to do.
    order = sorted(range(len(texts)), key=lambda i: -_work(scenarios[i]))
    pairs = [(i, seed) for i in order for seed in seeds]
    answers = run_batch([texts[i] for i, _ in pairs], [seed for _, seed in pairs], jobs=jobs or core_count())
    found: list[list[dict[str, Any]]] = [[] for _ in texts]
    for (i, _), answer in zip(pairs, answers, strict=True):
        found[i].append(json.loads(answer))
    return found


def _work(scenario: Table) -> float:
    """The approximate cost of a run: its duration times the rate of its bottleneck."""
    rate = scenario["links"]["bottleneck"]["rate"]
    return float(scenario["duration"].removesuffix("s")) * float(rate.removesuffix("Mbit"))
