"""Challenge a scheme: search for a loss, simplify the network, confirm the loss with fresh seeds, and derive a rule."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from penstock import _native
from penstock.challenges.bench import Bench, Trial
from penstock.challenges.criteria import CRITERIA, DEFAULT_CRITERIA, Array, criterion_of
from penstock.challenges.network import Network, network_at
from penstock.challenges.rules import Rule, find_rule, threshold_for
from penstock.challenges.search import PER_ROUND, SEARCH_RUNS, Search, latin_hypercube
from penstock.challenges.simplify import simplify
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

FRESH_SEED_OFFSET = 1_000_000
"""Offset from the seeds of the search to the seeds of the choice, and from there to the seeds of the confirmation."""

FINALIST_COUNT, FINAL_RUNS = 8, 5
"""Number of worst networks from which one is chosen, and runs per scheme for the choice and the simplification."""

EVENTS_PER_S = 8e6
"""Events per second on the two cores of a small machine. It is a constant, so that a budget in seconds covers the same
networks on every machine."""

SAMPLE_SHARE, REFINE_SHARE, CHECK_SHARE = 0.4, 0.5, 0.1
"""Fractions of the budget for the even sample, for the steps from the worst networks, and for the checks of rules."""

MIN_NETWORKS, MAX_NETWORKS = 48, 1000
MIN_ROUNDS, MAX_ROUNDS = 4, 40
MIN_CHECKS, MAX_CHECKS = 2, 6
"""Limits of the sizes in `Effort`, whatever the budget."""

NETWORKS_PER_CHECK = 20
"""Number of fresh networks on each side of a rule."""

MIN_CONFIRMATION = 0.5
"""Minimum `Rule.confirmation` of a reported rule."""

CHECK_POOL = 10_000
"""Size of the sample from which the networks of a check are taken."""


@dataclass(frozen=True)
class Effort:
    """The size of a search.

    Attributes:
        networks: number of networks in the even sample.
        rounds: number of rounds of refinement.
        checks: maximum number of rules that are checked.

    """

    networks: int
    rounds: int
    checks: int

    @classmethod
    def plan(cls, seconds: float, events: float) -> Effort:
        """The size for a budget in seconds, if one run of every scheme takes this number of events in total."""
        affordable = seconds * EVENTS_PER_S / (events * SEARCH_RUNS)
        networks = min(MAX_NETWORKS, max(MIN_NETWORKS, int(SAMPLE_SHARE * affordable)))
        rounds = min(MAX_ROUNDS, max(MIN_ROUNDS, int(REFINE_SHARE * affordable / PER_ROUND)))
        checks = min(MAX_CHECKS, max(MIN_CHECKS, int(CHECK_SHARE * affordable / (2 * NETWORKS_PER_CHECK))))
        return cls(networks, rounds, checks)


@dataclass(frozen=True, repr=False)
class Challenge:
    """The result of `challenge`.

    Attributes:
        schemes: the challenged scheme, then its rivals.
        criterion: the name of the metric in which the scheme loses most.
        rival: the index in `schemes` of the rival with the largest lead.
        confirmed: the trial of the simplest network with fresh seeds.
        unsimplified: the chosen network before its simplification.
        scenario: the text of the scenario file of the simplest network.
        runs: the runs of the confirmation: all schemes in this scenario.
        rule: the networks in which the scheme loses; None if no rule was confirmed.
        trials: all networks of the search.
        run_count: number of runs.

    """

    schemes: tuple[Candidate, ...]
    criterion: str
    rival: int
    confirmed: Trial
    unsimplified: Network
    scenario: str
    runs: Runs
    rule: Rule | None
    trials: tuple[Trial, ...]
    run_count: int

    @property
    def network(self) -> Network:
        """The simplest network."""
        return self.confirmed.network

    @property
    def worse_by(self) -> Estimate:
        """The loss in the simplest network: 1 - own / rival's benefit, paired by seed."""
        return self.confirmed.loss(self.criterion, self.rival)

    @property
    def is_worse(self) -> bool:
        """Whether the 95 % interval of the loss is above zero."""
        return self.worse_by.low is not None and self.worse_by.low > 0

    @property
    def conclusion(self) -> str:
        """The loss and its network in one sentence, or that no loss was confirmed."""
        criterion, loss = CRITERIA[self.criterion], self.worse_by
        scheme, rival = self.schemes[0].label, self.schemes[self.rival].label
        if not self.is_worse:
            others = joined([each.label for each in self.schemes[1:]])
            subject = f"loss of {scheme} compared with {others}"
            return f"No {subject} was confirmed ({criterion.words}); {len(self.trials)} networks were tried."
        means = [float(np.nanmean(self.values(number))) for number in (0, self.rival)]
        scale = scale_for(metric_of(criterion.metric).quantity, means)
        both = " versus ".join(f"{scale.factor * mean:.3g}" for mean in means)
        values = f"{criterion.words} {both} {scale.unit}".rstrip()
        low, high = (criterion.amount(bound) for bound in loss.ci95 or (loss.mean, loss.mean))
        sentence = criterion.sentence(scheme, rival, loss.mean)
        return f"{sentence} (95 % interval: {low} to {high}) on {self.network.words}: {values}."

    def values(self, scheme: int, criterion: str = "") -> Array:
        """The metric of a scheme, by its index in `schemes`, in each run of the confirmation."""
        values: Array = self.confirmed.values[criterion or self.criterion][scheme]
        return values

    def __repr__(self) -> str:
        return "\n".join(filter(None, (self.conclusion, self.rule_text)))

    @property
    def rule_text(self) -> str:
        """The rule as a sentence; empty without a rule."""
        scheme, rival = self.schemes[0].label, self.schemes[self.rival].label
        return self.rule.sentence(scheme, rival, CRITERIA[self.criterion]) if self.rule else ""

    def to_dict(self) -> dict[str, Any]:
        """The result as `penstock challenge --json` writes it."""
        loss = self.worse_by
        return {
            "penstock": _native.version,
            "scheme": self.schemes[0].label,
            "against": [scheme.label for scheme in self.schemes[1:]],
            "conclusion": self.conclusion,
            "metric": self.criterion,
            "rival": self.schemes[self.rival].label,
            "worse_by": {"mean": loss.mean, "ci95": loss.ci95},
            "runs": loss.runs,
            "network": self.network.to_dict(),
            "unsimplified": self.unsimplified.to_dict(),
            "scenario": self.runs.design.scenario,
            "toml": self.scenario,
            "rows": self.runs.to_dict()["rows"],
            "rule": None if self.rule is None else {**self.rule.to_dict(), "text": self.rule_text},
            "trials": [
                {
                    "network": trial.network.to_dict(),
                    "worse_by": _finite_or_none(trial.smallest_loss(self.criterion, self.rival)),
                }
                for trial in self.trials
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
    """Search for the network in which a scheme loses most compared with the best of its rivals.

    Args:
        scheme: the challenged scheme: a queue, or text as after `--scheme`.
        against: one or several rivals.
        metric: "utilization", "delay_p99", "loss", "fairness", "far_goodput" or "completion"; by default, the
            largest loss in any of the first four counts.
        runs: number of runs of each scheme in the confirmation, at least 2.
        seed: first seed of the search; the confirmation uses other seeds.
        budget_s: planned time in seconds on two cores; it sets the number of networks.
        jobs: number of threads; by default all cores.
        progress: called with the number of finished runs and the expected number of all runs.
        store: keeps finished runs, so that an interrupted search can be resumed.

    Raises `ScenarioError` for an invalid scheme, and `PenstockError` if a scheme refuses every network.
    """
    if runs < 2:
        raise PenstockError("at least two runs are needed for an interval")
    schemes = _schemes(scheme, against)
    criteria = DEFAULT_CRITERIA if metric is None else (criterion_of(metric),)
    never_off = frozenset(CRITERIA[name].needs for name in criteria if CRITERIA[name].needs)
    bench = Bench(schemes, criteria, results=store, threads=jobs or cores(), progress=progress)
    search = Search(bench, never_off, seed)
    effort = Effort.plan(budget_s, _mean_events(bench, search))
    bench.planned_runs = len(schemes) * SEARCH_RUNS * (effort.networks + effort.rounds * PER_ROUND)
    search.sample(effort.networks)
    search.refine(effort.rounds)
    trials = tuple(trial for _, trial in search.entries)
    final_seeds = range(seed + FRESH_SEED_OFFSET, seed + FRESH_SEED_OFFSET + FINAL_RUNS)
    worst = sorted(trials, key=lambda trial: -trial.score)[:FINALIST_COUNT]
    finalists = bench.measure([trial.network for trial in worst], final_seeds)
    candidates = [(*before.worst, trial) for before, trial in zip(worst, finalists, strict=True)]
    criterion, rival, chosen = max(candidates, key=lambda entry: _lower_end(entry[2].loss(*entry[:2])))
    simplest = simplify(bench, chosen, criterion, rival, final_seeds)
    rule = _confirmed_rule(search, criterion, rival, simplest.loss(criterion, rival).mean, effort.checks)
    first_seed = seed + 2 * FRESH_SEED_OFFSET
    (confirmed,) = bench.measure([simplest.network], range(first_seed, first_seed + runs))
    document = simplest.network.document(first_seed)
    compared = compare(document, schemes, runs=runs, jobs=jobs, store=bench.results)
    scenario = simplest.network.toml(first_seed)
    return Challenge(
        schemes=schemes,
        criterion=criterion,
        rival=rival,
        confirmed=confirmed,
        unsimplified=chosen.network,
        scenario=scenario,
        runs=compared,
        rule=rule,
        trials=trials,
        run_count=bench.run_count,
    )


def _schemes(scheme: SchemeLike, against: SchemeLike | Iterable[SchemeLike]) -> tuple[Candidate, ...]:
    """The challenged scheme and its rivals. Raises `PenstockError` if no rival is left."""
    challenged = Candidate.of(scheme)
    rivals = [each for each in Candidate.all_of(against) if each.label != challenged.label]
    if not rivals:
        raise PenstockError(f"{challenged.label} needs another scheme to be compared with")
    return (challenged, *rivals)


def _mean_events(bench: Bench, search: Search) -> float:
    """Mean events of one run per scheme, in total. Raises the errors of a network if every network is refused."""
    points = latin_hypercube(np.random.default_rng(search.seed), MIN_NETWORKS)
    networks = [network_at(point, search.never_off) for point in points]
    events = [count for network in networks if (count := bench.events(network)) is not None]
    if not events:
        for document in bench.documents(networks[0]):
            document.resolve()
    return float(np.mean(events))


def _confirmed_rule(search: Search, criterion: str, rival: int, largest: float, checks: int) -> Rule | None:
    """The rule with the best check in fresh networks; None if no check confirms a rule.

    The networks of a check are added to the ones from which the next rule is derived: the networks of the search
    cluster where the loss is large and hardly cover the rest of the space.
    """

    def losses(trials: Sequence[Trial]) -> list[float]:
        return [trial.smallest_loss(criterion, rival) for trial in trials]

    trials = [trial for _, trial in search.entries]
    threshold = threshold_for(losses(trials), largest)
    rules: list[Rule] = []
    while threshold is not None and len(rules) < checks and not any(rule.is_confirmed for rule in rules):
        rule = find_rule([trial.network for trial in trials], losses(trials), threshold)
        if rule is None:
            break
        inside, outside = (_fresh_trials(search, rule, is_inside) for is_inside in (True, False))
        rules.append(rule.with_check(losses(inside), losses(outside)))
        trials += [*inside, *outside]
    best = max(rules, key=lambda rule: rule.confirmation, default=None)
    return best if best is not None and best.confirmation >= MIN_CONFIRMATION else None


def _fresh_trials(search: Search, rule: Rule, is_inside: bool) -> list[Trial]:
    """Trials of fresh networks on one side of a rule."""
    points = latin_hypercube(search.rng, CHECK_POOL)
    networks = (network_at(point, search.never_off) for point in points)
    on_side = (each for each in networks if rule.covers(each) is is_inside and search.bench.events(each) is not None)
    return search.bench.measure(
        list(islice(on_side, NETWORKS_PER_CHECK)), range(search.seed, search.seed + SEARCH_RUNS)
    )


def _lower_end(loss: Estimate) -> float:
    """The lower end of the interval of a loss; minus infinity without an interval."""
    return -math.inf if loss.low is None else loss.low


def _finite_or_none(value: float) -> float | None:
    """The value; None if it is not finite."""
    return value if math.isfinite(value) else None
