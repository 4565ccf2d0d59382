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

import itertools
import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from penstock.code_key import code_key
from penstock.engine.run import thread_count
from penstock.engine.warmup import with_warmup_seconds
from penstock.errors import PenstockError, map_collecting_errors
from penstock.results.run import Run
from penstock.results.sample import RunSample
from penstock.results.table import Labels, Table
from penstock.scenario.document import Document, as_document
from penstock.scenario.scenario import Scenario
from penstock.studies.chunk import Keep, StudyCell
from penstock.studies.complete import Shard, execute_missing_runs
from penstock.studies.executor import Executor, Progress, ThreadExecutor
from penstock.studies.order import merge_orders
from penstock.studies.part import CellRuns
from penstock.studies.pilots import AutomaticWarmups, warmup_group
from penstock.studies.store import RunResults

__all__ = ["Measure", "Progress", "Study", "StudyRuns", "resolve_cell"]

Base = Scenario | Document | Callable[..., Scenario | Document]
Measure = Callable[[Run], Mapping[str, float | None]]

ALL_AT_ONCE = 2000
"""Cells that are resolved before anything is run."""

CELLS_PER_READ = 200
"""Cells whose results are read from the store at once."""


@dataclass(frozen=True)
class Study:
    """A grid of scenarios, each run with `seeds` consecutive seeds, starting with `first_seed`.

    Attributes:
        base: a scenario, whose `vary` names paths; or a function that makes one from a value of each axis.
        vary: axes and their values; the grid is all their combinations.
        seeds: number of runs of each cell.
        where: a function of the values by name; only cells for which the function is true are run.
        labels: further labels of all cells, to distinguish the parts of a sum of studies.
        name: of the study, a column of the store.
        first_seed: seed of the first run of each cell.
        keep: a function that computes numbers from a run with its `series`, to be stored; its source, and
            that of the functions and constants that it uses from its folder, are part of the key.

    """

    base: Base
    vary: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    seeds: int = 5
    where: Callable[..., bool] | None = None
    labels: Labels = field(default_factory=dict)
    keep: Keep | None = None
    others: tuple[Study, ...] = ()
    name: str = ""
    first_seed: int = 1

    def __add__(self, other: Study) -> Study:
        """The sum of two studies, in one table; cells without a label of the other study have None there."""
        return replace(self, others=(*self.others, other))

    def cells(self) -> Iterator[tuple[Labels, Scenario | Document, Study]]:
        """For each cell: labels, scenario, and the part of the study."""
        for point, part in self.points_with_studies():
            yield part.cell(point)

    def points_with_studies(self) -> Iterator[tuple[dict[str, Any], Study]]:
        """Each point of the grid: the values of the axes, and the study that contains it (this or an added one)."""
        for values in itertools.product(*self.vary.values()):
            point = dict(zip(self.vary, values, strict=True))
            if self.where is None or self.where(**point):
                yield point, self
        for other in self.others:
            yield from other.points_with_studies()

    def cell(self, point: Mapping[str, Any]) -> tuple[Labels, Scenario | Document, Study]:
        """The cell of these values: labels, scenario, and this study."""
        return {**point, **self.labels}, self._scenario(point), self

    def sample_cells(self) -> Iterator[tuple[Labels, Scenario | Document, Study]]:
        """Cells in which every value of each axis occurs, each with the first values of the other axes."""
        first = {name: values[0] for name, values in self.vary.items()}
        for name, values in self.vary.items():
            for value in values:
                point = {**first, name: value}
                if self.where is None or self.where(**point):
                    yield self.cell(point)
        for other in self.others:
            yield from other.sample_cells()

    def _scenario(self, point: Mapping[str, Any]) -> Scenario | Document:
        if callable(self.base):
            return self.base(**point)
        document = self._document
        for path, value in point.items():
            document = document.set(path, value, "vary")
        return document

    @cached_property
    def _document(self) -> Document:
        """The base scenario as plain values."""
        assert not callable(self.base)
        return as_document(self.base)

    @cached_property
    def keep_key(self) -> str:
        """A key for the code of `keep`; empty without one. Raises `PenstockError` if the code cannot be followed."""
        if self.keep is None:
            return ""
        try:
            return code_key(self.keep)
        except PenstockError as error:
            raise PenstockError(f"the function `keep` of a study: {error}") from None

    @property
    def title(self) -> str:
        """Its name, or that of its axes."""
        return self.name or f"by {', '.join(self.vary)}"

    @property
    def seed_range(self) -> range:
        """The seeds of each cell, without the cells of added studies."""
        return range(self.first_seed, self.first_seed + self.seeds)

    @property
    def max_seeds(self) -> int:
        """The largest number of seeds of its parts."""
        return max([self.seeds, *(other.max_seeds for other in self.others)])

    @property
    def max_runs(self) -> int:
        """Number of runs, including cells that `where` leaves out."""
        own = math.prod(len(values) for values in self.vary.values()) * self.seeds
        return own + sum(other.max_runs for other in self.others)

    def axes(self) -> Iterator[Mapping[str, Sequence[Any]]]:
        """The axes with their values of each of its parts."""
        yield self.vary
        for other in self.others:
            yield from other.axes()

    def with_max_seeds(self, seeds: int) -> Study:
        """A copy with at most this number of seeds."""
        return replace(
            self, seeds=min(self.seeds, seeds), others=tuple(other.with_max_seeds(seeds) for other in self.others)
        )

    def changed(self, change: Callable[[Document], Document]) -> Study:
        """A copy with a change of every scenario."""

        def base(**point: Any) -> Document:
            return change(as_document(self._scenario(point)))

        return replace(self, base=base, others=tuple(other.changed(change) for other in self.others))

    def run(
        self,
        measure: Measure,
        *,
        store: RunResults | None = None,
        jobs: int | None = None,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Table:
        """Run the missing runs, store them, and measure every run.

        They are executed on `jobs` threads of this machine, by default on all cores, or by an executor such as
        `ps.Cluster`. Raises `ScenarioError` with the errors of all cells before anything is run.
        """
        batch = StudyRuns(self, store)
        batch.complete(executor or thread_count(jobs), progress)
        return batch.table(measure)


class StudyRuns:
    """The runs of a study, taken from a store or executed.

    The cells of a study of up to `ALL_AT_ONCE` cells are resolved before anything is run. The cells of a larger study
    are resolved one by one while runs are executed; before that, every value of each axis is checked once.

    Attributes:
        results: where the results are kept.
        places: the runs of each cell; of a large study, those that have been executed.
        cost: processor time in seconds of each run of a table, by scenario and seed.

    Raises `ScenarioError` with the errors of all cells that were checked.

    """

    def __init__(self, study: Study, results: RunResults | None) -> None:
        self.study = study
        self.results = RunResults() if results is None else results
        self.cost: dict[tuple[str, int], float] = {}
        whole = sum(1 for _ in itertools.islice(study.points_with_studies(), ALL_AT_ONCE + 1)) <= ALL_AT_ONCE
        checked = _resolved(study.cells() if whole else study.sample_cells())
        has_automatic = any(cell.resolved.head.has_automatic_warmup for cell in checked)
        self._warmups = AutomaticWarmups(self._scenarios, self.results) if has_automatic else None
        self._cells: list[StudyCell] | None = checked if whole else None
        self.places: list[CellRuns] = []
        self._place_all()

    @property
    def runs(self) -> int:
        """Number of runs; before the runs of a large study are executed, including cells that `where` leaves out."""
        return sum(len(place.seeds) for place in self.places) or self.study.max_runs

    def complete(self, executor: Executor | int, progress: Progress | None = None, shard: Shard | None = None) -> None:
        """Execute the missing runs, by an executor or on a number of threads; each part is stored once it is complete.

        If the warm-up is "auto", the missing pilot runs are executed first.
        """
        chosen = ThreadExecutor(executor) if isinstance(executor, int) else executor
        if self._warmups is not None:
            self._warmups.complete(chosen)
            self._place_all()
        execute_missing_runs(
            self.cells(),
            self.results,
            chosen,
            study=self.study.title,
            planned=self.runs,
            progress=progress,
            shard=shard or Shard(),
            order=merge_orders(self.study.axes()),
        )

    @property
    def has_automatic_warmup(self) -> bool:
        """Whether the warm-up of a cell is "auto", and pilot runs determine it."""
        return self._warmups is not None

    def _scenarios(self) -> Iterator[tuple[Hashable, str, Scenario | Document]]:
        """The group that shares a warm-up, the label for messages and the scenario of each cell."""
        for point, part in self.study.points_with_studies():
            label = ", ".join(f"{name} = {value}" for name, value in point.items())
            yield warmup_group(point, part), label, part.cell(point)[1]

    def _place_all(self) -> None:
        """Determine the cells of a study that are resolved at once, and their places."""
        if self._cells is not None:
            if self._warmups is not None:
                self._cells = [self._cell(point, part) for point, part in self.study.points_with_studies()]
            self.places = [cell.runs for cell in self._cells]

    def _cell(self, point: Mapping[str, Any], part: Study) -> StudyCell:
        """The cell of these values; its warm-up is determined if its pilot runs have been executed."""
        return resolve_cell(
            *part.cell(point), None if self._warmups is None else self._warmups.of(warmup_group(point, part))
        )

    def cells(self) -> Iterable[StudyCell]:
        """The cells, resolved. A warm-up remains "auto" until its pilot runs have been executed."""
        return self._walked() if self._cells is None else self._cells

    def scenario(self) -> dict[str, Any]:
        """The resolved scenario of the first cell."""
        return self._cell(*next(self.study.points_with_studies())).resolved.readable

    def _walked(self) -> Iterator[StudyCell]:
        self.places = []
        for point, part in self.study.points_with_studies():
            cell = self._cell(point, part)
            self.places.append(cell.runs)
            yield cell

    def table(self, measure: Measure, metrics: Collection[str] | None = None) -> Table:
        """The measured numbers of every run; `metrics` are the names of those that `measure` needs, all if None."""
        cells: list[tuple[Labels, dict[str, RunSample]]] = []
        for start in range(0, len(self.places), CELLS_PER_READ):
            cells += self._measured(self.places[start : start + CELLS_PER_READ], measure, metrics)
        seeds = max((len(place.seeds) for place in self.places), default=0)
        return Table(cells, runs=self.runs, seeds=seeds, cpu_s=sum(self.cost.values()))

    def _measured(
        self, places: Sequence[CellRuns], measure: Measure, metrics: Collection[str] | None
    ) -> Iterator[tuple[Labels, dict[str, RunSample]]]:
        """Labels and samples of these cells."""
        where: dict[str, list[int]] = {}
        for number, place in enumerate(places):
            where.setdefault(place.scenario_key, []).append(number)
        values: list[dict[str, np.ndarray]] = [{} for _ in places]
        resolved = self.results.scenarios(where)
        for content, seed, raw in self.results.get(where, metrics):
            for number in where[content]:
                seeds = places[number].seeds
                if seed not in seeds:
                    continue
                run = Run.of(raw, {**resolved[content], "seed": seed})
                self.cost[content, seed] = run.cpu_s
                for name, value in measure(run).items():
                    column = values[number].setdefault(name, np.full(len(seeds), np.nan))
                    column[seed - seeds[0]] = np.nan if value is None else value
        for place, columns in zip(places, values, strict=True):
            yield place.labels, {name: RunSample(column) for name, column in columns.items()}


def _resolved(entries: Iterable[tuple[Labels, Scenario | Document, Study]]) -> list[StudyCell]:
    """The cells. Raises `ScenarioError` with the errors of all of them."""
    return map_collecting_errors(lambda entry: resolve_cell(*entry), entries)


def resolve_cell(
    labels: Labels, scenario: Scenario | Document, part: Study, warmup_s: float | None = None
) -> StudyCell:
    """The cell of a part of a study; `warmup_s` replaces a warm-up that is "auto". Raises `ScenarioError`."""
    document = scenario.document() if isinstance(scenario, Scenario) else scenario
    if warmup_s is not None:
        document = with_warmup_seconds(document, warmup_s)
    return StudyCell(labels, document.resolve(), part.seed_range, part.keep, part.keep_key)
