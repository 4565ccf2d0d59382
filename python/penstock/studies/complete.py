"""Makes the missing runs of a study, wherever they are made, and keeps them."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator

from penstock.studies.chunk import Cell, Chunk, chunks
from penstock.studies.executor import Executor, Progress
from penstock.studies.store import Results

__all__ = ["complete"]


def complete(
    cells: Iterable[Cell],
    results: Results,
    executor: Executor,
    *,
    study: str = "",
    planned: int = 0,
    progress: Progress | None = None,
) -> None:
    """Make the runs of `cells` that `results` lacks. Finished ones are kept, whatever ends this.

    `planned` is the number of runs, for `progress`.
    """
    count = _Count(planned, progress)

    def left() -> Iterator[Chunk]:
        for chunk in chunks(cells, study):
            missing = chunk.missing(results)
            count.add(chunk.size - missing.size)
            if missing.size:
                yield missing

    for chunk, texts in executor.run(left(), count.add):
        results.put(chunk.rows(texts), chunk.scenarios())


class _Count:
    """Finished runs, of all threads."""

    def __init__(self, planned: int, progress: Progress | None) -> None:
        self.finished, self.planned, self.progress = 0, planned, progress
        self._lock = threading.Lock()

    def add(self, runs: int) -> None:
        with self._lock:
            self.finished += runs
            if self.progress is not None:
                self.progress(self.finished, max(self.planned, self.finished))
