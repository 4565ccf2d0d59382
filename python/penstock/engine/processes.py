"""Runs with AQMs in Python on several cores: each worker is a fork of this process, with its AQMs."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from penstock import _native
from penstock.aqms.python_aqm import AqmError, raise_aqm_errors
from penstock.errors import RunError

__all__ = ["run_in_processes"]


_PR_SET_PDEATHSIG = 1
"""linux/prctl.h"""


@dataclass(frozen=True)
class _Work:
    """The work of all workers, inherited by the fork."""

    scenarios: Sequence[str]
    seeds: Sequence[int]
    aqms: Mapping[str, Any]


_work: _Work


def run_in_processes(
    scenarios: Sequence[str],
    seeds: Sequence[int],
    jobs: int,
    progress: Callable[[int], object] | None,
    aqms: Mapping[str, Any],
) -> list[str]:
    """Like `_native.run_many` with AQMs, on `jobs` processes; raises the error of the first failing run, by index."""
    global _work
    _work = _Work(scenarios, seeds, aqms)
    others = set(multiprocessing.active_children())
    # Fork instead of starting new interpreters: forks have the AQMs defined in a notebook, and scripts need no __main__
    # guard.
    context = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(os.getpid(),))
    results: list[str] = []
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*fork.*", DeprecationWarning)
            answers = pool.map(_run_one, range(len(seeds)), chunksize=max(1, min(16, len(seeds) // (8 * jobs))))
        for text, errors, raised in answers:
            if errors is not None:
                raise ValueError(errors)
            if raised is not None:
                raise AqmError(raised)
            results.append(text)
            if progress is not None:
                progress(len(results))
    except BrokenProcessPool:
        raise RunError("a process with an AQM in Python ended before its run did") from None
    finally:
        workers = set(multiprocessing.active_children()) - others
        pool.shutdown(wait=len(results) == len(seeds), cancel_futures=True)
        for worker in workers:
            worker.terminate()
            worker.join()
    return results


def _begin(parent: int) -> None:
    """Start a worker: it ignores Ctrl-C, because the parent ends the workers, and it ends if the parent dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # prctl(2): the kernel kills this process when the thread that created it ends.
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def _run_one(number: int) -> tuple[str, str | None, str | None]:
    """The result, the errors, or the exception of the AQM."""
    try:
        with raise_aqm_errors():
            text = _native.run_many([_work.scenarios[number]], [_work.seeds[number]], 1, None, dict(_work.aqms))[0]
    except AqmError as error:
        return "", None, str(error)
    except ValueError as error:
        return "", str(error), None
    return text, None, None
