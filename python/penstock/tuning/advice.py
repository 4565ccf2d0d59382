"""The advice: a search, then proof of its result with fresh seeds, beside defaults and published rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from penstock import _native
from penstock.engine.run import cores, run_batch
from penstock.engine.warmup import with_warmups
from penstock.errors import ErrorDetail, PenstockError, ScenarioError
from penstock.results.display import joined
from penstock.results.estimate import Estimate, summarize
from penstock.results.simultaneous import adjusted_alpha
from penstock.scenario.budget.estimate import estimate
from penstock.scenario.loaded_link import LoadedLink
from penstock.scenario.resolve.codepoints import codepoints
from penstock.scenario.scenario import Document, ScenarioLike, as_document
from penstock.studies.candidate import Candidate, SchemeLike
from penstock.studies.executor import Progress
from penstock.studies.plan import Plan, check_places
from penstock.studies.store import Results
from penstock.tuning.aim import Aim, parse_aims
from penstock.tuning.bench import Bench, Measured, Setting
from penstock.tuning.capture import with_capture
from penstock.tuning.moved import FACTORS, moved
from penstock.tuning.paste import lines, rounded, shaped_lines
from penstock.tuning.rules import rules_of
from penstock.tuning.search import PER_ROUND, RUNS, objectives, optimizer, search
from penstock.tuning.unmet import endless, unmet_text

__all__ = ["Advice", "Budget", "Confirmed", "tune"]

CONFIRMING_RUNS = 20
"""Runs of each setting that is confirmed, with seeds that the search did not use."""

FINALISTS, FINAL_RUNS = 6, 12
"""The best settings of the search, and the runs over which one of them is chosen."""

FRESH = 1_000_000
"""Distance of the seeds of the confirmation from those of the search."""

MOVED_RUNS = 3
"""Runs at each point of the map of robustness."""

MOST_ON_FRONT = 8
"""Settings of a Pareto front that are confirmed."""

EVENTS_PER_S = 4e6
"""Events that the two cores of a small machine handle in a second, rather too few than too many: a budget of time must
give the same runs everywhere."""


@dataclass(frozen=True)
class Budget:
    """Rounds of the search, the expected time of all runs in seconds on two cores, and their largest number."""

    rounds: int
    seconds: float
    runs: int = 0

    @classmethod
    def plan(cls, seconds: float, events: float, schemes: int, confirmed: int) -> Budget:
        """As many rounds as this time allows beside the confirmation and the map, from 2 to 20."""
        fixed = confirmed * (CONFIRMING_RUNS + RUNS) + FINALISTS * FINAL_RUNS + len(FACTORS) ** 3 * MOVED_RUNS
        a_round = schemes * PER_ROUND * (1 + RUNS)
        a_run = events / EVENTS_PER_S
        rounds = min(20, max(2, int((seconds / a_run - fixed) / (a_round / 2)))) if a_round and a_run else 0
        return cls(rounds, (fixed + rounds * a_round / 2) * a_run, fixed + rounds * a_round)


@dataclass(frozen=True)
class Confirmed:
    """A setting with its runs on fresh seeds.

    Attributes:
        measured: the runs.
        met: for each aim with a bound whether the 95 % interval of the metric meets it; None where it spans the bound.
        behind: the difference of the scores to those of the advice, paired by seed; negative where it is better. Its
            interval is simultaneous: those of all confirmed settings hold together with probability 95 %.

    """

    measured: Measured
    met: dict[str, bool | None]
    behind: Estimate

    @property
    def verdict(self) -> str:
        """Beside the advice: "worse", "tie" or "better", by the interval."""
        low, high = self.behind.ci95 or (0.0, 0.0)
        return "worse" if low > 0 else "better" if high < 0 else "tie"


@dataclass(frozen=True, repr=False)
class Advice:
    """The outcome of `tune`.

    Attributes:
        scenario: the resolved scenario.
        link: the tuned link.
        aims: the aims.
        advised: the settings that are advised: one, or a Pareto front.
        confirmed: every setting that was confirmed, the advised ones first.
        tried: every setting of the search.
        robust: whether the means of a few runs of the first advised setting meet the aims where link and load are
            moved, by factors of rate, flows and round trip.
        runs: number of runs.
        without_limit: the runs of a queue without a limit, where every setting carries less than an aim asks for.

    """

    scenario: dict[str, Any]
    link: LoadedLink
    aims: tuple[Aim, ...]
    advised: tuple[Setting, ...]
    confirmed: tuple[Confirmed, ...]
    tried: tuple[Measured, ...]
    robust: dict[tuple[float, float, float], bool] = field(default_factory=dict)
    runs: int = 0
    without_limit: Measured | None = None

    @property
    def best(self) -> Confirmed:
        """The first advised setting."""
        return self.confirmed[0]

    @property
    def tc(self) -> str | None:
        """The first advised setting as lines for Linux' tc; None where tc lacks the scheme."""
        return lines(self.best.measured.setting, self.link)

    def __repr__(self) -> str:
        return f"{self.conclusion}\n{self.tc or ''}".rstrip()

    @property
    def conclusion(self) -> str:
        """One sentence: what to use, or that nothing helps."""
        best, label = self.best, self.best.measured.setting.label
        if len(self.advised) > 1:
            return f"The aims compete: {len(self.advised)} settings are on the front, from {label} on."
        missed = [text for text, met in best.met.items() if met is False]
        open_ones = [text for text, met in best.met.items() if met is None]
        if missed:
            met = [(entry.measured, entry.met) for entry in self.confirmed]
            return unmet_text(self.aims, self.link.place, met, self.without_limit)
        before = f"{label} meets " + (joined(list(best.met)) if best.met else "the aim best")
        if open_ones:
            before = f"{label} comes as near as can be told to {joined(open_ones)}"
        ties = [
            entry.measured.setting for entry in self.confirmed[1:] if entry.verdict != "worse" and entry.met == best.met
        ]
        plain = [setting.label for setting in ties if setting.origin == "default"]
        if plain:
            return f"{before}, and the defaults of {', '.join(plain)} are as good: no tuning is needed."
        if best.measured.setting.origin == "default":
            return f"{before} with its defaults; nothing tried is better."
        return f"{before}; {self._others(ties)}."

    def _others(self, ties: Sequence[Setting]) -> str:
        """Where the other confirmed settings stand: those that tie, or how many miss an aim or have less power."""
        if ties:
            return f"{', '.join(setting.label for setting in ties)} {'ties' if len(ties) == 1 else 'tie'}"
        others = self.confirmed[1:]
        meeting = [entry for entry in others if all(entry.met.values())]
        worth = "a worse result" if any(not aim.bounded for aim in self.aims) else "less power"
        if not others:
            return "nothing else was tried"
        if not meeting:
            if any(False not in entry.met.values() for entry in others):
                return f"of {len(others)} defaults and rules tried none is sure to meet every aim"
            every = f"all {len(others)} defaults and rules" if len(others) > 1 else "the only other setting"
            return f"{every} tried miss{'es' if len(others) == 1 else ''} an aim"
        untuned = [entry.measured.setting.label for entry in meeting if entry.measured.setting.origin == "default"]
        if untuned:
            does = "does" if len(untuned) == 1 else "do"
            return f"{' and '.join(untuned)} {does} so with the defaults, with {worth}"
        also = f"{meeting[0].measured.setting.label} does too" if len(meeting) == 1 else f"{len(meeting)} do too"
        return f"of {len(others)} defaults and rules tried {also}, with {worth}"

    def to_dict(self) -> dict[str, Any]:
        """As `penstock tune --json` writes it."""
        return {
            "penstock": _native.version,
            "scenario": self.scenario,
            "place": self.link.place,
            "aims": [aim.text for aim in self.aims],
            "conclusion": self.conclusion,
            "advice": [
                {**_described(entry), **self._lines(entry.measured.setting), "robust": self._robust(number)}
                for number, entry in enumerate(self.confirmed[: len(self.advised)])
            ],
            "confirmed": [_described(entry) for entry in self.confirmed],
            "tried": [
                {
                    **_setting(measured.setting),
                    "runs": len(measured.scores),
                    "score": measured.score,
                    "metrics": _metrics(measured),
                }
                for measured in self.tried
            ],
            "runs": self.runs,
            **({} if self.without_limit is None else {"without_limit": _metrics(self.without_limit)}),
        }

    def _lines(self, setting: Setting) -> dict[str, str | None]:
        """For tc; a link whose rate changes has none for a shaper."""
        changes = self.scenario.get("links", {}).get(self.link.place.removesuffix(".reverse"), {}).get("change")
        shaped = None if changes else shaped_lines(setting, self.link)
        return {"tc": lines(setting, self.link), "tc_shaped": shaped}

    def _robust(self, number: int) -> list[dict[str, Any]] | None:
        if number:
            return None
        names = ("rate", "flows", "rtt")
        return [{**dict(zip(names, factors, strict=True)), "met": met} for factors, met in self.robust.items()]


def tune(
    scenario: ScenarioLike,
    aims: str | Iterable[str],
    schemes: SchemeLike | Iterable[SchemeLike],
    *,
    at: str | None = None,
    budget_s: float = 150.0,
    jobs: int | None = None,
    progress: Progress | None = None,
    store: Results | None = None,
    capture: str | Path | None = None,
) -> Advice:
    """Search settings of schemes for a link that meet the aims, and confirm them with fresh seeds.

    Args:
        scenario: a scenario, or the path of its file: link and load.
        aims: one or several, such as "delay p99 < 20ms", "calls.loss < 0.1%", "utilization > 95%", "min delay"; of
            several aims without a bound the Pareto front is advised.
        schemes: one or several schemes that the router has; given parameters stay as they are.
        at: the link whose queue is tuned; by default the first watched one.
        budget_s: planned time in seconds on two cores; it sets the number of settings that are tried.
        jobs: number of threads; by default all cores.
        progress: called with the number of finished runs, and the largest number of all.
        store: where finished runs are kept and looked up, so that an interrupted search resumes.
        capture: a pcap or pcapng file that is replayed over the link alongside the scenario's own traffic, as the
            traffic `capture`.

    Raises `ScenarioError` with all errors of the request, and `MissingPackageError` without Optuna.
    """
    document = as_document(scenario)
    if capture is not None:
        document = with_capture(document, capture, at)
    resolved = document.resolve()
    if not resolved.watched and at is None:
        raise PenstockError("no link is watched: name the bottleneck with --at LINK, or set watch = true in its table")
    place = at or resolved.watched[0]
    check_places(document, [place])
    places = {
        "links": [place, *resolved.watched],
        "traffic": resolved.readable["traffic"],
        "dscp": codepoints(resolved.canonical["traffic"]),
    }
    candidates, parsed_aims = _parse_request(schemes, [aims] if isinstance(aims, str) else aims, places)
    optimizer()  # its absence is told before the first run
    document = _with_warmup(document, candidates, place, jobs)
    resolved = document.resolve()
    link = LoadedLink.of(resolved, place)
    bench = Bench(document, link, parsed_aims, results=store, threads=jobs or cores(), progress=progress)
    plain = _plain(bench, candidates)
    budget = Budget.plan(budget_s, estimate(resolved).total_events, len(candidates), len(plain) + 1)
    bench.planned = budget.runs
    seed = int(resolved.readable["seed"])
    before = bench.measure(plain, range(seed, seed + RUNS))
    tried = (
        *before,
        *search(bench, [(candidate.name, dict(candidate.params)) for candidate in candidates], budget.rounds, seed),
    )
    advised = _chosen(bench, tried, seed + RUNS)
    confirmed = _confirm(bench, advised, plain, seed + FRESH)
    robust = _robust(bench, advised[0], seed + FRESH) if any(aim.bounded for aim in parsed_aims) else {}
    met = [(entry.measured, entry.met) for entry in confirmed]
    without_limit = None if len(advised) > 1 else endless(bench, met, seed + FRESH)
    return Advice(resolved.readable, link, parsed_aims, advised, confirmed, tried, robust, bench.runs, without_limit)


def _with_warmup(document: Document, candidates: Sequence[Candidate], place: str, jobs: int | None) -> Document:
    """The scenario, with a warm-up that is "auto" determined by pilot runs of its own queue and of all schemes."""
    plan = Plan.make(document, candidates, at=place)
    group = [("its own queue", document), *((case.label, case.document) for case in plan.cases)]
    return with_warmups([group], partial(run_batch, jobs=jobs))[0][0]


def _parse_request(
    schemes: SchemeLike | Iterable[SchemeLike], aims: Iterable[str], places: Mapping[str, Iterable[str]]
) -> tuple[tuple[Candidate, ...], tuple[Aim, ...]]:
    """Candidates and aims. Raises `ScenarioError` with the errors of both."""
    errors: list[ErrorDetail] = []
    candidates: tuple[Candidate, ...] = ()
    parsed_aims: tuple[Aim, ...] = ()
    try:
        candidates = Candidate.all_of(schemes)
    except ScenarioError as error:
        errors += error.errors
    try:
        parsed_aims = parse_aims(aims, places)
    except ScenarioError as error:
        errors += error.errors
    if errors:
        raise ScenarioError(errors)
    return candidates, parsed_aims


def _plain(bench: Bench, schemes: Sequence[Candidate]) -> list[Setting]:
    """Each candidate as given, and by the rules that its given parameters leave room for and the link allows."""
    settings = [
        Setting(candidate.name, dict(candidate.params), "given" if candidate.params else "default")
        for candidate in schemes
    ]
    for candidate in schemes:
        for rule in rules_of(candidate.name, bench.link):
            parameters = rounded(candidate.name, {**rule.parameters, **candidate.params}, candidate.params, bench.link)
            setting = Setting(candidate.name, parameters, rule.source)
            if not set(rule.parameters) & set(candidate.params) and bench.is_valid(setting):
                settings.append(setting)
    labels = {setting.label: setting for setting in reversed(settings)}
    return [setting for setting in settings if labels[setting.label] is setting]


def _chosen(bench: Bench, tried: Sequence[Measured], seed: int) -> tuple[Setting, ...]:
    """The best setting; where aims compete, the front.

    The best of many by a few runs is partly the luckiest, so the first ones meet again over more runs.
    """
    whole = [measured for measured in tried if len(measured.scores) >= RUNS]
    if not bench.competing:
        first = sorted(whole, key=lambda measured: measured.score)[:FINALISTS]
        again = bench.measure([measured.setting for measured in first], range(seed, seed + FINAL_RUNS))
        return (min(again, key=lambda measured: measured.score).setting,)
    points = np.array([objectives(bench, measured) for measured in whole])
    front = [
        measured.setting
        for measured, point in zip(whole, points, strict=True)
        if not ((points <= point).all(axis=1) & (points < point).any(axis=1)).any()
    ]
    order = np.argsort([objectives(bench, measured)[0] for measured in whole if measured.setting in front])
    spread = np.unique(np.linspace(0, len(front) - 1, min(MOST_ON_FRONT, len(front))).round().astype(int))
    return tuple(front[order[number]] for number in spread)


def _confirm(bench: Bench, advised: Sequence[Setting], plain: Sequence[Setting], seed: int) -> tuple[Confirmed, ...]:
    """The advised settings and the plain ones on fresh seeds."""
    labels = {setting.label for setting in advised}
    settings = [*advised, *(setting for setting in plain if setting.label not in labels)]
    all_measured = bench.measure(settings, range(seed, seed + CONFIRMING_RUNS))
    apart = np.column_stack([measured.scores - all_measured[0].scores for measured in all_measured])
    alpha = adjusted_alpha(apart)
    return tuple(
        Confirmed(measured, _met(bench, measured), summarize(column.tolist(), alpha))
        for measured, column in zip(all_measured, apart.T, strict=True)
    )


def _met(bench: Bench, measured: Measured) -> dict[str, bool | None]:
    met: dict[str, bool | None] = {}
    for aim in bench.aims:
        if aim.bounded:
            estimate = measured.summary(aim.place or bench.link.place, aim.metric)
            met[aim.text] = aim.meets(*(estimate.ci95 or (estimate.mean, estimate.mean)))
    return met


def _robust(bench: Bench, setting: Setting, seed: int) -> dict[tuple[float, float, float], bool]:
    """Whether the means meet the aims where rate, flows and round trip are moved by these factors."""
    is_met = {}
    for rate in FACTORS:
        for flows in FACTORS:
            for rtt in FACTORS:
                document = moved(bench.document, bench.link.place, rate=rate, flows=flows, rtt=rtt)
                (measured,) = bench.measure([setting], range(seed, seed + MOVED_RUNS), document)
                means = {aim: measured.summary(aim.place or bench.link.place, aim.metric).mean for aim in bench.aims}
                is_met[rate, flows, rtt] = all(aim.shortfall(mean) == 0 for aim, mean in means.items() if aim.bounded)
    return is_met


def _setting(setting: Setting) -> dict[str, Any]:
    return {"scheme": setting.scheme, "parameters": dict(setting.parameters), "origin": setting.origin}


def _described(entry: Confirmed) -> dict[str, Any]:
    behind = {"mean": entry.behind.mean, "ci95": entry.behind.ci95}
    proof = {"metrics": _metrics(entry.measured), "met": entry.met, "behind": behind, "verdict": entry.verdict}
    return {**_setting(entry.measured.setting), "runs": len(entry.measured.scores), **proof}


def _metrics(measured: Measured) -> dict[str, dict[str, Any]]:
    table: dict[str, dict[str, Any]] = {}
    for place, name in measured.values:
        if np.isfinite(measured.values[place, name]).any():
            summary = measured.summary(place, name)
            table.setdefault(place, {})[name] = {"mean": summary.mean, "ci95": summary.ci95}
    return table
