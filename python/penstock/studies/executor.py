"""Runs many jobs in parts, so that finished ones can be stored while others run."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from penstock.engine.run import run_batch

__all__ = ["Job", "Progress", "job_key", "run_in_parts"]

Progress = Callable[[int, int], object]
"""Called with the numbers of finished and of planned runs."""

PART_SECONDS = 5.0
"""Seconds of work in one part, which is the most that an interruption loses."""

MAX_PART = 4096
"""Maximum number of runs in one part, whose results are held in memory until the part is complete."""


@dataclass(frozen=True)
class Job:
    """One run: the number of its case in a plan, its seed, and the key of its result."""

    case: int
    seed: int
    key: str


def job_key(content: str, seed: int) -> str:
    """The key of a run: of the scenario identified by `content`, with this seed."""
    return hashlib.sha256(f"{content}:{seed}".encode()).hexdigest()[:32]


def run_in_parts(
    jobs: Sequence[Job],
    scenario_of: Callable[[int], str],
    threads: int,
    progress: Callable[[int], object] | None = None,
) -> Iterator[list[tuple[Job, str]]]:
    """Run jobs and yield them with their results, a part at a time.

    `scenario_of` gives the canonical scenario of a case; `progress` is called with the number of finished jobs.
    """
    done, size = 0, 2 * threads
    while done < len(jobs):
        part = jobs[done : done + size]
        texts = {case: scenario_of(case) for case in {job.case for job in part}}
        begun, before = time.monotonic(), done

        def report(finished: int, before: int = before) -> None:
            if progress is not None:
                progress(before + finished)

        results = run_batch(
            [texts[job.case] for job in part], [job.seed for job in part], jobs=threads, progress=report
        )
        pace = (time.monotonic() - begun) / len(part)
        done, size = done + len(part), max(2 * threads, min(MAX_PART, int(PART_SECONDS / max(pace, 1e-6))))
        yield list(zip(part, results, strict=True))
