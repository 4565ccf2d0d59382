"""The cost of a study before it is run, from a sample of its runs."""

from __future__ import annotations

import itertools
import math
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from penstock.studies.chunk import StudyCell
from penstock.studies.complete import execute_missing_runs
from penstock.studies.executor import ThreadExecutor
from penstock.studies.store import Store
from penstock.studies.study import Study, resolve_cell

__all__ = ["CostEstimate", "estimate_cost"]

SAMPLE = 16
"""Number of runs of the sample, each of a cell chosen at random."""

ATTEMPTS = 10_000
"""Maximum number of attempts to find a cell that `where` does not exclude."""


@dataclass(frozen=True)
class CostEstimate:
    """The mean cost of a run.

    Attributes:
        sampled_runs: number of runs of the sample.
        cpu_s: processor time of a run in seconds.
        cpu_error_s: half-width of its 95 % interval.
        store_bytes: bytes in the store for each run.

    """

    sampled_runs: int
    cpu_s: float
    cpu_error_s: float
    store_bytes: float


def estimate_cost(study: Study, threads: int) -> CostEstimate:
    """Execute a sample of the runs and discard the results. Raises `ScenarioError` if a cell of the sample is wrong."""
    cells = list(_sample(study))
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        execute_missing_runs(cells, store, ThreadExecutor(threads))
        costs = [result["cpu_s"] for _, _, result in store.get({cell.content for cell in cells})]
        size = sum(file.stat().st_size for file in Path(folder).rglob("*.parquet"))
    mean = math.fsum(costs) / len(costs)
    variance = math.fsum((cost - mean) ** 2 for cost in costs) / max(len(costs) - 1, 1)
    return CostEstimate(len(costs), mean, 1.96 * math.sqrt(variance / len(costs)), size / len(costs))


def _sample(study: Study) -> Iterator[StudyCell]:
    """Cells at random, each with one seed."""
    rng = random.Random(1)
    points = ({name: rng.choice(values) for name, values in study.vary.items()} for _ in range(ATTEMPTS))
    chosen = (point for point in points if study.where is None or study.where(**point))
    for point in itertools.islice(chosen, SAMPLE):
        yield replace(resolve_cell(*study.cell(point), warmup_s=0.0), seeds=range(1, 2))
