"""Executes the missing runs of a study, on threads or a cluster, and keeps them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from penstock.errors import PenstockError
from penstock.studies.chunk import Chunk, StudyCell, split_into_chunks
from penstock.studies.executor import Executor, Progress
from penstock.studies.order import Order
from penstock.studies.part import CellRuns
from penstock.studies.part_claims import PartClaims
from penstock.studies.store import RunResults

__all__ = ["Shard", "execute_missing_runs"]

WAIT_S = 0.5
"""Time after which parts of other processes are looked up again."""


@dataclass(frozen=True)
class Shard:
    """Part `number` of `count` parts of a study, counted from 1: every chunk belongs to one of them."""

    number: int = 1
    count: int = 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """`I/N` with 1 <= I <= N. Raises `PenstockError`."""
        number, _, count = text.partition("/")
        if number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count):
            return cls(int(number), int(count))
        raise PenstockError(f"--shard {text}: is not I/N with I from 1 to N, such as 3/8")

    def has(self, place: int) -> bool:
        """Whether the chunk at this place, counted from 0, belongs to the shard."""
        return place % self.count == self.number - 1


def execute_missing_runs(
    cells: Iterable[StudyCell],
    results: RunResults,
    executor: Executor,
    *,
    study: str = "",
    planned: int = 0,
    progress: Progress | None = None,
    shard: Shard = Shard(),
    order: Order | None = None,
) -> None:
    """Execute the runs of `cells` that `results` lacks. Finished runs are kept, whatever ends this.

    Other processes may do the same simultaneously: each chunk is executed by the process that claims it first, and this
    returns when all chunks are complete. `planned` is the number of runs, for `progress`; `order` is the order of the
    names on the axes.
    """
    count = _Count(planned, progress)
    results.put_order(study, order or {})
    with PartClaims(results.claims) as claims:
        work = _Work(results, claims, count, study)
        mine = (chunk for place, chunk in enumerate(split_into_chunks(cells, study)) if shard.has(place))
        waiting: Iterator[Chunk] = mine
        while True:
            for chunk, content in executor.run(work.open(waiting), count.add):
                results.put(chunk.places(), content, chunk.scenarios())
                claims.release(chunk.name)
            results.record_reused_runs(work.cells_to_label())
            if not work.elsewhere:
                break
            time.sleep(WAIT_S)
            results.refresh()
            waiting, work.elsewhere = iter(work.elsewhere), []
    results.compact()


class _Work:
    """The chunks to execute here, and the chunks of other processes."""

    def __init__(self, results: RunResults, claims: PartClaims, count: _Count, study: str) -> None:
        self.results, self.claims, self.count, self.study = results, claims, count, study
        self._others: dict[str, CellRuns] = {}
        self.elsewhere: list[Chunk] = []

    def open(self, waiting: Iterator[Chunk]) -> Iterator[Chunk]:
        """The missing runs of these chunks, claimed by this process."""
        for chunk in waiting:
            missing = chunk.missing(self.results)
            if missing.size and self.results.has_part(missing.name):
                self.results.refresh()
                missing = chunk.missing(self.results)
            self.count.add(chunk.size - missing.size)
            if missing.size < chunk.size:
                self._label(chunk)
            if not missing.size:
                continue
            if self.claims.try_claim(missing.name):
                yield missing
            else:
                self.elsewhere.append(missing)

    def _label(self, chunk: Chunk) -> None:
        """Record the cells whose runs another study has executed."""
        for cell, seeds in chunk.runs:
            is_partly_stored = len(self.results.missing(cell.content, seeds)) < len(seeds)
            if is_partly_stored and not self.results.has_labels(cell.content, self.study, cell.seeds):
                self._others[cell.content] = CellRuns(cell.content, cell.seeds, cell.labels, self.study)

    def cells_to_label(self) -> list[CellRuns]:
        """These cells, once."""
        cells, self._others = list(self._others.values()), {}
        return cells


class _Count:
    """Number of finished runs, over all threads."""

    def __init__(self, planned: int, progress: Progress | None) -> None:
        self.finished, self.planned, self.progress = 0, planned, progress
        self._lock = threading.Lock()

    def add(self, runs: int) -> None:
        with self._lock:
            self.finished += runs
            if self.progress is not None:
                self.progress(self.finished, max(self.planned, self.finished))
