"""Studies: a scenario varied along axes and repeated over seeds, with its runs in a store.

>>> import penstock as ps
>>> def link(flows: int) -> ps.Scenario:
...     return ps.dumbbell(rate="5Mbit", rtt="40ms", duration="4s", queue=ps.Red(limit="50p"),
...                        traffic={"bulk": ps.Tcp(count=flows)})
>>> study = ps.Study(link, {"flows": [2, 8]}, seeds=2)
>>> table = study.run(lambda run: {"goodput": run.traffic["bulk"].goodput_bps})
>>> bool(table("goodput", flows=8).mean > 4e6)
True
"""

from __future__ import annotations

import inspect
import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from penstock.engine.run import cores
from penstock.errors import ErrorDetail, PenstockError, ScenarioError
from penstock.results.run import Run
from penstock.results.sample import Sample
from penstock.results.table import Labels, Table
from penstock.scenario.resolve import Resolved
from penstock.scenario.scenario import Document, Scenario, key_of
from penstock.studies.executor import Job, Progress, job_key, run_in_parts
from penstock.studies.store import Store

__all__ = ["Batch", "Measure", "Progress", "Study"]

Base = Scenario | Document | Callable[..., Scenario | Document]
Measure = Callable[[Run], Mapping[str, float | None]]

# Maximum number of intervals of the series that `keep` sees.
SERIES_POINTS = 100_000


@dataclass(frozen=True)
class Study:
    """A grid of scenarios, each run with the seeds 1 to `seeds`.

    Attributes:
        base: a scenario, whose `vary` names paths; or a function that makes one from a value of each axis.
        vary: axes and their values; the grid is all their combinations.
        seeds: number of runs of each cell.
        where: a function of the values by name; only cells for which the function is true are run.
        labels: further labels of all cells, to distinguish the parts of a sum of studies.
        keep: a function that computes numbers from a run with its `series`, to be stored; its source is part of the
        key.

    """

    base: Base
    vary: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    seeds: int = 5
    where: Callable[..., bool] | None = None
    labels: Labels = field(default_factory=dict)
    keep: Callable[[Run], Mapping[str, Any]] | None = None
    others: tuple[Study, ...] = ()

    def __add__(self, other: Study) -> Study:
        """The sum of two studies, in one table; cells without a label of the other study have None there."""
        return replace(self, others=(*self.others, other))

    def cells(self) -> Iterator[tuple[Labels, Scenario | Document, Study]]:
        """For each cell: labels, scenario, and the part of the study."""
        for values in itertools.product(*self.vary.values()):
            point = dict(zip(self.vary, values, strict=True))
            if self.where is None or self.where(**point):
                yield {**point, **self.labels}, self._scenario(point), self
        for other in self.others:
            yield from other.cells()

    def _scenario(self, point: Mapping[str, Any]) -> Scenario | Document:
        if callable(self.base):
            return self.base(**point)
        document = self.base.document() if isinstance(self.base, Scenario) else self.base
        for path, value in point.items():
            document = document.set(path, value, "vary")
        return document

    @property
    def most_seeds(self) -> int:
        """The largest number of seeds of its parts."""
        return max([self.seeds, *(other.most_seeds for other in self.others)])

    def limited(self, seeds: int) -> Study:
        """A copy with at most this number of seeds."""
        return replace(self, seeds=min(self.seeds, seeds), others=tuple(other.limited(seeds) for other in self.others))

    def run(
        self, measure: Measure, *, store: Store | None = None, jobs: int | None = None, progress: Progress | None = None
    ) -> Table:
        """Run the missing runs, store them, and measure every run.

        Raises `ScenarioError` with the errors of all cells before anything is run.
        """
        batch = Batch(self, store)
        batch.complete(jobs or cores(), progress)
        return batch.table(measure)


class Batch:
    """The runs of a study, taken from a store or made."""

    def __init__(self, study: Study, store: Store | None) -> None:
        self.store = store
        self.labels: list[Labels] = []
        self._resolved: list[Resolved] = []
        self._parts: list[Study] = []
        self._seeds: list[int] = []
        self._results: dict[str, str] = {}
        self.cost: dict[str, float] = {}  # processor time of each run of a table, in seconds, by its key
        self._jobs: list[Job] = []
        errors: list[ErrorDetail] = []
        for labels, scenario, part in study.cells():
            document = scenario.document() if isinstance(scenario, Scenario) else scenario
            try:
                resolved = document.resolve()
            except ScenarioError as error:
                errors += error.errors
                continue
            content = key_of(resolved) + (_source(part.keep) if part.keep else "")
            cell = len(self.labels)
            self._jobs += [Job(cell, seed, job_key(content, seed)) for seed in range(1, part.seeds + 1)]
            self.labels.append(labels)
            self._resolved.append(resolved)
            self._parts.append(part)
            self._seeds.append(part.seeds)
        if errors:
            raise ScenarioError(dict.fromkeys(errors))

    @property
    def runs(self) -> int:
        """Number of runs."""
        return len(self._jobs)

    def complete(self, jobs: int, progress: Progress | None = None) -> None:
        """Make the missing runs on `jobs` threads; finished runs are stored every few seconds."""
        keys = list(dict.fromkeys(job.key for job in self._jobs))
        have = self.store.has(keys) if self.store else set()
        missing = list({job.key: job for job in self._jobs if job.key not in have}.values())
        done = len(self._jobs) - len(missing)

        def report(finished: int) -> None:
            if progress is not None:
                progress(done + finished, len(self._jobs))

        report(0)
        for part in run_in_parts(missing, self._scenario, jobs, report):
            results = [(job.key, self._reduced(job, text)) for job, text in part]
            if self.store is None:
                self._results.update(results)
            else:
                self.store.put(results)

    def _scenario(self, cell: int) -> str:
        kept = self._parts[cell].keep is not None
        return self._resolved[cell].for_engine(flows=False, series=kept, series_points=SERIES_POINTS)

    def _reduced(self, job: Job, text: str) -> str:
        """The result without its series, but with the numbers computed by `keep`."""
        keep = self._parts[job.case].keep
        if keep is None:
            return text
        run = Run.from_json(text, self._resolved[job.case].shown)
        rest = {name: value for name, value in run.raw.items() if name not in ("series", "senders")}
        return json.dumps({**rest, "kept": dict(keep(run))}, separators=(",", ":"))

    def table(self, measure: Measure) -> Table:
        """The measured numbers of every run."""
        where: dict[str, list[Job]] = {}
        for job in self._jobs:
            where.setdefault(job.key, []).append(job)
        values: list[dict[str, np.ndarray]] = [{} for _ in self.labels]
        for key, text in self.store.get(list(where)) if self.store else self._results.items():
            for job in where[key]:
                run = Run.from_json(text, {**self._resolved[job.case].shown, "seed": job.seed})
                self.cost[key] = run.cpu_s
                for name, value in measure(run).items():
                    column = values[job.case].setdefault(name, np.full(self._seeds[job.case], np.nan))
                    column[job.seed - 1] = np.nan if value is None else value
        cells = [
            (labels, {name: Sample(column) for name, column in found.items()})
            for labels, found in zip(self.labels, values, strict=True)
        ]
        return Table(cells, runs=len(self._jobs), seeds=max(self._seeds, default=0), cpu_s=sum(self.cost.values()))


def _source(keep: Callable[..., Any]) -> str:
    try:
        return inspect.getsource(keep)
    except (OSError, TypeError):
        raise PenstockError("the function `keep` of a study must be defined in a file") from None
