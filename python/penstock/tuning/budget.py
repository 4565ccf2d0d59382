"""The plan for a time budget: rounds of the search, and networks for the choice, the confirmation and the map."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from penstock.studies.run_time import expected_run_seconds, short_budget_error
from penstock.tuning.search import RACING_NETWORKS, SETTINGS_PER_ROUND

__all__ = ["MAP_SETTINGS", "BudgetClock", "SearchPlan"]

PLANS = ((8, 20, 20), (6, 14, 20), (4, 8, 20), (2, 4, 10))
"""Numbers of networks for the search, the choice and the confirmation, the largest plan first."""

MAX_ROUNDS = 20

MAP_POINTS, MAP_SETTINGS = 27, 2
"""Networks of the map, and the settings that run on them: the advised one, and the best of the others."""

FINALISTS = 2
"""Settings per scheme that are left after the search."""

VARIANTS = 6
"""Approximate number of simpler variants of a searched setting."""

SEARCHED_SHARE = 0.6
"""Average share of the networks after the racing ones on which a searched setting runs; poor settings are dropped."""


@dataclass(frozen=True)
class SearchPlan:
    """The plan of a search.

    Attributes:
        rounds: maximum number of rounds of the search.
        search_networks, choice_networks, confirmation_networks: numbers of networks on which settings run during the
            search, until the choice (including those of the search), and in the confirmation.
        expected_s: expected time of all runs on two cores.
        max_runs: maximum number of runs.
        fixed_runs: estimated number of runs outside the rounds of the search.

    """

    rounds: int
    search_networks: int
    choice_networks: int
    confirmation_networks: int
    expected_s: float
    max_runs: int
    fixed_runs: int

    @classmethod
    def plan(cls, seconds: float, events: float, searched: int, baselines: int) -> SearchPlan:
        """The largest plan that fits into this time in seconds.

        Args:
            seconds: the budget.
            events: expected events per run.
            searched: number of schemes with parameters to search.
            baselines: number of settings that are not searched: the present queue, defaults, rules, the reference.

        Raises `PenstockError` with the minimum budget if no plan fits.
        """
        run_s = expected_run_seconds(1, events)
        for networks in PLANS:
            fixed = _fixed(networks, searched, baselines)
            runs_per_round = (
                searched * SETTINGS_PER_ROUND * (RACING_NETWORKS + SEARCHED_SHARE * (networks[0] - RACING_NETWORKS))
            )
            rounds = math.floor((seconds / run_s - fixed) / runs_per_round) if runs_per_round else 0
            if rounds >= 1 or (not runs_per_round and fixed * run_s <= seconds):
                rounds = min(MAX_ROUNDS, rounds)
                runs = fixed + rounds * searched * SETTINGS_PER_ROUND * networks[0]
                return cls(rounds, *networks, (fixed + rounds * runs_per_round) * run_s, runs, fixed)
        raise short_budget_error(seconds, (fixed + runs_per_round) * run_s, "one round of the search")


def _fixed(networks: tuple[int, int, int], searched: int, baselines: int) -> int:
    """The number of runs outside the rounds of the search."""
    search, choice, confirmation = networks
    return (
        baselines * choice
        + FINALISTS * searched * (choice - search + VARIANTS * search)
        + (baselines + FINALISTS * searched) * confirmation
        + MAP_POINTS * MAP_SETTINGS
    )


class BudgetClock:
    """Elapsed time compared with the budget in seconds: a slow machine searches and chooses with fewer runs."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._started = time.monotonic()
        self.rounds = 0

    def is_behind(self, done: int, more: int) -> bool:
        """Whether `more` runs would exceed the budget, at the pace of the `done` ones."""
        elapsed = time.monotonic() - self._started
        return elapsed * (1 + more / max(done, 1)) > self.seconds

    def has_time(self, done: int, more: int, rest: int) -> bool:
        """Whether a round of `more` runs and the `rest` after it fit into the budget, at the pace of the `done` ones.

        The first round always does. Counts the round if it does.
        """
        if self.rounds and self.is_behind(done, more + rest):
            return False
        self.rounds += 1
        return True
