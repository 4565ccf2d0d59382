"""The search for settings: a tree of Parzen estimators for each scheme, or NSGA-II where aims compete.

All settings run on the same networks with the same seeds. A setting that is clearly worse than the best so far on the
first networks gets no further runs (racing). All random choices derive from the seed, so a search is repeatable.

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
from penstock.results.frames import import_optional_package
from penstock.tuning.aim import Aim
from penstock.tuning.bench import MeasuredSetting, Setting, TuningBench
from penstock.tuning.floors import violated_floors
from penstock.tuning.paste import round_to_tc_values
from penstock.tuning.population import NetworkDraw
from penstock.tuning.space import Space, search_space

__all__ = ["SchemeSearch", "import_optuna", "objectives", "search"]

SETTINGS_PER_ROUND = 6
"""Settings per scheme and round."""

RACING_NETWORKS = 2
"""Networks on which every setting runs; the first one is the unchanged scenario."""

RACING_MARGIN = 0.25
"""A setting whose mean cost on the first networks exceeds the least one so far by this gets no further runs."""

MAX_TRIES = 50
"""Tries to find a setting that the scheme accepts."""


@dataclass
class SchemeSearch:
    """The search over the settings of one scheme.

    Attributes:
        scheme: its name.
        fixed: parameters that the user has given.
        space: the parameters to search.
        study: the Optuna study.
        best_cost: least mean cost so far of a setting with runs on all networks.
        best_racing_cost: least mean cost so far on the first networks.

    """

    scheme: str
    fixed: dict[str, Any]
    space: Space
    study: Any
    best_cost: float = np.inf
    best_racing_cost: float = np.inf

    def next_setting(self, bench: TuningBench) -> tuple[Any, Setting]:
        """The next setting to try, as trial and setting.

        Settings that violate a floor or that the scheme refuses are skipped. Raises `PenstockError` after `MAX_TRIES`.
        """
        for _ in range(MAX_TRIES):
            trial = self.study.ask()
            values = {
                knob.name: trial.suggest_categorical(knob.name, knob.choices)
                if knob.choices
                else trial.suggest_float(knob.name, knob.low, knob.high, log=True)
                for knob in self.space.knobs
            }
            parameters = round_to_tc_values(self.scheme, self.space.parameters(values), self.fixed, bench.link)
            setting = Setting(self.scheme, parameters, "searched")
            if not violated_floors(self.scheme, parameters, bench.link, self.fixed) and bench.is_valid(setting):
                return trial, setting
            self.study.tell(trial, state=_fail_state())
        raise PenstockError(f"{self.scheme}: no valid setting found in {MAX_TRIES} tries; give more parameters")

    def tell(self, bench: TuningBench, trial: Any, result: MeasuredSetting, draws: int) -> None:
        """Report a result to the study.

        The cost of a setting without runs on all networks is shifted by the difference between all and the first ones.
        """
        costs = bench.search_costs(result)
        self.best_racing_cost = min(self.best_racing_cost, float(np.mean(costs[:RACING_NETWORKS])))
        cost = float(np.mean(costs))
        if len(costs) == draws:
            self.best_cost = min(self.best_cost, cost)
        elif np.isfinite(self.best_cost):
            cost += max(0.0, self.best_cost - self.best_racing_cost)
        self.study.tell(trial, objectives(bench, result) if bench.competing_aims else cost)


def search(
    bench: TuningBench,
    schemes: Sequence[tuple[str, dict[str, Any]]],
    draws: Sequence[NetworkDraw],
    rounds: int,
    seed: int,
    has_time: Callable[[int], bool] = lambda runs: True,
) -> list[MeasuredSetting]:
    """Every setting that was tried in this number of rounds; the survivors of the race have runs on all of `draws`.

    `has_time` is called before each round with the maximum number of its runs; if it returns False, the search ends.
    Raises `PenstockError` if a scheme accepts none of its proposals.
    """
    searches = []
    for number, (scheme, fixed) in enumerate(schemes):
        space = search_space(scheme, bench.link, fixed)
        if space.knobs:
            searches.append(SchemeSearch(scheme, fixed, space, _study(len(bench.competing_aims), seed + number)))
    tried: dict[str, MeasuredSetting] = {}
    for _ in range(rounds):
        if not has_time(len(searches) * SETTINGS_PER_ROUND * len(draws)):
            break
        proposals = [
            (scheme_search, *scheme_search.next_setting(bench))
            for scheme_search in searches
            for _ in range(SETTINGS_PER_ROUND)
        ]
        measured = _raced(bench, searches, proposals, draws)
        for (scheme_search, trial, setting), result in zip(proposals, measured, strict=True):
            scheme_search.tell(bench, trial, result, len(draws))
            tried.setdefault(setting.label, result)
    return list(tried.values())


def _raced(
    bench: TuningBench,
    searches: Sequence[SchemeSearch],
    proposals: Sequence[tuple[SchemeSearch, Any, Setting]],
    draws: Sequence[NetworkDraw],
) -> list[MeasuredSetting]:
    """The proposed settings, measured on all networks or, if clearly worse than the best, on the first ones."""
    if not proposals:
        return []
    distinct = {setting.label: setting for _, _, setting in proposals}
    first_draws, other_draws = draws[:RACING_NETWORKS], draws[RACING_NETWORKS:]
    results = dict(zip(distinct, bench.measure([*distinct.values()], first_draws), strict=True))
    survivors = {
        setting.label: setting
        for scheme_search, _, setting in proposals
        if bench.search_costs(results[setting.label]).mean() < scheme_search.best_racing_cost + RACING_MARGIN
    }
    if survivors and other_draws:
        further = bench.measure([*survivors.values()], other_draws)
        results |= {result.setting.label: results[result.setting.label].with_runs_of(result) for result in further}
    return [results[setting.label] for _, _, setting in proposals]


def objectives(bench: TuningBench, measured: MeasuredSetting) -> list[float]:
    """The objectives of the competing aims, to be minimized. A missed bound adds a penalty to all of them."""
    missed = max(0.0, measured.mean_score - 1.0) if any(aim.has_bound for aim in bench.aims) else 0.0
    return [_objective(bench, measured, aim) + 1e6 * missed for aim in bench.competing_aims]


def _objective(bench: TuningBench, measured: MeasuredSetting, aim: Aim) -> float:
    mean = float(np.nanmean(measured.values(aim.place or bench.link.place, aim.metric)))
    return mean if aim.side == "min" else -mean


def _study(competing: int, seed: int) -> Any:
    optuna = import_optuna()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    if competing > 1:
        sampler: Any = optuna.samplers.NSGAIISampler(seed=seed, population_size=2 * SETTINGS_PER_ROUND)
        return optuna.create_study(directions=["minimize"] * competing, sampler=sampler)
    sampler = optuna.samplers.TPESampler(
        seed=seed, n_startup_trials=2 * SETTINGS_PER_ROUND, multivariate=True, constant_liar=True
    )
    return optuna.create_study(sampler=sampler)


def _fail_state() -> Any:
    """The Optuna state of a trial that was not measured."""
    return import_optuna().trial.TrialState.FAIL


def import_optuna() -> Any:
    """The package Optuna. Raises `MissingPackageError` if it is not installed."""
    return import_optional_package("optuna", "the search of penstock tune")
