"""Runs with laws in Python on several cores: each worker is a fork of this process, with its laws."""

from __future__ import annotations

import multiprocessing
import signal
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from penstock import _native
from penstock.errors import RunError
from penstock.laws.python_law import LawError, raising

__all__ = ["run_in_processes"]


@dataclass(frozen=True)
class _Work:
    """The work of all workers, inherited by the fork."""

    scenarios: Sequence[str]
    seeds: Sequence[int]
    laws: Mapping[str, Any]


_work: _Work


def run_in_processes(
    scenarios: Sequence[str],
    seeds: Sequence[int],
    jobs: int,
    progress: Callable[[int], object] | None,
    laws: Mapping[str, Any],
) -> list[str]:
    """As `_native.run_many` with laws, on `jobs` processes; raises the error of the first failing run, by index."""
    global _work
    _work = _Work(scenarios, seeds, laws)
    others = set(multiprocessing.active_children())
    # Fork instead of starting new interpreters: forks have the laws defined in a notebook, and scripts need no __main__
    # guard.
    context = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_leave_interrupts)
    results: list[str] = []
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*fork.*", DeprecationWarning)
            answers = pool.map(_one, range(len(seeds)), chunksize=max(1, min(16, len(seeds) // (8 * jobs))))
        for text, errors, raised in answers:
            if errors is not None:
                raise ValueError(errors)
            if raised is not None:
                raise LawError(raised)
            results.append(text)
            if progress is not None:
                progress(len(results))
    except BrokenProcessPool:
        raise RunError("a process with a law in Python ended before its run did") from None
    finally:
        workers = set(multiprocessing.active_children()) - others
        pool.shutdown(wait=len(results) == len(seeds), cancel_futures=True)
        for worker in workers:
            worker.terminate()
            worker.join()
    return results


def _leave_interrupts() -> None:
    """Ctrl-C reaches every process; the parent ends the workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _one(number: int) -> tuple[str, str | None, str | None]:
    """The result, the errors, or the exception of the law."""
    try:
        with raising():
            text = _native.run_many([_work.scenarios[number]], [_work.seeds[number]], 1, None, dict(_work.laws))[0]
    except LawError as error:
        return "", None, str(error)
    except ValueError as error:
        return "", str(error), None
    return text, None, None
