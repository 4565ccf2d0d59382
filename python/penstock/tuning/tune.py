"""`tune`: search settings, choose one, and confirm it on fresh networks together with defaults and rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from penstock.engine.run import thread_count
from penstock.errors import ErrorDetail, ScenarioError, append_errors_to
from penstock.results.estimate import summarize
from penstock.results.simultaneous import adjusted_alpha
from penstock.scenario.budget.estimate import estimate_run
from penstock.scenario.document import Document, ScenarioLike, as_document
from penstock.scenario.loaded_link import LoadedLink
from penstock.scenario.resolve import Resolved
from penstock.scenario.resolve.codepoints import codepoint_names
from penstock.studies.candidate import Candidate, SchemeLike
from penstock.studies.executor import Progress
from penstock.studies.pilots import with_warmups
from penstock.studies.plan import (
    ComparisonPlan,
    check_places,
    own_queue,
    with_default_watches,
    with_fixed_queue_sizes,
    with_fixed_sizes,
)
from penstock.studies.store import RunResults
from penstock.tuning.advice import Advice, ConfirmedSetting
from penstock.tuning.aim import Aim, parse_aims
from penstock.tuning.bench import MeasuredSetting, Setting, TuningBench
from penstock.tuning.budget import MAP_SETTINGS, BudgetClock, SearchPlan
from penstock.tuning.capture import with_capture
from penstock.tuning.choice import ENOUGH, attainable_networks, choose_setting, count_successes
from penstock.tuning.departure import departure_from_defaults
from penstock.tuning.floors import violated_floors
from penstock.tuning.paste import round_to_tc_values
from penstock.tuning.population import NetworkDraw, Population, tuned_places
from penstock.tuning.robustness_map import measure_map
from penstock.tuning.rules import design_rules
from penstock.tuning.search import import_optuna, objectives, search
from penstock.tuning.simplification import simplify_settings
from penstock.tuning.space import search_space
from penstock.tuning.unmet import measure_unlimited_queue

__all__ = ["DRAW_OFFSET", "create_bench", "parse_request", "tune"]

DRAW_OFFSET = 1_000_000
"""Offset of the numbers of the confirmation networks; those of the map start at twice this number."""

MAX_FRONT_SIZE = 8
"""Maximum number of settings of a Pareto front that are confirmed."""

REFERENCE = "fq-codel"
"""Measured in addition to the requested schemes, to show whether any queue could meet the aims."""

EXTRA_LOSS, LOSS_FACTOR = 0.05, 2.0
"""Without an aim about loss, an advised setting loses at most twice the share that the present queue loses, plus 5
percentage points (own decision). A short queue costs some loss, but for delay alone a buffer that drops a
quarter of the packets would be best."""


def tune(
    scenario: ScenarioLike,
    aims: str | Iterable[str],
    schemes: SchemeLike | Iterable[SchemeLike],
    *,
    at: str | None = None,
    budget_s: float = 150.0,
    jobs: int | None = None,
    progress: Progress | None = None,
    store: RunResults | None = None,
    capture: str | Path | None = None,
    forecast: Callable[[SearchPlan], object] | None = None,
) -> Advice:
    """Find settings that meet the aims on a link, and confirm them on fresh networks.

    The scenario is the centre of a population of networks, which differ in seed, rate, number of flows, round trip and
    congestion controls (`penstock.tuning.population`).

    Args:
        scenario: the link and its load, as a scenario or the path of its file.
        aims: one or several, such as "delay p99 < 20ms", "calls.loss < 0.1%", "utilization > 95%", "min delay". For
            several aims without bounds and weights, the Pareto front is advised.
        schemes: one or several schemes that the router offers; parameters given here stay fixed.
        at: the link whose queue is tuned; by default the first watched one, in both directions where both are watched.
        budget_s: time of all runs on two cores, in seconds; it sets the numbers of settings and networks. On a slower
            machine the search ends early.
        jobs: number of threads; by default all cores.
        progress: called with the number of finished runs and the expected maximum.
        store: keeps finished runs, so that an interrupted search resumes.
        capture: a pcap or pcapng file that is replayed over the link alongside the scenario's own traffic, as the
            traffic `capture`.
        forecast: called with the plan before the first run.

    Raises `ScenarioError` with all errors of the request, `PenstockError` if no link is watched, if the link does not
    have the metric of an aim, or if the budget is too small for one round, and `MissingPackageError` without Optuna.
    """
    document = as_document(scenario)
    if capture is not None:
        document = with_capture(document, capture, at)
    bench, candidates = create_bench(document, aims, schemes, at=at, jobs=jobs, progress=progress, store=store)
    return _Tuning(bench, candidates, bench.population.document.resolve(), budget_s, forecast).advice()


def create_bench(
    document: Document,
    aims: str | Iterable[str],
    schemes: SchemeLike | Iterable[SchemeLike],
    *,
    at: str | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    store: RunResults | None = None,
) -> tuple[TuningBench, tuple[Candidate, ...]]:
    """The bench that measures settings on networks around a scenario, and the schemes; arguments as for `tune`.

    Raises `ScenarioError` with all errors of the request, and `PenstockError` as `tune` does.
    """
    threads = thread_count(jobs)
    resolved, places, candidates, parsed_aims = parse_request(document, schemes, aims, at)
    import_optuna()  # reports a missing package before the first run
    document = with_default_watches(_with_warmup(document, candidates, places, jobs), resolved)
    document = with_fixed_queue_sizes(document, places)
    candidates = tuple(with_fixed_sizes(candidate, document, places[0]) for candidate in candidates)
    resolved = document.resolve()
    links = [LoadedLink.from_scenario(resolved, place) for place in places]
    population = Population(document, places, int(resolved.readable["seed"]))
    bench = TuningBench(population, links, parsed_aims, results=store, threads=threads, progress=progress)
    return bench, candidates


def _with_warmup(document: Document, candidates: Sequence[Candidate], places: list[str], jobs: int | None) -> Document:
    """The scenario with a warm-up of "auto" replaced by the result of pilot runs of its own queue and all schemes."""
    plan = ComparisonPlan.resolve_cases(document, candidates, at=places)
    cells = [("", "its own queue", document), *(("", case.label, case.document) for case in plan.cases)]
    return with_warmups(cells, jobs)[0]


def parse_request(
    document: Document, schemes: SchemeLike | Iterable[SchemeLike], aims: str | Iterable[str], at: str | None
) -> tuple[Resolved, list[str], tuple[Candidate, ...], tuple[Aim, ...]]:
    """The resolved scenario, the tuned links, candidates and aims. Raises `ScenarioError` with the errors of all."""
    errors: list[ErrorDetail] = []
    aim_errors: list[ErrorDetail] = []
    with append_errors_to(errors):
        resolved = document.resolve()
        places = [at] if at is not None else tuned_places(resolved)
        named: Mapping[str, Iterable[str]] = {
            "links": [*places, *resolved.watched],
            "traffic": resolved.readable["traffic"],
            "dscp": codepoint_names(resolved.canonical["traffic"]),
        }
        with append_errors_to(aim_errors):
            parsed_aims = parse_aims([aims] if isinstance(aims, str) else aims, named)
        check_places(document, places)
    with append_errors_to(errors):
        candidates = Candidate.from_schemes(schemes)
    if errors or aim_errors:
        raise ScenarioError([*errors, *aim_errors])
    return resolved, places, candidates, parsed_aims


class _Tuning:
    """The steps of one call of `tune`."""

    def __init__(
        self,
        bench: TuningBench,
        candidates: Sequence[Candidate],
        resolved: Resolved,
        budget_s: float,
        forecast: Callable[[SearchPlan], object] | None,
    ) -> None:
        self.bench, self.resolved = bench, resolved
        self.schemes = [(candidate.name, dict(candidate.params)) for candidate in candidates]
        self.baselines = _baselines(bench, candidates)
        searched = sum(bool(search_space(name, bench.link, fixed).knobs) for name, fixed in self.schemes)
        self.budget = SearchPlan.plan(budget_s, estimate_run(resolved).total_events, searched, len(self.baselines))
        self.clock = BudgetClock(budget_s)
        bench.planned = self.budget.max_runs
        if forecast is not None:
            forecast(self.budget)
        self.max_loss = math.inf
        self.search_draws = self._draws(0, self.budget.search_networks)
        self.extra_draws = self._draws(self.budget.search_networks, self.budget.choice_networks)

    def _draws(self, first: int, end: int) -> list[NetworkDraw]:
        return [self.bench.population.draw(number) for number in range(first, end)]

    def advice(self) -> Advice:
        bench = self.bench
        baselines = bench.measure(self.baselines, self.search_draws)
        self.max_loss = self._max_loss(baselines[0])
        seed = bench.population.seed
        searched = search(bench, self.schemes, self.search_draws, self.budget.rounds, seed, self._has_time)
        chosen, pool = self._choose(baselines, searched)
        draws = self._draws(DRAW_OFFSET, DRAW_OFFSET + self.budget.confirmation_networks)
        advised, confirmed = self._confirm(chosen, pool, draws)
        has_map = any(aim.has_bound for aim in bench.aims) and len(advised) == 1
        met = [(entry.measured, entry.met) for entry in confirmed]
        return Advice(
            scenario=self.resolved.readable,
            links=bench.links,
            aims=bench.aims,
            advised=advised,
            confirmed=confirmed,
            tried=(*baselines, *searched),
            draws=tuple(draws),
            map=measure_map(bench, advised[0], _alternative(confirmed), 2 * DRAW_OFFSET) if has_map else (),
            reverse_settings=tuple(bench.reverse_setting(each, link) for link in bench.links[1:] for each in advised),
            unlimited_queue=None if len(advised) > 1 else measure_unlimited_queue(bench, met, draws),
            runs=bench.runs_of([entry.measured for entry in confirmed]),
            all_runs=bench.all_runs,
            run_count=bench.run_count,
            rounds=self.clock.rounds,
        )

    def _max_loss(self, present: MeasuredSetting) -> float:
        """The largest loss rate of an advised setting; infinite if an aim is about the loss of the tuned link."""
        place = self.bench.link.place
        if any(aim.metric == "loss_rate" and aim.place in (None, place) for aim in self.bench.aims):
            return math.inf
        return EXTRA_LOSS + LOSS_FACTOR * float(np.nanmean(present.values(place, "loss_rate")))

    def _has_time(self, more: int) -> bool:
        rest = self.budget.fixed_runs - len(self.baselines) * len(self.search_draws)
        return self.clock.has_time(self.bench.run_count, more, rest)

    def _choose(
        self, baselines: Sequence[MeasuredSetting], searched: Sequence[MeasuredSetting]
    ) -> tuple[tuple[Setting, ...], list[MeasuredSetting]]:
        """The settings to advise, and the pool from which they were chosen, measured on all networks of the choice."""
        if self.bench.competing_aims:
            allowed = [each for each in (*baselines, *searched) if not self._barred(each)]
            return _front(self.bench, allowed), list(baselines)
        complete = [each for each in searched if len(each.scores) == len(self.search_draws)]
        names = dict.fromkeys(each.setting.scheme for each in complete)
        finalists = [
            best for name in names for best in self._finalists([m for m in complete if m.setting.scheme == name])
        ]
        simplified = (
            simplify_settings(self.bench, finalists, dict(self.schemes), self.search_draws) if finalists else []
        )
        labels = {each.setting.label for each in baselines}
        new = {each.setting.label: each for each in simplified if each.setting.label not in labels}
        pool = [*baselines, *new.values()]
        rest = (len(pool) + MAP_SETTINGS) * self.budget.confirmation_networks
        rest += len(pool) * len(self.extra_draws)
        if self.extra_draws and not self.clock.is_behind(self.bench.run_count, rest):
            further = self.bench.measure([each.setting for each in pool], self.extra_draws)
            pool = [each.with_runs_of(more) for each, more in zip(pool, further, strict=True)]
        return (self._best(pool).setting,), pool

    def _finalists(self, measured: Sequence[MeasuredSetting]) -> list[MeasuredSetting]:
        """Of the settings of a scheme, the one with the least cost and, if it differs, the one with the best score."""
        cheapest = min(measured, key=lambda each: float(self.bench.search_costs(each).mean()))
        best = min(measured, key=lambda each: each.mean_score)
        return [cheapest] if best is cheapest else [cheapest, best]

    def _best(self, pool: Sequence[MeasuredSetting]) -> MeasuredSetting:
        """The setting to advise, of those that are not barred."""
        allowed = [each for each in pool if not self._barred(each)]
        link = self.bench.link
        departures = {
            m.setting.label: departure_from_defaults(m.setting.scheme, m.setting.parameters, link) for m in allowed
        }
        return choose_setting(allowed, self.bench.aims, link.place, departures)

    def _barred(self, measured: MeasuredSetting) -> list[str]:
        """Reasons not to advise a setting, whatever its results; nothing bars the present queue."""
        setting, place = measured.setting, self.bench.link.place
        if setting.origin == "present":
            return []
        given = dict(self.schemes).get(setting.scheme, {})
        reasons = violated_floors(setting.scheme, setting.parameters, self.bench.link, given)
        loss = float(np.nanmean(measured.values(place, "loss_rate")))
        if loss > self.max_loss:
            reasons.append(
                f"loses {100 * loss:.2g} % of the packets, more than the limit of {100 * self.max_loss:.2g} % for "
                "this link"
            )
        return reasons

    def _confirm(
        self, chosen: tuple[Setting, ...], pool: Sequence[MeasuredSetting], draws: Sequence[NetworkDraw]
    ) -> tuple[tuple[Setting, ...], tuple[ConfirmedSetting, ...]]:
        """The settings to advise, and all settings of the pool measured on fresh networks, the advised ones first.

        A single chosen setting gives way to the best one on all networks, old and fresh, if that meets the aims on the
        fresh ones, or if the chosen one does not or is barred; then only settings that meet them on the fresh networks
        count, if there are any. All networks decide what is barred.
        """
        labels = {setting.label for setting in chosen}
        settings = [*chosen, *(each.setting for each in pool if each.setting.label not in labels)]
        measured = self.bench.measure(settings, draws, "confirmation")
        fresh = {each.setting.label: each for each in measured}
        both = [each.with_runs_of(fresh[each.setting.label]) for each in pool]
        barred = {each.setting.label: reasons for each in both if (reasons := self._barred(each))}
        allowed = [each for each in measured if each.setting.label not in barred]
        if len(chosen) == 1:
            first = chosen[0].label
            is_worse = first in barred or not count_successes(fresh[first], allowed).is_sufficient
            proven = [
                each
                for each in allowed
                if count_successes(each, allowed).is_sufficient and each.setting.origin != "reference"
            ]
            labels = {each.setting.label for each in proven if is_worse}
            best = self._best([each for each in both if each.setting.label in labels] or both).setting.label
            if is_worse or count_successes(fresh[best], allowed).is_sufficient:
                measured.sort(key=lambda each: each.setting.label != best)
                chosen = (measured[0].setting,)
        differences = np.column_stack([each.scores - measured[0].scores for each in measured])
        alpha = adjusted_alpha(differences)
        return chosen, tuple(
            ConfirmedSetting(
                each,
                _met(self.bench, each, allowed),
                count_successes(each, allowed),
                summarize(column.tolist(), alpha),
                tuple(barred.get(each.setting.label, ())),
            )
            for each, column in zip(measured, differences.T, strict=True)
        )


def _baselines(bench: TuningBench, schemes: Sequence[Candidate]) -> list[Setting]:
    """The settings that are not searched: the present queue, the candidates as given, their rules, and a reference.

    Rules that contradict a given parameter are left out.
    """
    queue = dict(own_queue(bench.population.document, bench.link.place))
    present = Setting(queue.pop("scheme"), {key: value for key, value in queue.items() if key != "share"}, "present")
    settings = [present]
    for candidate in schemes:
        is_present = (
            candidate.name == present.scheme and not candidate.params and not present.parameters.keys() - {"limit"}
        )
        if not is_present:
            origin = "given" if candidate.params else "default"
            settings.append(Setting(candidate.name, dict(candidate.params), origin))
    for candidate in schemes:
        for rule in design_rules(candidate.name, bench.link):
            parameters = round_to_tc_values(
                candidate.name, {**rule.parameters, **candidate.params}, candidate.params, bench.link
            )
            setting = Setting(candidate.name, parameters, rule.source)
            agrees = all(candidate.params.get(name, value) == value for name, value in rule.parameters.items())
            if agrees and bench.is_valid(setting):
                settings.append(setting)
    if all(setting.scheme != REFERENCE for setting in settings):
        settings.append(Setting(REFERENCE, {}, "reference"))
    first_of_label = {setting.label: setting for setting in reversed(settings)}
    return [setting for setting in settings if first_of_label[setting.label] is setting]


def _front(bench: TuningBench, tried: Sequence[MeasuredSetting]) -> tuple[Setting, ...]:
    """The Pareto front of these settings, thinned out to at most `MAX_FRONT_SIZE`."""
    run_count = max(len(measured.scores) for measured in tried)
    complete = [each for each in tried if len(each.scores) == run_count and each.setting.origin != "reference"]
    points = np.array([objectives(bench, measured) for measured in complete])
    front = [
        measured
        for measured, point in zip(complete, points, strict=True)
        if not ((points <= point).all(axis=1) & (points < point).any(axis=1)).any()
    ]
    front.sort(key=lambda measured: objectives(bench, measured)[0])
    spread = np.unique(np.linspace(0, len(front) - 1, min(MAX_FRONT_SIZE, len(front))).round().astype(int))
    return tuple(front[number].setting for number in spread)


def _met(bench: TuningBench, measured: MeasuredSetting, all_measured: Sequence[MeasuredSetting]) -> dict[str, bool]:
    """By aim with a bound, whether a setting meets it on at least 95 % of the networks where all aims are attainable.

    The required number of networks is rounded down. If few are attainable, all networks count.
    """
    possible = attainable_networks(all_measured)
    if 2 * possible.sum() < len(possible):
        possible = np.ones(len(possible), bool)
    met = {}
    for aim in bench.aims:
        if aim.has_bound:
            values = measured.values(aim.place or bench.link.place, aim.metric)[possible].tolist()
            met[aim.text] = sum(not aim.is_missed(v) for v in values) >= math.floor(ENOUGH * len(values))
    return met


def _alternative(confirmed: Sequence[ConfirmedSetting]) -> list[Setting]:
    """The other confirmed setting that meets the aims on the most networks; empty if there is none."""
    others = sorted(confirmed[1:], key=lambda entry: (-entry.success.met, entry.measured.mean_score))
    return [entry.measured.setting for entry in others[:1]]
