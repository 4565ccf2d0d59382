"""The advice: a search, then proof of its result with fresh seeds, beside defaults and published rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from penstock import _native
from penstock.engine.run import cores
from penstock.errors import ErrorDetail, PenstockError, ScenarioError
from penstock.results.display import joined
from penstock.results.simultaneous import adjusted_alpha
from penstock.results.summary import Summary, summarize
from penstock.scenario.budget.estimate import estimate
from penstock.scenario.loaded_link import LoadedLink
from penstock.scenario.resolve.codepoints import codepoints
from penstock.scenario.scenario import ScenarioLike, as_document
from penstock.studies.candidate import Candidate, SchemeLike
from penstock.studies.executor import Progress
from penstock.studies.plan import check_places
from penstock.studies.store import Results
from penstock.tuning.aim import Aim, parse_aims
from penstock.tuning.bench import Bench, Measured, Setting
from penstock.tuning.capture import with_capture
from penstock.tuning.moved import FACTORS, moved
from penstock.tuning.paste import lines, shaped_lines
from penstock.tuning.rules import rules_of
from penstock.tuning.search import PER_ROUND, RUNS, objectives, optimizer, search
from penstock.tuning.unmet import endless
from penstock.tuning.unmet import told as told_unmet

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
    behind: Summary

    @property
    def verdict(self) -> str:
        """Beside the advice: "worse", "tie" or "better", by the interval."""
        low, high = self.behind.ci95 or (0.0, 0.0)
        return "worse" if low > 0 else "better" if high < 0 else "tie"


@dataclass(frozen=True)
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
    def conclusion(self) -> str:
        """One sentence: what to use, or that nothing helps."""
        best, label = self.best, self.best.measured.setting.label
        if len(self.advised) > 1:
            return f"The aims compete: {len(self.advised)} settings are on the front, from {label} on."
        missed = [text for text, met in best.met.items() if met is False]
        open_ones = [text for text, met in best.met.items() if met is None]
        if missed:
            met = [(one.measured, one.met) for one in self.confirmed]
            return told_unmet(self.aims, self.link.place, met, self.without_limit)
        before = f"{label} meets " + (joined(list(best.met)) if best.met else "the aim best")
        if open_ones:
            before = f"{label} comes as near as can be told to {joined(open_ones)}"
        ties = [one.measured.setting for one in self.confirmed[1:] if one.verdict != "worse" and one.met == best.met]
        plain = [one.label for one in ties if one.origin == "default"]
        if plain:
            return f"{before}, and the defaults of {', '.join(plain)} are as good: no tuning is needed."
        if best.measured.setting.origin == "default":
            return f"{before} with its defaults; nothing tried is better."
        return f"{before}; {self._others(ties)}."

    def _others(self, ties: Sequence[Setting]) -> str:
        """Where the other confirmed settings stand: those that tie, or how many miss an aim or have less power."""
        if ties:
            return f"{', '.join(one.label for one in ties)} {'ties' if len(ties) == 1 else 'tie'}"
        others = self.confirmed[1:]
        meeting = [one for one in others if all(one.met.values())]
        worth = "a worse result" if any(not aim.bounded for aim in self.aims) else "less power"
        if not others:
            return "nothing else was tried"
        if not meeting:
            if any(False not in one.met.values() for one in others):
                return f"of {len(others)} defaults and rules tried none is sure to meet every aim"
            every = f"all {len(others)} defaults and rules" if len(others) > 1 else "the only other setting"
            return f"{every} tried miss{'es' if len(others) == 1 else ''} an aim"
        untuned = [one.measured.setting.label for one in meeting if one.measured.setting.origin == "default"]
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
                {**_described(one), **self._lines(one.measured.setting), "robust": self._robust(number)}
                for number, one in enumerate(self.confirmed[: len(self.advised)])
            ],
            "confirmed": [_described(one) for one in self.confirmed],
            "tried": [
                {**_setting(one.setting), "runs": len(one.scores), "score": one.score, "metrics": _metrics(one)}
                for one in self.tried
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
    aims: Iterable[str],
    candidates: Iterable[SchemeLike],
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
        aims: such as "delay p99 < 20ms", "calls.loss < 0.1%", "utilization > 95%", "min delay"; of several aims without
            a bound the Pareto front is advised.
        candidates: the schemes that the router has; given parameters stay as they are.
        at: the link whose queue is tuned; by default the first watched one.
        budget_s: planned time in seconds on two cores; it sets the number of settings that are tried.
        jobs: number of threads; by default all cores.
        progress: called with the number of finished runs, and the largest number of all.
        store: where finished runs are kept and looked up, so that an interrupted search resumes.
        capture: a pcap file that is replayed over the link beside the scenario's own traffic, as the traffic `capture`.

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
        "traffic": resolved.shown["traffic"],
        "dscp": codepoints(resolved.canonical["traffic"]),
    }
    schemes, found = _asked(candidates, aims, places)
    optimizer()  # its absence is told before the first run
    link = LoadedLink.of(resolved, place)
    bench = Bench(document, link, found, results=store, threads=jobs or cores(), progress=progress)
    plain = _plain(bench, schemes)
    budget = Budget.plan(budget_s, estimate(resolved).total_events, len(schemes), len(plain) + 1)
    bench.planned = budget.runs
    seed = int(resolved.shown["seed"])
    before = bench.measure(plain, range(seed, seed + RUNS))
    tried = (*before, *search(bench, [(one.name, dict(one.params)) for one in schemes], budget.rounds, seed))
    advised = _chosen(bench, tried, seed + RUNS)
    confirmed = _confirm(bench, advised, plain, seed + FRESH)
    robust = _robust(bench, advised[0], seed + FRESH) if any(aim.bounded for aim in found) else {}
    met = [(one.measured, one.met) for one in confirmed]
    without_limit = None if len(advised) > 1 else endless(bench, met, seed + FRESH)
    return Advice(resolved.shown, link, found, advised, confirmed, tried, robust, bench.runs, without_limit)


def _asked(
    candidates: Iterable[SchemeLike], aims: Iterable[str], places: Mapping[str, Iterable[str]]
) -> tuple[tuple[Candidate, ...], tuple[Aim, ...]]:
    """Candidates and aims. Raises `ScenarioError` with the errors of both."""
    errors: list[ErrorDetail] = []
    schemes: tuple[Candidate, ...] = ()
    found: tuple[Aim, ...] = ()
    try:
        schemes = Candidate.all_of(candidates)
    except ScenarioError as error:
        errors += error.errors
    try:
        found = parse_aims(aims, places)
    except ScenarioError as error:
        errors += error.errors
    if errors:
        raise ScenarioError(errors)
    return schemes, found


def _plain(bench: Bench, schemes: Sequence[Candidate]) -> list[Setting]:
    """Each candidate as given, and by the rules that its given parameters leave room for and the link allows."""
    found = [Setting(one.name, dict(one.params), "given" if one.params else "default") for one in schemes]
    for one in schemes:
        for rule in rules_of(one.name, bench.link):
            setting = Setting(one.name, {**rule.parameters, **one.params}, rule.source)
            if not set(rule.parameters) & set(one.params) and bench.is_valid(setting):
                found.append(setting)
    labels = {one.label: one for one in reversed(found)}
    return [one for one in found if labels[one.label] is one]


def _chosen(bench: Bench, tried: Sequence[Measured], seed: int) -> tuple[Setting, ...]:
    """The best setting; where aims compete, the front.

    The best of many by a few runs is partly the luckiest, so the first ones meet again over more runs.
    """
    whole = [one for one in tried if len(one.scores) >= RUNS]
    if not bench.competing:
        first = sorted(whole, key=lambda one: one.score)[:FINALISTS]
        again = bench.measure([one.setting for one in first], range(seed, seed + FINAL_RUNS))
        return (min(again, key=lambda one: one.score).setting,)
    points = np.array([objectives(bench, one) for one in whole])
    front = [
        one.setting
        for one, point in zip(whole, points, strict=True)
        if not ((points <= point).all(axis=1) & (points < point).any(axis=1)).any()
    ]
    order = np.argsort([objectives(bench, one)[0] for one in whole if one.setting in front])
    spread = np.unique(np.linspace(0, len(front) - 1, min(MOST_ON_FRONT, len(front))).round().astype(int))
    return tuple(front[order[number]] for number in spread)


def _confirm(bench: Bench, advised: Sequence[Setting], plain: Sequence[Setting], seed: int) -> tuple[Confirmed, ...]:
    """The advised settings and the plain ones on fresh seeds."""
    labels = {one.label for one in advised}
    settings = [*advised, *(one for one in plain if one.label not in labels)]
    found = bench.measure(settings, range(seed, seed + CONFIRMING_RUNS))
    apart = np.column_stack([one.scores - found[0].scores for one in found])
    alpha = adjusted_alpha(apart)
    return tuple(
        Confirmed(one, _met(bench, one), summarize(column.tolist(), alpha))
        for one, column in zip(found, apart.T, strict=True)
    )


def _met(bench: Bench, found: Measured) -> dict[str, bool | None]:
    met: dict[str, bool | None] = {}
    for aim in bench.aims:
        if aim.bounded:
            one = found.summary(aim.place or bench.link.place, aim.metric)
            met[aim.text] = aim.meets(*(one.ci95 or (one.mean, one.mean)))
    return met


def _robust(bench: Bench, setting: Setting, seed: int) -> dict[tuple[float, float, float], bool]:
    """Whether the means meet the aims where rate, flows and round trip are moved by these factors."""
    found = {}
    for rate in FACTORS:
        for flows in FACTORS:
            for rtt in FACTORS:
                document = moved(bench.document, bench.link.place, rate=rate, flows=flows, rtt=rtt)
                (one,) = bench.measure([setting], range(seed, seed + MOVED_RUNS), document)
                means = {aim: one.summary(aim.place or bench.link.place, aim.metric).mean for aim in bench.aims}
                found[rate, flows, rtt] = all(aim.shortfall(mean) == 0 for aim, mean in means.items() if aim.bounded)
    return found


def _setting(setting: Setting) -> dict[str, Any]:
    return {"scheme": setting.scheme, "parameters": dict(setting.parameters), "origin": setting.origin}


def _described(one: Confirmed) -> dict[str, Any]:
    behind = {"mean": one.behind.mean, "ci95": one.behind.ci95}
    told = {"metrics": _metrics(one.measured), "met": one.met, "behind": behind, "verdict": one.verdict}
    return {**_setting(one.measured.setting), "runs": len(one.measured.scores), **told}


def _metrics(one: Measured) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for place, name in one.values:
        if np.isfinite(one.values[place, name]).any():
            summary = one.summary(place, name)
            found.setdefault(place, {})[name] = {"mean": summary.mean, "ci95": summary.ci95}
    return found
