"""How long runs take on the two cores of a small machine, as the plans of time budgets expect."""

from __future__ import annotations

import math

from penstock.errors import PenstockError

__all__ = ["expected_run_seconds", "short_budget_error"]

EVENTS_PER_S, PER_RUN_S = 3e6, 0.004
"""Events per second, and the fixed time per run in seconds. Both are pessimistic: every machine that keeps up with the
plan makes the same runs for a budget."""


def expected_run_seconds(runs: int, events: float) -> float:
    """Expected time in seconds of runs with this number of events in total."""
    return PER_RUN_S * runs + events / EVENTS_PER_S


def short_budget_error(seconds: float, minimum_s: float, aim: str) -> PenstockError:
    """The error for a budget that is too short for an aim, with the minimum rounded up to two significant digits."""
    digits = 10.0 ** (math.floor(math.log10(minimum_s)) - 1)
    minimum = math.ceil(minimum_s / digits) * digits
    return PenstockError(f"a budget of {seconds:.3g}s is too short for {aim}; at least {minimum:g}s is needed")
