"""A comparison as a study: many cells in a store, on threads, shards or a cluster."""

from __future__ import annotations

import gc
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.cli.fail_if import FailureConditions, result_numbers
from penstock.cli.output import Outputs, notify, print_result, show_progress, write_page
from penstock.cli.unsettled import identical_warnings, transient_warnings

if TYPE_CHECKING:
    from penstock.cli.slurm_array import SlurmOptions
    from penstock.cli.study_input import StudyChanges
    from penstock.studies.executor import Executor
    from penstock.studies.store import Store
    from penstock.studies.study import StudyRuns
    from penstock.studies.study_file import StudyFile

__all__ = ["ExecutionPlace", "StudyRequest", "StudyResult", "compare_study", "run_study"]

MAX_SUMMARIZED = 200_000
"""Maximum number of runs that are summarized at the end; for more runs, query the store with `penstock results`."""


PILOTS = 'warmup = "auto" is determined by one pilot run per cell; pilot runs are kept in the store'


@dataclass(frozen=True)
class ExecutionPlace:
    """Where to run: on threads or on a cluster; and the text of `--shard`, the shard to run."""

    jobs: int | None = None
    cluster: str | None = None
    shard: str | None = None

    @contextmanager
    def executor(self) -> Iterator[Executor]:
        """The executor, which is closed at the end of the block."""
        if self.cluster is None:
            from penstock.studies.executor import ThreadExecutor

            yield ThreadExecutor(self.threads)
            return
        from penstock.studies.cluster import Cluster

        with Cluster(self.cluster) as executor:
            yield executor

    @property
    def threads(self) -> int:
        """Number of threads on this machine."""
        from penstock.engine.run import core_count

        return self.jobs or core_count()

    def __str__(self) -> str:
        plural = "s" if self.threads > 1 else ""
        return f"{self.threads} thread{plural}" if self.cluster is None else f"cluster {self.cluster}"


@dataclass(frozen=True)
class StudyRequest:
    """A study with the options of `compare`."""

    file: StudyFile
    inputs: Sequence[str]
    changes: StudyChanges
    jobs: int | None
    store: str | None
    fail_if: Sequence[str]
    margin: float
    cluster: str | None
    shard: str | None
    dry_run: bool
    slurm: SlurmOptions


def compare_study(request: StudyRequest, outputs: Outputs) -> None:
    """Run the study, or print its cost or its job array."""
    from penstock.studies.repeat import study_script
    from penstock.studies.store import Store, default_store_folder

    gate = FailureConditions.of_scenario(request.fail_if, next(iter(request.file.bases.values())).resolve())
    if request.dry_run:
        _estimate(request.file, request.jobs, outputs)
    elif request.slurm.jobs is not None:
        print_result(request.slurm.script(request.inputs, request.changes, request.store or default_store_folder()))
    else:
        place = ExecutionPlace(request.jobs, request.cluster, request.shard)
        result = run_study(request.file, lambda: Store(request.store), place, request.margin)
        if result is not None:
            outputs.show(result.text)
            outputs.write_json(result.value)
            if outputs.html is not None:
                write_page({**result.value, "script": study_script(request.file, request.margin)}, outputs.html)
            gate.check(result_numbers(result.value))


@dataclass(frozen=True)
class StudyResult:
    """The means of a study, as text and as the JSON of a comparison."""

    text: str
    value: dict[str, Any]


def run_study(
    file: StudyFile, open_store: Callable[[], Store], place: ExecutionPlace, margin: float
) -> StudyResult | None:
    """Run the missing runs of a study. Returns None for a shard, whose result is incomplete."""
    from penstock.results.display import count_phrase
    from penstock.studies.complete import Shard
    from penstock.studies.recorded import record_study
    from penstock.studies.study import StudyRuns

    part = Shard() if place.shard is None else Shard.parse(place.shard)
    cells = file.cells()
    runs = cells * file.study.seeds
    notify(f"{count_phrase(runs, 'run')}: {_size_of(file)}, {place}")
    # The executor is first, so that a cluster that does not answer leaves no store behind.
    with place.executor() as executor:
        store = open_store()
        batch = StudyRuns(file.study, store)
        if batch.has_automatic_warmup:
            notify(PILOTS)
        record_study(store.folder, file)
        with _modules_kept(), show_progress(store, runs) as watch:
            batch.complete(executor, watch.update, part)
            warnings = _transient_warnings(batch, executor) if part.count == 1 else []
    notify(f"{watch.summary()}; store: {store.folder}")
    if part.count > 1:
        notify(
            f"shard {part.number}/{part.count} is complete; penstock results {store.folder} --status shows the runs "
            "still missing"
        )
        return None
    result, identical = _result(file, batch, store, margin)
    warnings += identical
    return StudyResult(result.text, {**result.value, **({"warnings": warnings} if warnings else {})})


def _transient_warnings(batch: StudyRuns, executor: Executor) -> list[dict[str, Any]]:
    """Warnings about queues that have not settled at the warm-up of the study."""
    from penstock.studies.study import ALL_AT_ONCE, resolve_cell

    if batch.has_automatic_warmup:
        return []
    is_small = batch.runs <= ALL_AT_ONCE * batch.study.max_seeds
    cells = batch.cells() if is_small else (resolve_cell(*sample) for sample in batch.study.sample_cells())
    return transient_warnings([(cell.labels, cell.resolved) for cell in cells], batch.runs, batch.results, executor)


@contextmanager
def _modules_kept() -> Iterator[None]:
    """Exclude all loaded modules from garbage collection, which would traverse them repeatedly."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _result(file: StudyFile, batch: StudyRuns, store: Store, margin: float) -> tuple[StudyResult, list[dict[str, Any]]]:
    """The means of the study's metrics, and warnings about schemes with equal results.

    Neither exists above `MAX_SUMMARIZED` runs. The text has no tables above `MAX_CELLS` cells.
    """
    from penstock import _native
    from penstock.studies.stored_runs import MAX_CELLS, study_runs

    head = {"penstock": _native.version, "study": file.study.name, "scenario": batch.scenario(), "runs": batch.runs}
    command = shlex.join(["penstock", "results", str(store.folder), "--study", file.study.name])
    if batch.runs > MAX_SUMMARIZED:
        text = f"{batch.runs} runs in {store.folder}; read them with {command} --sql 'SELECT ...'"
        return StudyResult(text, {**head, "rows": [], "differences": []}), []
    completed = study_runs(batch.places, batch.results).with_margin(margin)
    warnings = identical_warnings(completed)
    completed = completed.select(file.metrics)
    is_large = file.cells() > MAX_CELLS
    text = f"{file.cells()} cells; {command} --where PATH=VALUE shows a selection" if is_large else repr(completed)
    return StudyResult(text, {**completed.to_dict(), **head}), warnings


def _estimate(file: StudyFile, jobs: int | None, outputs: Outputs) -> None:
    """Print the cost of the runs, estimated from a sample."""
    from penstock.engine.run import core_count
    from penstock.results.display import count_phrase
    from penstock.studies.estimate import estimate_cost
    from penstock.studies.study import StudyRuns

    batch = StudyRuns(file.study, None)  # raises the errors of all cells
    cells, threads = file.cells(), jobs or core_count()
    runs = cells * file.study.seeds
    cost = estimate_cost(file.study, threads)
    if batch.has_automatic_warmup:
        notify(f"{PILOTS}: {cells} further runs")
    cpu, error, disk = runs * cost.cpu_s, runs * cost.cpu_error_s, runs * cost.store_bytes
    outputs.show(
        f"{file.study.name}: {_size_of(file)} = {count_phrase(runs, 'run')}\nprocessor time: {_time(cpu)} +- "
        f"{_time(error)}, estimated from {cost.sampled_runs} runs; about {_time(cpu / threads)} on {threads} "
        f"thread{'s' if threads > 1 else ''}\ndisk: {_size(disk)}"
    )
    head = {"study": file.study.name, "cells": cells, "runs": runs}
    outputs.write_json({**head, "cpu_s": cpu, "cpu_error_s": error, "bytes": disk})


def _size_of(file: StudyFile) -> str:
    """The numbers of cells and seeds of a study."""
    from penstock.results.display import count_phrase

    return f"{count_phrase(file.cells(), 'cell')} x {count_phrase(file.study.seeds, 'seed')}"


def _time(seconds: float) -> str:
    """A duration in a readable unit."""
    for name, length in (("d", 86_400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.3g} {name}"
    return f"{seconds:.3g} s"


def _size(count: float) -> str:
    """A number of bytes in a readable unit."""
    for name, unit in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count:.0f} B"
