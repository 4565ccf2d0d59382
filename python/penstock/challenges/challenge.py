"""The challenge of a scheme: a search, the simplest network in which the loss persists, its proof with fresh seeds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from penstock import _native
from penstock.challenges.bench import Bench, Trial
from penstock.challenges.criteria import CRITERIA, DEFAULT, Array, criterion_of
from penstock.challenges.network import Network, drawn
from penstock.challenges.rules import Rule, find_rule, threshold_for
from penstock.challenges.search import PER_ROUND, SEARCH_RUNS, Search, sampled
from penstock.challenges.simplify import simplified
from penstock.engine.run import cores
from penstock.errors import PenstockError
from penstock.results.display import joined, scale_for
from penstock.results.estimate import Estimate
from penstock.results.metrics import metric as metric_of
from penstock.results.runs import Runs
from penstock.studies.candidate import Candidate, SchemeLike
from penstock.studies.compare import compare
from penstock.studies.executor import Progress
from penstock.studies.store import Results

__all__ = ["Challenge", "Effort", "challenge"]

FRESH = 1_000_000
"""Distance of the seeds of the confirmation from those of the search."""

FINALISTS, FINAL_RUNS = 8, 5
"""The worst networks of the search, and the runs by which one of them is chosen and simplified."""

EVENTS_PER_S = 8e6
"""Events of these short runs that the two cores of a small machine handle in a second. It is a constant, so that a
budget of time tries the same networks on every machine."""

SAMPLE_PART, REFINE_PART, CHECK_PART = 0.4, 0.5, 0.1
"""Parts of the budget for the even sample, for the steps from its worst networks, and for the check of rules."""

FEWEST_SAMPLED, MOST_SAMPLED = 48, 1000
FEWEST_ROUNDS, MOST_ROUNDS = 4, 40
FEWEST_CHECKS, MOST_CHECKS = 2, 6

CHECKED = 20
"""Fresh networks on each side of a rule in which it is checked."""

LEAST_CONFIRMED = 0.5
"""Least `Rule.confirmation` of a rule that is reported."""

DRAWS = 10_000
"""Networks among which those for the check of a rule are found."""


@dataclass(frozen=True)
class Effort:
    """The size of a search: networks of the even sample, rounds of refinement, and rules that are checked at most."""

    networks: int
    rounds: int
    checks: int

    @classmethod
    def plan(cls, seconds: float, events: float) -> Effort:
        """As many as this time in seconds allows, if a run of all schemes has this number of events."""
        affordable = seconds * EVENTS_PER_S / (events * SEARCH_RUNS)
        networks = min(MOST_SAMPLED, max(FEWEST_SAMPLED, int(SAMPLE_PART * affordable)))
        rounds = min(MOST_ROUNDS, max(FEWEST_ROUNDS, int(REFINE_PART * affordable / PER_ROUND)))
        return cls(networks, rounds, min(MOST_CHECKS, max(FEWEST_CHECKS, int(CHECK_PART * affordable / (2 * CHECKED)))))


@dataclass(frozen=True, repr=False)
class Challenge:
    """The outcome of `challenge`.

    Attributes:
        schemes: the scheme that was challenged, then its rivals.
        criterion: the name of the metric in which it does worst.
        rival: the number of the scheme compared with which it does.
        confirmed: the simplest network in which it does, with fresh seeds.
        found: the network that the search found.
        scenario: the simplest network as the text of a scenario file.
        runs: the runs of the confirmation: all schemes in this scenario.
        rule: where the scheme loses; None if no rule was found.
        tried: every network of the search.
        run_count: number of runs.

    """

    schemes: tuple[Candidate, ...]
    criterion: str
    rival: int
    confirmed: Trial
    found: Network
    scenario: str
    runs: Runs
    rule: Rule | None
    tried: tuple[Trial, ...]
    run_count: int

    @property
    def network(self) -> Network:
        """The simplest network."""
        return self.confirmed.network

    @property
    def worse_by(self) -> Estimate:
        """The part of the rival's benefit that the scheme loses in the simplest network, paired by seed."""
        return self.confirmed.loss(self.criterion, self.rival)

    @property
    def is_worse(self) -> bool:
        """Whether the whole interval of the loss is above zero."""
        return self.worse_by.low is not None and self.worse_by.low > 0

    @property
    def conclusion(self) -> str:
        """One sentence: the loss and the network, or that there is none."""
        criterion, lost = CRITERIA[self.criterion], self.worse_by
        scheme, rival = self.schemes[0].label, self.schemes[self.rival].label
        if not self.is_worse:
            others = joined([each.label for each in self.schemes[1:]])
            loss = f"loss of {scheme} in {criterion.words} compared with {others}"
            return f"No {loss} was confirmed; {len(self.tried)} networks were tried."
        means = [float(np.nanmean(self.values(number))) for number in (0, self.rival)]
        scale = scale_for(metric_of(criterion.metric).quantity, means)
        against = " against ".join(f"{scale.factor * mean:.3g}" for mean in means)
        values = f"{criterion.words} {against} {scale.unit}".rstrip()
        low, high = (criterion.amount(end) for end in lost.ci95 or (lost.mean, lost.mean))
        sentence = criterion.sentence(scheme, rival, lost.mean)
        return f"{sentence} on {self.network.words}: {values} (95 % interval from {low} to {high})."

    def values(self, scheme: int, criterion: str = "") -> Array:
        """The metric of a scheme in each run of the confirmation."""
        values: Array = self.confirmed.values[criterion or self.criterion][scheme]
        return values

    def __repr__(self) -> str:
        return "\n".join(filter(None, (self.conclusion, self.rule_text)))

    @property
    def rule_text(self) -> str:
        """The rule as a sentence; empty without one."""
        scheme, rival = self.schemes[0].label, self.schemes[self.rival].label
        return self.rule.sentence(scheme, rival, CRITERIA[self.criterion]) if self.rule else ""

    def to_dict(self) -> dict[str, Any]:
        """As `penstock challenge --json` writes it."""
        lost = self.worse_by
        return {
            "penstock": _native.version,
            "scheme": self.schemes[0].label,
            "against": [scheme.label for scheme in self.schemes[1:]],
            "conclusion": self.conclusion,
            "metric": self.criterion,
            "rival": self.schemes[self.rival].label,
            "worse_by": {"mean": lost.mean, "ci95": lost.ci95},
            "runs": lost.runs,
            "network": self.network.to_dict(),
            "found": self.found.to_dict(),
            "scenario": self.runs.design.scenario,
            "toml": self.scenario,
            "rows": self.runs.to_dict()["rows"],
            "rule": None if self.rule is None else {**self.rule.to_dict(), "text": self.rule_text},
            "tried": [
                {
                    "network": trial.network.to_dict(),
                    "worse_by": _finite(trial.certain_loss(self.criterion, self.rival)),
                }
                for trial in self.tried
            ],
            "run_count": self.run_count,
        }


def challenge(
    scheme: SchemeLike,
    against: SchemeLike | Iterable[SchemeLike],
    *,
    metric: str | None = None,
    runs: int = 10,
    seed: int = 1,
    budget_s: float = 60.0,
    jobs: int | None = None,
    progress: Progress | None = None,
    store: Results | None = None,
) -> Challenge:
    """Search the network in which a scheme does worst compared with the best of others.

    Args:
        scheme: a scheme, as a queue or as text after `--scheme`.
        against: one or several other schemes.
        metric: "utilization", "delay_p99", "loss", "fairness", "far_goodput" or "completion"; by default that of the
            first four in which the scheme loses most.
        runs: number of runs of each scheme in the confirmation, from 2.
        seed: of the search; the confirmation has other seeds.
        budget_s: planned time in seconds on two cores; it sets the number of networks that are tried.
        jobs: number of threads; by default all cores.
        progress: called with the number of finished runs, and the expected number of all.
        store: where finished runs are kept and looked up, so that an interrupted search resumes.

    Raises `ScenarioError` for an invalid scheme, and `PenstockError` if a scheme refuses every network.
    """
    if runs < 2:
        raise PenstockError("at least two runs are needed for an interval")
    schemes = _schemes(scheme, against)
    criteria = DEFAULT if metric is None else (criterion_of(metric),)
    on = frozenset(CRITERIA[name].needs for name in criteria if CRITERIA[name].needs)
    bench = Bench(schemes, criteria, results=store, threads=jobs or cores(), progress=progress)
    search = Search(bench, on, seed)
    effort = Effort.plan(budget_s, _events(bench, search))
    bench.planned = len(schemes) * SEARCH_RUNS * (effort.networks + effort.rounds * PER_ROUND)
    search.sample(effort.networks)
    search.refine(effort.rounds)
    tried = tuple(trial for _, trial in search.tried)
    final_seeds = range(seed + FRESH, seed + FRESH + FINAL_RUNS)
    worst = sorted(tried, key=lambda trial: -trial.score)[:FINALISTS]
    finalists = bench.measure([trial.network for trial in worst], final_seeds)
    pairs = [(*before.worst, trial) for before, trial in zip(worst, finalists, strict=True)]
    criterion, rival, found = max(pairs, key=lambda entry: _low(entry[2].loss(*entry[:2])))
    simplest = simplified(bench, found, criterion, rival, final_seeds)
    rule = _rule(search, criterion, rival, simplest.loss(criterion, rival).mean, effort.checks)
    first = seed + 2 * FRESH
    (confirmed,) = bench.measure([simplest.network], range(first, first + runs))
    document = simplest.network.document(first)
    compared = compare(document, schemes, runs=runs, jobs=jobs, store=bench.results)
    scenario = simplest.network.toml(first)
    return Challenge(schemes, criterion, rival, confirmed, found.network, scenario, compared, rule, tried, bench.runs)


def _schemes(scheme: SchemeLike, against: SchemeLike | Iterable[SchemeLike]) -> tuple[Candidate, ...]:
    """The scheme and its rivals."""
    challenged = Candidate.of(scheme)
    rivals = [each for each in Candidate.all_of(against) if each.label != challenged.label]
    if not rivals:
        raise PenstockError(f"{challenged.label} needs another scheme to be compared with")
    return (challenged, *rivals)


def _events(bench: Bench, search: Search) -> float:
    """Mean events of a run with all schemes. Raises the errors of a network if every network is refused."""
    networks = [drawn(place, search.on) for place in sampled(np.random.default_rng(search.seed), FEWEST_SAMPLED)]
    events = [count for network in networks if (count := bench.events(network)) is not None]
    if not events:
        for document in bench.documents(networks[0]):
            document.resolve()
    return float(np.mean(events))


def _rule(search: Search, criterion: str, rival: int, largest: float, checks: int) -> Rule | None:
    """A rule about the networks of the search, checked in fresh ones: of several, the one that its check confirms best.

    The networks of a check count for the next rule: those of the search lie close together where the loss is large, and
    say little about the rest of the space.
    """

    def losses(trials: Sequence[Trial]) -> list[float]:
        return [trial.certain_loss(criterion, rival) for trial in trials]

    trials = [trial for _, trial in search.tried]
    threshold = threshold_for(losses(trials), largest)
    rules: list[Rule] = []
    while threshold is not None and len(rules) < checks and not any(rule.is_confirmed for rule in rules):
        rule = find_rule([trial.network for trial in trials], losses(trials), threshold)
        if rule is None:
            break
        inside, outside = (_fresh(search, rule, is_inside) for is_inside in (True, False))
        rules.append(rule.checked(losses(inside), losses(outside)))
        trials += [*inside, *outside]
    best = max(rules, key=lambda rule: rule.confirmation, default=None)
    return best if best is not None and best.confirmation >= LEAST_CONFIRMED else None


def _fresh(search: Search, rule: Rule, is_inside: bool) -> list[Trial]:
    """Trials of fresh networks on one side of a rule."""
    places = sampled(search.rng, DRAWS)
    candidates = (network for network in (drawn(place, search.on) for place in places))
    on_side = (each for each in candidates if rule.holds(each) is is_inside and search.bench.events(each) is not None)
    return search.bench.measure(list(islice(on_side, CHECKED)), range(search.seed, search.seed + SEARCH_RUNS))


def _low(loss: Estimate) -> float:
    """The lower end of the interval of a loss; minus infinity if there is none."""
    return -math.inf if loss.low is None else loss.low


def _finite(value: float) -> float | None:
    """The value; None if it is infinite."""
    return value if math.isfinite(value) else None
