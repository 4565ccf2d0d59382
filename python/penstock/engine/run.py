"""Runs scenarios: one, or many on all cores."""

from __future__ import annotations

import copy
import json
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from penstock import _native
from penstock.errors import ErrorDetail, RunError, ScenarioError
from penstock.laws import python_law
from penstock.results.run import Run
from penstock.scenario.budget import Limits, check_budget
from penstock.scenario.resolve import Resolved
from penstock.scenario.scenario import ScenarioLike, as_document

__all__ = ["MAX_FLOWS", "cores", "count_flows", "engine_errors", "run", "run_batch"]

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
    """Run a scenario, or the scenario file of a path, once.

    `seed` replaces the scenario's own; `flows` says whether each flow has its own results (by default with up to 1000
    flows); `series` keeps watched queues, their laws and watched TCP senders over time. A run that is estimated to have
    more than `max_events` events (1e12) or to need more memory than `max_memory`, such as "64GiB" (80 % of what is
    available), is refused. Raises `ScenarioError` with every error.
    """
    document = as_document(scenario)
    resolved = document.resolve()
    for note in check_budget([resolved], Limits.parse(max_events, max_memory), document.origins):
        warnings.warn(note, stacklevel=2)
    wanted = resolved.shown["seed"] if seed is None else seed
    each = count_flows(resolved) <= MAX_FLOWS if flows is None else flows
    text = run_batch([resolved.for_engine(flows=each, series=series)], [wanted], jobs=1)[0]
    return Run.from_json(text, copy.deepcopy({**resolved.shown, "seed": wanted}))


def run_batch(
    scenarios: Sequence[str],
    seeds: Sequence[int],
    *,
    jobs: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> list[str]:
    """Run canonical scenarios on all cores (or `jobs`) and return their results as JSON texts, in order.

    A run with a law in Python holds the interpreter, so several such runs use processes.
    """
    laws = python_law.used(scenarios)
    jobs = min(jobs or cores(), max(len(seeds), 1))
    with engine_errors():
        if laws and jobs > 1:
            from penstock.engine.processes import run_in_processes

            return run_in_processes(scenarios, seeds, jobs, progress, laws)
        return _native.run_many(list(scenarios), list(seeds), jobs, progress, laws)


@contextmanager
def engine_errors() -> Iterator[None]:
    """Raise `ScenarioError` for a refused scenario, `RunError` for a defect, `LawError` for a failing Python law."""
    try:
        with python_law.raising():
            yield
    except ValueError as error:
        try:
            found = json.loads(str(error))
        except json.JSONDecodeError:
            raise RunError(str(error)) from None
        if all(not error["path"] for error in found):
            raise RunError("; ".join(error["message"] for error in found)) from None
        raise ScenarioError([ErrorDetail(error["path"], error["message"]) for error in found]) from None


def count_flows(resolved: Resolved) -> int:
    """Number of flows of a scenario."""
    return sum(entry["count"] for entry in resolved.canonical["traffic"])


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
