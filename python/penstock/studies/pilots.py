"""Pilot runs of a study or a comparison, from which each warm-up that is "auto" is determined.

A pilot run has the seed of its scenario and no warm-up. It is kept in the store, apart from the runs of the study, so
that shards, clusters and resumed studies use the same warm-up without further runs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from penstock.engine.run import core_count
from penstock.engine.warmup import (
    POINTS,
    Pilot,
    QueueMeans,
    has_automatic_warmup,
    pilot_scenario,
    queue_means_by_link,
    with_warmup_seconds,
)
from penstock.errors import ErrorDetail, ScenarioError
from penstock.results.run import Run
from penstock.scenario.document import Document, ScenarioLike, as_document
from penstock.studies.chunk import StudyCell
from penstock.studies.complete import execute_missing_runs
from penstock.studies.executor import Executor, ThreadExecutor
from penstock.studies.store import RunResults
from penstock.units import parse_time

__all__ = ["AutomaticWarmups", "PilotRuns", "warmup_group", "with_warmups"]

SCHEME = "scheme"
"""The axis whose values share a warm-up, so that schemes are compared over the same interval."""

SOURCE = "queue means 1"
"""Part of the address of a pilot run: the version of its stored form."""

Point = Mapping[str, Any]
"""The values of the axes of a cell, by name."""

Cells = Callable[[], Iterable[tuple[Hashable, str, ScenarioLike]]]
"""Returns the group, the label for messages and the scenario of each cell."""

PER_READ = 200
"""Number of pilot runs that are read from the store at once."""


class PilotRuns:
    """The pilot runs of scenarios, taken from a store or executed."""

    def __init__(self, results: RunResults) -> None:
        self._results = results.pilots

    def complete(self, documents: Iterable[Document], executor: Executor) -> None:
        """Execute the missing pilot runs of these scenarios."""
        execute_missing_runs(map(_cell, documents), self._results, executor)

    def queues(self, documents: Sequence[Document]) -> list[Mapping[str, QueueMeans] | None]:
        """The watched queues in the pilot run of each scenario by link; None for a run that has not been executed."""
        addresses = [_cell(document).content for document in documents]
        queues_of = {
            content: {link: QueueMeans(queue["step_s"], tuple(queue["means"])) for link, queue in queues.items()}
            for content, _, raw in self._results.get(set(addresses), ["queues"])
            for queues in [raw["kept"]["queues"]]
        }
        return [queues_of.get(content) for content in addresses]


def _cell(document: Document) -> StudyCell:
    resolved = pilot_scenario(document)
    seed = int(resolved.readable["seed"])
    return StudyCell({}, resolved, range(seed, seed + 1), _queue_means_record, SOURCE, POINTS)


def _queue_means_record(run: Run) -> dict[str, Any]:
    queues = queue_means_by_link(run.series, parse_time(run.scenario["duration"]) / 1e9)
    return {"queues": {link: asdict(queue) for link, queue in queues.items()}}


class AutomaticWarmups:
    """The warm-ups of the cells whose scenario has "auto": the longest transient of the pilot runs of their group."""

    def __init__(self, cells: Cells, results: RunResults) -> None:
        self._cells, self._pilots = cells, PilotRuns(results)
        self._warmups: dict[Hashable, float] | None = None

    def complete(self, executor: Executor) -> None:
        """Execute the missing pilot runs."""
        self._pilots.complete((document for _, _, document in self._waiting()), executor)
        self._warmups = None

    def of(self, group: Hashable) -> float | None:
        """The warm-up of a group in seconds; None while a pilot run is missing, and for a group without "auto".

        Raises `ScenarioError` with every queue of all cells that does not settle.
        """
        if self._warmups is None:
            self._warmups = self._determined()
        return self._warmups.get(group)

    def _waiting(self) -> Iterator[tuple[Hashable, str, Document]]:
        """The cells with "auto"."""
        for group, label, scenario in self._cells():
            document = as_document(scenario)
            if has_automatic_warmup(document):
                yield group, label, document

    def _determined(self) -> dict[Hashable, float]:
        """The warm-up of each group whose pilot runs have been executed."""
        warmups: dict[Hashable, float] = {}
        incomplete: set[Hashable] = set()
        errors: list[ErrorDetail] = []
        waiting = self._waiting()
        while cells := list(itertools.islice(waiting, PER_READ)):
            all_queues = self._pilots.queues([document for _, _, document in cells])
            for (group, label, document), queues in zip(cells, all_queues, strict=True):
                if queues is None:
                    incomplete.add(group)
                    continue
                pilot = Pilot(label, document, queues)
                errors += pilot.errors()
                warmups[group] = max(warmups.get(group, 0.0), pilot.transient_s())
        if errors:
            raise ScenarioError(dict.fromkeys(errors))
        return {group: warmup for group, warmup in warmups.items() if group not in incomplete}


def with_warmups(cells: Sequence[tuple[Hashable, str, Document]], jobs: int | None = None) -> list[Document]:
    """The scenarios of these cells (`Cells`), with the warm-up of their group instead of "auto".

    Pilot runs are executed on `jobs` threads, by default on all cores. Raises `ScenarioError` with every queue that
    does not settle.
    """
    warmups = AutomaticWarmups(lambda: cells, RunResults())
    warmups.complete(ThreadExecutor(jobs or core_count()))
    return [with_warmup_seconds(document, warmups.of(group) or 0.0) for group, _, document in cells]


def warmup_group(point: Point, part: object) -> Hashable:
    """The group of a cell: its part of the study, and the values of all axes except the scheme."""
    return id(part), tuple(_hashable(value) for name, value in point.items() if name != SCHEME)


def _hashable(value: Any) -> Hashable:
    """The value, or its identity if it is not hashable: the values of an axis are the same objects in all cells."""
    try:
        hash(value)
    except TypeError:
        return id(value)
    return value  # type: ignore[no-any-return]
