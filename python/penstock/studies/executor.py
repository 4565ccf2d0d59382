"""Where the runs of a study are executed: on threads of this machine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Protocol

from penstock.engine.run import engine_errors, run_batch
from penstock.studies.chunk import Chunk, execute_work, reduced_results
from penstock.studies.part import part_content

__all__ = ["Executor", "Progress", "ThreadExecutor", "execute_chunk"]

Progress = Callable[[int, int], object]
"""Called with the numbers of finished and of planned runs."""


class Executor(Protocol):
    """Executes the runs of chunks."""

    def run(self, chunks: Iterator[Chunk], progress: Callable[[int], object]) -> Iterator[tuple[Chunk, bytes]]:
        """Each chunk with the content of its part, in the order of completion.

        Takes chunks only as fast as they are run. `progress` is called with the number of further finished runs.
        """
        ...


class ThreadExecutor:
    """Threads of this process, each with its own chunk. Runs with an AQM in Python are executed in processes."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs

    def run(self, chunks: Iterator[Chunk], progress: Callable[[int], object]) -> Iterator[tuple[Chunk, bytes]]:
        """See `Executor`. After an error, or if the caller stops, the runs in progress are stopped."""
        stop = threading.Event()
        pool = ThreadPoolExecutor(self.jobs)
        running: dict[Future[bytes], Chunk] = {}
        try:
            for chunk in chunks:
                if chunk.has_python_aqms():
                    yield chunk, self._run_in_processes(chunk, progress)
                    continue
                running[pool.submit(execute_chunk, chunk, stop, progress)] = chunk
                # One chunk is kept waiting, so that no thread waits while a part is written.
                while len(running) > self.jobs:
                    yield from _complete(running)
            while running:
                yield from _complete(running)
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)

    def _run_in_processes(self, chunk: Chunk, progress: Callable[[int], object]) -> bytes:
        work = chunk.work()
        scenarios = [entry.scenario for entry in work for _ in entry.seeds]
        seeds = [seed for entry in work for seed in entry.seeds]
        texts = run_batch(scenarios, seeds, jobs=self.jobs, progress=_steps(progress))
        return part_content(chunk.head(), reduced_results(work, texts))


def _complete(running: dict[Future[bytes], Chunk]) -> Iterator[tuple[Chunk, bytes]]:
    finished = wait(running, return_when=FIRST_COMPLETED).done
    # Those without an error first, so that an error loses none of them.
    for future in sorted(finished, key=lambda future: future.exception() is not None):
        chunk = running.pop(future)
        yield chunk, future.result()


class _StoppedError(Exception):
    """The runs of this thread are no longer wanted."""


def execute_chunk(chunk: Chunk, stop: threading.Event, progress: Callable[[int], object]) -> bytes:
    """Execute the runs of a chunk in this thread, until `stop` is set. Returns the content of its part."""
    steps = _steps(progress)

    def report(finished: int) -> None:
        if stop.is_set():
            raise _StoppedError
        steps(finished)

    with engine_errors():
        results = execute_work(chunk.work(), report)
    return part_content(chunk.head(), results)


def _steps(progress: Callable[[int], object]) -> Callable[[int], None]:
    """Calls `progress` with the increase of a number of finished runs."""
    before = 0

    def report(finished: int) -> None:
        nonlocal before
        step, before = finished - before, finished
        progress(step)

    return report
