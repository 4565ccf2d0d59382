"""What a budget of time allows: rounds of the search, and networks for the choice, the confirmation and the map."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from penstock.errors import PenstockError
from penstock.tuning.search import FIRST, PER_ROUND

__all__ = ["MAP_SETTINGS", "Budget", "Clock"]

EVENTS_PER_S, PER_RUN_S = 3e6, 0.004
"""Events that the two cores of a small machine handle in a second, and the time of a run beside them: rather too slow
than too fast, since a budget gives the same runs on every machine that keeps up with the plan."""

PLANS = ((8, 20, 20), (6, 14, 20), (4, 8, 20), (2, 4, 10))
"""Networks of the search, of the choice and of the confirmation, the largest plan first."""

MOST_ROUNDS = 20

MAP_POINTS, MAP_SETTINGS = 27, 2
"""Networks of the map, and the settings that meet them: the advised one, and the best of the others."""

FINALISTS = 2
"""Settings of a scheme that are left after the search."""

VARIANTS = 6
"""Simpler variants of a searched setting, about."""

SEARCHED_PART = 0.6
"""Part of the networks that a searched setting meets on average; the others are given up."""


@dataclass(frozen=True)
class Budget:
    """The plan of a search.

    Attributes:
        rounds: of the search, at most.
        search, choice, confirmation: networks that settings meet while they are searched, before one is chosen (those
            of the search included), and in the confirmation.
        seconds: the expected time of all runs on two cores.
        runs: their largest number.
        fixed: those beside the rounds.

    """

    rounds: int
    search: int
    choice: int
    confirmation: int
    seconds: float
    runs: int
    fixed: int

    @classmethod
    def plan(cls, seconds: float, events: float, searched: int, plain: int) -> Budget:
        """The largest plan that fits.

        `events` are those of a run, `searched` the schemes with something to search, and `plain` the defaults, rules
        and references. Raises `PenstockError` with the least time if no plan fits.
        """
        a_run = PER_RUN_S + events / EVENTS_PER_S
        for networks in PLANS:
            fixed = _fixed(networks, searched, plain)
            a_round = searched * PER_ROUND * (FIRST + SEARCHED_PART * (networks[0] - FIRST))
            rounds = math.floor((seconds / a_run - fixed) / a_round) if a_round else 0
            if rounds >= 1 or (not a_round and fixed * a_run <= seconds):
                rounds = min(MOST_ROUNDS, rounds)
                runs = fixed + rounds * searched * PER_ROUND * networks[0]
                return cls(rounds, *networks, (fixed + rounds * a_round) * a_run, runs, fixed)
        least = (fixed + a_round) * a_run
        raise PenstockError(
            f"--budget: {seconds:.3g} s are too few for one round of the search; {_rounded_up(least)} are needed"
        )


def _fixed(networks: tuple[int, int, int], searched: int, plain: int) -> int:
    """The runs beside the rounds of the search."""
    search, choice, confirmation = networks
    return (
        plain * choice
        + FINALISTS * searched * (choice - search + VARIANTS * search)
        + (plain + FINALISTS * searched) * confirmation
        + MAP_POINTS * MAP_SETTINGS
    )


def _rounded_up(seconds: float) -> str:
    """A time that is not shorter, in two digits."""
    digits = 10.0 ** (math.floor(math.log10(seconds)) - 1)
    return f"{math.ceil(seconds / digits) * digits:g}s"


class Clock:
    """Real time against the plan: a machine that is slower than planned searches and chooses with fewer runs."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._begun = time.monotonic()
        self.rounds = 0

    def is_behind(self, done: int, more: int) -> bool:
        """Whether `more` runs would end late, at the speed of those that are done."""
        elapsed = time.monotonic() - self._begun
        return elapsed * (1 + more / max(done, 1)) > self.seconds

    def has_time(self, done: int, more: int, rest: int) -> bool:
        """Whether a round of `more` runs and then `rest` end in time, at the speed of those that are done.

        The first round is always made.
        """
        if self.rounds and self.is_behind(done, more + rest):
            return False
        self.rounds += 1
        return True
