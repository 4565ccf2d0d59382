"""The extent of a reproduction (quick, normal or full), and sweeps that depend on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, TypeVar

from penstock.engine.run import core_count
from penstock.results.run import Run
from penstock.results.table import Table
from penstock.scenario.document import Document
from penstock.scenario.scenario import Scenario
from penstock.studies.part import CellRuns
from penstock.studies.store import RunResults
from penstock.studies.study import Measure, Progress, Study, StudyRuns

__all__ = ["Change", "Mode", "QuickOrFull", "ReproductionEffort", "Sweep", "value_for_effort"]

NORMAL_SEEDS = 10
"""Largest number of seeds of a cell in a normal reproduction: planned, whatever the verdicts are."""
Mode = Literal["quick", "normal", "full"]
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Change = Callable[[Document], Document]
"""A scenario with something changed."""


@dataclass(frozen=True)
class ReproductionEffort:
    """The extent of a reproduction, and the store of its results.

    Attributes:
        mode: "normal": the full sweep with at most `NORMAL_SEEDS` seeds; "full": with the paper's number of seeds, and
            the claims are decided in the set-up as printed, too; "quick": few seeds, a part of the sweep and, for most
            experiments, shorter runs.
        store: results of these and earlier runs.
        jobs: threads.
        progress: called with the number of finished runs and of planned runs.
        cost: CPU time in seconds of each run of the experiment, by scenario and seed.
        studies: the runs of each study of the experiment, by cell.
        change: a change of every scenario, to another set-up.

    """

    mode: Mode = "normal"
    store: RunResults = field(default_factory=RunResults)
    jobs: int = field(default_factory=core_count)
    progress: Progress | None = None
    cost: dict[tuple[str, int], float] = field(default_factory=dict, compare=False)
    studies: list[Sequence[CellRuns]] = field(default_factory=list, compare=False)
    change: Change | None = None

    @property
    def quick(self) -> bool:
        """Whether only a part of each sweep is run."""
        return self.mode == "quick"

    def quick_or_full(self, quick: T, full: T) -> T:
        """The first value for a quick reproduction, the second for the other modes."""
        return quick if self.quick else full

    def table(self, study: Study, measure: Measure) -> Table:
        """Run a study and measure it; also used for a first pass whose results set parameters of another study."""
        if self.mode == "normal":
            study = study.with_max_seeds(NORMAL_SEEDS)
        if self.change is not None:
            study = study.changed(self.change)
        batch = StudyRuns(study, self.store)
        batch.complete(self.jobs, self.progress)
        table = batch.table(measure)
        self.cost.update(batch.cost)
        self.studies.append(batch.places)
        return table


@dataclass(frozen=True)
class QuickOrFull(Generic[T_co]):
    """A pair of values: one for a quick reproduction, one for normal and full ones."""

    quick: T_co
    full: T_co


def value_for_effort(value: Any, effort: ReproductionEffort) -> Any:
    """The value itself, or the value of a `QuickOrFull` for this effort."""
    return effort.quick_or_full(value.quick, value.full) if isinstance(value, QuickOrFull) else value


@dataclass(frozen=True)
class Sweep:
    """A study as data, for `study = Sweep(...)` in a module: called with an effort, it gives the `Study`.

    Attributes:
        base: makes a scenario from one value of each axis.
        vary: axes and their values; a `QuickOrFull` if a quick reproduction has fewer values.
        seeds: number of runs of each cell.
        span: duration and warm-up of every run, in place of those of `base`.
        where: keeps only the cells for which it is true.
        labels: further labels of all cells.
        keep: numbers to keep of queue and AQM over time (`Study.keep`).
        first_pass: a first pass, for instance one that finds settings; its result is the first argument of `base`.
        only_full: whether a quick reproduction leaves this sweep out; only for a sweep that is added to another.

    """

    base: Callable[..., Scenario | Document]
    vary: Mapping[str, Sequence[Any] | QuickOrFull[Sequence[Any]]]
    seeds: int | QuickOrFull[int] = 5
    span: tuple[str, str] | QuickOrFull[tuple[str, str]] | None = None
    where: Callable[..., bool] | None = None
    labels: Mapping[str, Any] = field(default_factory=dict)
    keep: Callable[[Run], Mapping[str, Any]] | None = None
    first_pass: Callable[[ReproductionEffort], Any] | None = None
    only_full: bool = False
    others: tuple[Sweep, ...] = ()

    def __add__(self, other: Sweep) -> Sweep:
        """Both sweeps, in one table."""
        return replace(self, others=(*self.others, other))

    def __call__(self, effort: ReproductionEffort) -> Study:
        """The study."""
        first_results = () if self.first_pass is None else (self.first_pass(effort),)

        def scenario(**labels: Any) -> Scenario | Document:
            base = self.base(*first_results, **labels)
            if self.span is None:
                return base
            assert isinstance(base, Scenario)
            duration, warmup = value_for_effort(self.span, effort)
            return replace(base, duration=duration, warmup=warmup)

        study = Study(
            scenario,
            {axis: value_for_effort(values, effort) for axis, values in self.vary.items()},
            seeds=value_for_effort(self.seeds, effort),
            where=self.where,
            labels=self.labels,
            keep=self.keep,
        )
        for other in self.others:
            if not (other.only_full and effort.quick):
                study += other(effort)
        return study
