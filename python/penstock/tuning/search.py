"""The search for settings: a tree of Parzen estimators for each scheme, or NSGA-II where aims compete.

All settings meet the same networks with the same seeds. One that is clearly worse than the best so far on the first
networks gets no further runs (racing). Everything is drawn from the seed, so a search repeats.

References:
    J. Bergstra, R. Bardenet, Y. Bengio, B. Kégl, "Algorithms for hyper-parameter optimization", NIPS 2011 (TPE).
    K. Deb et al., "A fast and elitist multiobjective genetic algorithm: NSGA-II", IEEE Trans. Evol. Comp. 6(2), 2002.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penstock.errors import PenstockError
from penstock.results.frames import package
from penstock.tuning.aim import Aim
from penstock.tuning.bench import Bench, Measured, Setting
from penstock.tuning.floors import below
from penstock.tuning.paste import rounded
from penstock.tuning.population import Draw
from penstock.tuning.space import Space, space_of

__all__ = ["Search", "objectives", "optimizer", "search"]

PER_ROUND = 6
"""Settings of a scheme in a round."""

FIRST = 2
"""Networks that every setting meets; the first one is the scenario as it is."""

GIVEN_UP = 0.25
"""A setting whose first runs cost this much more than the least mean so far gets no further runs."""


REFUSED = 50
"""Tries before a search for a setting that a scheme accepts is given up."""


@dataclass
class Search:
    """The search over the settings of one scheme, with the least mean cost so far: on all draws, on the first ones."""

    scheme: str
    fixed: dict[str, Any]
    space: Space
    study: Any
    best: float = np.inf
    best_first: float = np.inf

    def ask(self, bench: Bench) -> tuple[Any, Setting]:
        """The next setting to try. Those that the scheme refuses are left out, unless there is nothing else."""
        for _ in range(REFUSED):
            trial = self.study.ask()
            values = {
                knob.name: trial.suggest_categorical(knob.name, knob.choices)
                if knob.choices
                else trial.suggest_float(knob.name, knob.low, knob.high, log=True)
                for knob in self.space.knobs
            }
            parameters = rounded(self.scheme, self.space.parameters(values), self.fixed, bench.link)
            setting = Setting(self.scheme, parameters, "searched")
            if not below(self.scheme, parameters, bench.link, self.fixed) and bench.is_valid(setting):
                return trial, setting
            self.study.tell(trial, state=_failed())
        raise PenstockError(f"{self.scheme}: no valid setting was found in {REFUSED} tries; give more parameters")

    def tell(self, bench: Bench, trial: Any, result: Measured, draws: int) -> None:
        """Report a result. The cost of a setting that was given up is moved to the level of all networks."""
        costs = bench.costs(result)
        self.best_first = min(self.best_first, float(np.mean(costs[:FIRST])))
        cost = float(np.mean(costs))
        if len(costs) == draws:
            self.best = min(self.best, cost)
        elif np.isfinite(self.best):
            cost += max(0.0, self.best - self.best_first)
        self.study.tell(trial, objectives(bench, result) if bench.competing else cost)


def search(
    bench: Bench,
    schemes: Sequence[tuple[str, dict[str, Any]]],
    draws: Sequence[Draw],
    rounds: int,
    seed: int,
    has_time: Callable[[int], bool] = lambda runs: True,
) -> list[Measured]:
    """Every setting that was tried in this number of rounds; those not given up have met all of `draws`.

    `has_time` is asked before each round with the number of its runs, and ends the search with False.
    """
    searches = []
    for number, (scheme, fixed) in enumerate(schemes):
        space = space_of(scheme, bench.link, fixed)
        if space.knobs:
            searches.append(Search(scheme, fixed, space, _study(len(bench.competing), seed + number)))
    tried: dict[str, Measured] = {}
    for _ in range(rounds):
        if not has_time(len(searches) * PER_ROUND * len(draws)):
            break
        proposals = [(scheme_search, *scheme_search.ask(bench)) for scheme_search in searches for _ in range(PER_ROUND)]
        measured = _raced(bench, searches, proposals, draws)
        for (scheme_search, trial, setting), result in zip(proposals, measured, strict=True):
            scheme_search.tell(bench, trial, result, len(draws))
            tried.setdefault(setting.label, result)
    return list(tried.values())


def _raced(
    bench: Bench, searches: Sequence[Search], proposals: Sequence[tuple[Search, Any, Setting]], draws: Sequence[Draw]
) -> list[Measured]:
    """The settings on the first networks, or on all where those are not clearly worse than the best."""
    if not proposals:
        return []
    distinct = {setting.label: setting for _, _, setting in proposals}
    begun, rest = draws[:FIRST], draws[FIRST:]
    first = dict(zip(distinct, bench.measure([*distinct.values()], begun), strict=True))
    going = {
        setting.label: setting
        for scheme_search, _, setting in proposals
        if bench.costs(first[setting.label]).mean() < scheme_search.best_first + GIVEN_UP
    }
    if going and rest:
        further = bench.measure([*going.values()], rest)
        first |= {result.setting.label: first[result.setting.label].joined(result) for result in further}
    return [first[setting.label] for _, _, setting in proposals]


def objectives(bench: Bench, measured: Measured) -> list[float]:
    """Of the competing aims, the smaller the better; a missed bound makes all of them worse than any met one."""
    missed = max(0.0, measured.score - 1.0) if any(aim.bounded for aim in bench.aims) else 0.0
    return [_objective(bench, measured, aim) + 1e6 * missed for aim in bench.competing]


def _objective(bench: Bench, measured: Measured, aim: Aim) -> float:
    mean = float(np.nanmean(measured.values[aim.place or bench.link.place, aim.metric]))
    return mean if aim.side == "min" else -mean


def _study(competing: int, seed: int) -> Any:
    optuna = optimizer()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    if competing > 1:
        sampler: Any = optuna.samplers.NSGAIISampler(seed=seed, population_size=2 * PER_ROUND)
        return optuna.create_study(directions=["minimize"] * competing, sampler=sampler)
    sampler = optuna.samplers.TPESampler(
        seed=seed, n_startup_trials=2 * PER_ROUND, multivariate=True, constant_liar=True
    )
    return optuna.create_study(sampler=sampler)


def _failed() -> Any:
    """The state of a trial that was not measured."""
    return optimizer().trial.TrialState.FAIL


def optimizer() -> Any:
    """The package Optuna. Raises `MissingPackageError` if it is not installed."""
    return package("optuna", "the search of penstock tune")
