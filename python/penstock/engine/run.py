"""Runs scenarios: one, or many on all cores."""

from __future__ import annotations

import copy
import json
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral

from penstock import _native
from penstock.aqms import python_aqm
from penstock.engine.warmup import with_warmup
from penstock.errors import ErrorDetail, PenstockError, RunError, ScenarioError
from penstock.results.run import Run
from penstock.scenario.budget import BudgetLimits, check_budget
from penstock.scenario.document import ScenarioLike, as_document
from penstock.scenario.resolve import Resolved

__all__ = ["MAX_FLOWS", "core_count", "count_flows", "engine_errors", "run", "run_batch", "thread_count"]

MAX_FLOWS = 1000
"""Scenarios with at most this number of flows report each flow by default."""


def run(
    scenario: ScenarioLike,
    seed: int | None = None,
    *,
    flows: bool | None = None,
    series: bool = False,
    max_events: float | None = None,
    max_memory: str | None = None,
) -> Run:
    """Run a scenario, or the scenario file at a path, once.

    `seed` replaces the scenario's own; `flows`: whether each flow has its own results (by default with up to 1000
    flows); `series` keeps watched queues, their AQMs and watched TCP senders over time. A run that is estimated to have
    more than `max_events` events (1e12) or to need more memory than `max_memory`, such as "64GiB" (80 % of what is
    available), is refused. Raises `ScenarioError` with every error.
    """
    document = as_document(scenario)
    for note in check_budget([document.resolve()], BudgetLimits.parse(max_events, max_memory), document.origins):
        warnings.warn(note, stacklevel=2)
    resolved = with_warmup(document, run_batch).resolve()
    run_seed = resolved.readable["seed"] if seed is None else parse_seed(seed)
    each = count_flows(resolved) <= MAX_FLOWS if flows is None else flows
    text = run_batch([resolved.for_engine(flows=each, series=series)], [run_seed], jobs=1)[0]
    return Run.from_json(text, copy.deepcopy({**resolved.readable, "seed": run_seed}))


def parse_seed(value: object) -> int:
    """The value as a seed. Raises `PenstockError` for anything except a whole number from 0 to 2^63 - 1."""
    if isinstance(value, bool) or not isinstance(value, Integral) or not 0 <= int(value) < 2**63:
        raise PenstockError(f"seed={value!r}: must be a whole number from 0 to {2**63 - 1}")
    return int(value)


def run_batch(
    scenarios: Sequence[str],
    seeds: Sequence[int],
    *,
    jobs: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> list[str]:
    """Run canonical scenarios on all cores (or `jobs`) and return their results as JSON texts, in order.

    A run with an AQM in Python holds the interpreter, so several such runs use processes.
    """
    aqms = python_aqm.aqm_constructors(scenarios)
    jobs = min(thread_count(jobs), max(len(seeds), 1))
    with engine_errors():
        if aqms and jobs > 1:
            from penstock.engine.processes import run_in_processes

            return run_in_processes(scenarios, seeds, jobs, progress, aqms)
        return _native.run_many(list(scenarios), list(seeds), jobs, progress, aqms)


@contextmanager
def engine_errors() -> Iterator[None]:
    """Raise `ScenarioError` for a refused scenario, `RunError` for a defect, `AqmError` for a failing Python AQM."""
    try:
        with python_aqm.raise_aqm_errors():
            yield
    except ValueError as error:
        try:
            details = json.loads(str(error))
        except json.JSONDecodeError:
            raise RunError(str(error)) from None
        if all(not error["path"] for error in details):
            raise RunError("; ".join(error["message"] for error in details)) from None
        raise ScenarioError([ErrorDetail(error["path"], error["message"]) for error in details]) from None


def count_flows(resolved: Resolved) -> int:
    """Number of flows of a scenario."""
    return sum(entry["count"] for entry in resolved.canonical["traffic"])


def thread_count(jobs: int | None) -> int:
    """The number of threads: `jobs`, or all cores for None. Raises `PenstockError` for anything below 1."""
    if jobs is None:
        return core_count()
    if isinstance(jobs, bool) or not isinstance(jobs, Integral) or jobs < 1:
        raise PenstockError(f"jobs={jobs!r}: must be a whole number, at least 1")
    return int(jobs)


def core_count() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
