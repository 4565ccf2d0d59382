"""Tables with made-up numbers in the cells of real studies, so that claims are decided without a run."""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from penstock.reproduce.effort import ReproductionEffort
from penstock.results.sample import RunSample
from penstock.results.table import Table
from penstock.studies.study import Measure, Study

SCALES = (0.01, 0.5, 1.0, 20.0, 100.0)
SPREAD, NOISE = 0.3, 0.05


def _generator(*key: object) -> np.random.Generator:
    text = json.dumps(key, sort_keys=True, default=str)
    return np.random.default_rng(int(hashlib.sha256(text.encode()).hexdigest()[:16], 16))


@functools.cache
def _scale(work: str, name: str) -> float:
    return float(_generator(work, name).choice(SCALES))


class MadeUp(dict[str, RunSample]):
    """Samples of any name; they depend on the name, the labels of the cell and the work alone."""

    def __init__(self, work: str, labels: Mapping[str, Any], seeds: int) -> None:
        super().__init__()
        self.key = work, {name: value for name, value in labels.items() if value is not None}
        self.seeds = seeds

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> RunSample:
        work, labels = self.key
        mean = _scale(work, name) * math.exp(SPREAD * _generator(work, labels, name).standard_normal())
        noise = _generator("seeds", work, labels, name).standard_normal(self.seeds)
        sample = self[name] = RunSample(mean * (1 + NOISE * noise))
        return sample


class MadeUpEffort(ReproductionEffort):
    """Gives made-up tables instead of running anything."""

    work = ""

    def table(self, study: Study, measure: Measure) -> Table:
        cells = [(labels, MadeUp(self.work, labels, part.seeds)) for labels, _, part in study.cells()]
        return Table(cells, seeds=study.max_seeds)


def effort_of(work: str, mode: Any = "full") -> ReproductionEffort:
    """An effort for the experiments of a work."""
    effort = MadeUpEffort(mode=mode)
    object.__setattr__(effort, "work", work)
    return effort
