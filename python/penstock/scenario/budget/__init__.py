"""The budget of a run: its events and memory are estimated in advance and compared with limits.

A scenario that could fill the memory or simulate for days is refused before anything is run; the error names the part
of the scenario that needs most. A run that takes more than ten minutes, or much of the memory, is announced.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from penstock.errors import ErrorCollector, PenstockError, ScenarioError
from penstock.scenario.budget.estimate import RunEstimate, estimate_run
from penstock.scenario.captures import replay_notes
from penstock.scenario.resolve import Resolved
from penstock.units import UnitError, parse_size

__all__ = ["BudgetLimits", "check_budget"]

MAX_EVENTS = 1e12
"""Default limit of the events of one run: more than two days on one core."""

EVENTS_PER_SECOND = 5e6
"""Assumed events per second of one core; measured speeds lie between 4 and 20 million."""

LONG_SECONDS = 600.0
"""Duration in seconds above which a simulation is announced."""

MEMORY_SHARE = 0.8
"""Default limit of memory, as a fraction of the available memory."""

LARGE_SHARE = 0.5
"""Fraction of the memory limit above which the need for memory is announced."""

PER_RUN = 10_000
"""Bytes that a comparison stores per run."""


@dataclass(frozen=True)
class BudgetLimits:
    """Limits: the events of one run, and the bytes of memory of all concurrent runs; None for the defaults."""

    events: float | None = None
    memory: float | None = None

    @classmethod
    def parse(cls, events: float | None, memory: str | None) -> BudgetLimits:
        """The limits from a number and a size such as "64GiB". Raises `PenstockError` for anything else."""
        if events is not None and not events > 0:
            raise PenstockError(f"the limit of events must be above 0, not {events}")
        try:
            return cls(events, None if memory is None else parse_size(memory))
        except UnitError as error:
            raise PenstockError(f"the limit of memory: {error}") from None


@dataclass(frozen=True)
class _Need:
    """An estimated amount, the part of the scenario that contributes most to it, and the limit."""

    scenario_part: str
    amount: float
    limit: float


def check_budget(
    cases: Sequence[Resolved],
    limits: BudgetLimits,
    origins: Mapping[str, str] | None = None,
    *,
    runs: int = 1,
    threads: int = 1,
    traced: bool = False,
) -> list[str]:
    """Estimate `runs` runs of each of these scenarios on `threads` threads; `traced` runs keep their events in memory.

    Returns an announcement of each amount that is large, and the notes about replayed captures. Raises `ScenarioError`
    where an amount is beyond its limit; `origins` has the place where each key of the scenario is written.
    """
    estimates = [estimate_run(case, traced=traced) for case in cases]
    threads = max(1, min(threads, runs * len(cases)))
    events, memory = _events(estimates, limits), _memory(estimates, runs, threads, limits)
    errors = ErrorCollector(origins or {})
    if events.amount > events.limit:
        message = f"{_events_text(events)}; the limit is {events.limit:.3g}"
        errors.add(events.scenario_part, f"{message}: reduce this, or raise --max-events (in Python max_events)")
    if memory.amount > memory.limit:
        message = f"{_memory_text(memory)}; the limit is {_bytes(memory.limit)}"
        errors.add(memory.scenario_part, f"{message}: reduce this, or raise --max-memory (in Python max_memory)")
    if errors.details:
        raise ScenarioError(errors.details)
    notes = []
    seconds = runs * sum(each.total_events for each in estimates) / EVENTS_PER_SECOND / threads
    if seconds > LONG_SECONDS:
        notes.append(f"{events.scenario_part}: {_events_text(events)}" + _together(runs * len(cases), seconds))
    if memory.amount > LARGE_SHARE * memory.limit:
        notes.append(f"{memory.scenario_part}: {_memory_text(memory)}")
    return notes + replay_notes(form.canonical for case in cases for form in case.traffic)


def _events(estimates: Sequence[RunEstimate], limits: BudgetLimits) -> _Need:
    """Compares the largest run with the limit: a series of short runs can be interrupted and resumed."""
    largest = max(estimates, key=lambda estimate: estimate.total_events)
    limit = MAX_EVENTS if limits.events is None else limits.events
    return _Need(_main_part(largest.events), largest.total_events, limit)


def _memory(estimates: Sequence[RunEstimate], runs: int, threads: int, limits: BudgetLimits) -> _Need:
    largest = max(estimates, key=lambda estimate: estimate.total_memory)
    running, kept = threads * largest.total_memory, PER_RUN * runs * len(estimates)
    part = _main_part(largest.memory) if running > kept else "runs"
    return _Need(part, running + kept, _memory_limit() if limits.memory is None else limits.memory)


def _main_part(amounts: Mapping[str, float]) -> str:
    return max(amounts, key=amounts.__getitem__, default="duration")


def _memory_limit() -> float:
    available = available_memory()
    return math.inf if available is None else MEMORY_SHARE * available


def available_memory() -> float | None:
    """Bytes of memory still available to the process, from the machine or its control group; None if unknown."""
    limits = []
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        limits += [1024.0 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
        group = Path("/sys/fs/cgroup")
        most = (group / "memory.max").read_text(encoding="ascii").strip()
        if most != "max":
            limits.append(max(float(most) - float((group / "memory.current").read_text(encoding="ascii")), 0.0))
    except (OSError, ValueError):
        pass
    return min(limits, default=None)


def _events_text(need: _Need) -> str:
    time = _time(need.amount / EVENTS_PER_SECOND)
    return f"most of about {need.amount:.1e} events in a run, which takes {time}"


def _together(runs: int, seconds: float) -> str:
    return f"; the {runs} runs take {_time(seconds)}" if runs > 1 else ""


def _memory_text(need: _Need) -> str:
    return f"most of about {_bytes(need.amount)} of memory in all"


def _time(seconds: float) -> str:
    """A duration in words, to one or two digits."""
    for unit, length in (("years", 365.25 * 86400), ("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * length:
            number = seconds / length
            return f"about {number:.1e} {unit}" if number >= 1e4 else f"about {number:.0f} {unit}"
    return f"about {seconds:.0f} seconds" if seconds >= 1 else "less than a second"


def _bytes(size: float) -> str:
    for unit, length in (("TB", 1e12), ("GB", 1e9)):
        if size >= length:
            number = size / length
            return f"{number:.1e} {unit}" if number >= 1e4 else f"{number:.3g} {unit}"
    return f"{size / 1e6:.3g} MB"
