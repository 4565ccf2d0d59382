"""Challenge a scheme: search for a deficit, simplify the network, confirm it with fresh seeds, and derive a rule."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from penstock import _native
from penstock.challenges.bench import ChallengeBench, Trial
from penstock.challenges.criteria import CRITERIA, DEFAULT_CRITERIA, Array, find_criterion
from penstock.challenges.network import Network, network_at
from penstock.challenges.rules import Rule, find_rule, rule_threshold
from penstock.challenges.search import SEARCH_RUNS, NetworkSearch, latin_hypercube
from penstock.challenges.simplify import simplify
from penstock.engine.run import thread_count
from penstock.errors import ErrorDetail, OptionOrigin, PenstockError, ScenarioError, append_errors_to
from penstock.results.display import display_unit, join_with_and
from penstock.results.estimate import Estimate
from penstock.results.metrics import find_metric as metric_of
from penstock.studies.candidate import Candidate, SchemeLike
from penstock.studies.compare import compare
from penstock.studies.executor import Progress
from penstock.studies.run_time import short_budget_error
from penstock.studies.runs import Runs
from penstock.studies.store import RunResults

__all__ = ["Challenge", "challenge", "parse_schemes"]

FRESH_SEED_OFFSET = 1_000_000
"""Offset from the seeds of the search to the seeds of the choice, and from there to the seeds of the confirmation."""

FINALIST_COUNT, FINAL_RUNS = 8, 5
"""Number of worst networks from which one is chosen, and runs per scheme for the choice and the simplification.

Own decision: with 5 runs, the half-width of a 95 % interval is 1.24 standard deviations (Student's t), so that a
deficit of two standard deviations is usually significant."""

SAMPLE_END, SEARCH_END, CHOICE_END, SIMPLIFICATION_END = 0.25, 0.5, 0.6, 0.7
"""Fractions of the budget after which the even sample, the steps from the worst networks, the choice, and the
simplification end. The rest is for the checks of rules and for the confirmation.

Own decision: as much for the even sample, which finds separate regions of deficits, as for the steps within them."""

MIN_NETWORKS, MAX_NETWORKS = 24, 1000
"""Limits of the number of networks in the even sample.

Own decision: at least as many as in a round of the search; more than 1000 repeat the steps of the second stage."""

MAX_CHECKS = 6
"""Maximum number of rules that are checked.

A useless rule passes one of six checks with a probability below 0.7 %, see `MIN_CONFIRMATION`."""

NETWORKS_PER_CHECK = 20
"""Number of fresh networks on each side of a rule. Own decision: see `MIN_CONFIRMATION`."""

MIN_CONFIRMATION = 0.5
"""Minimum `Rule.confirmation` of a reported rule.

If deficits are equally probable on both sides, the shares of two times 20 networks differ by as much with a probability
of at most 0.11 % (binomial distribution)."""

CHECK_POOL = 10_000
"""Size of the sample from which the networks of a check are taken.

A side with 0.4 % of the space has 40 networks in it, twice as many as a check needs."""


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
    scenario_toml: str
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
        """The deficit in the simplest network: 1 - own benefit / rival's benefit, from runs paired by seed."""
        return self.confirmed.deficit(self.criterion, self.rival)

    @property
    def is_worse(self) -> bool:
        """Whether the 95 % interval of the deficit is above zero."""
        return self.worse_by.low is not None and self.worse_by.low > 0

    @property
    def conclusion(self) -> str:
        """The deficit and its network in one sentence, or that none was confirmed."""
        criterion, deficit = CRITERIA[self.criterion], self.worse_by
        scheme, rival = self.schemes[0].label, self.schemes[self.rival].label
        if not self.is_worse:
            others = join_with_and([each.label for each in self.schemes[1:]])
            return (
                f"No network in which {scheme} performs worse than {others} was confirmed ({criterion.words}); "
                f"{len(self.trials)} networks were tried."
            )
        means = [float(np.nanmean(self.values(number))) for number in (0, self.rival)]
        scale = display_unit(metric_of(criterion.metric).quantity, means)
        both = " versus ".join(f"{scale.factor * mean:.3g}" for mean in means)
        values = f"{criterion.words} {both} {scale.unit}".rstrip()
        low, high = (criterion.amount(bound) for bound in deficit.ci95 or (deficit.mean, deficit.mean))
        sentence = criterion.sentence(scheme, rival, deficit.mean)
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
        deficit = self.worse_by
        return {
            "penstock": _native.version,
            "scheme": self.schemes[0].label,
            "against": [scheme.label for scheme in self.schemes[1:]],
            "conclusion": self.conclusion,
            "metric": self.criterion,
            "rival": self.schemes[self.rival].label,
            "worse_by": {"mean": deficit.mean, "ci95": deficit.ci95},
            "runs": deficit.runs,
            "network": self.network.to_dict(),
            "unsimplified": self.unsimplified.to_dict(),
            "scenario": self.runs.design.scenario,
            "toml": self.scenario_toml,
            "rows": self.runs.to_dict()["rows"],
            "rule": None if self.rule is None else {**self.rule.to_dict(), "text": self.rule_text},
            "trials": [
                {
                    "network": trial.network.to_dict(),
                    "worse_by": _finite_or_none(trial.smallest_deficit(self.criterion, self.rival)),
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
    store: RunResults | None = None,
) -> Challenge:
    """Search for the network in which a scheme loses most compared with the best of its rivals.

    Args:
        scheme: the challenged scheme: a queue, or text as after `--scheme`.
        against: one or several rivals.
        metric: "utilization", "delay_p99", "loss", "fairness", "far_goodput" or "completion"; by default, the
            largest deficit in any of the first four counts.
        runs: number of runs of each scheme in the confirmation, at least 2.
        seed: first seed of the search; the confirmation uses other seeds.
        budget_s: planned time in seconds on the two cores of a small machine; it sets the number of networks.
        jobs: number of threads; by default all cores.
        progress: called with the number of finished runs and the expected number of all runs.
        store: keeps finished runs, so that an interrupted search can be resumed.

    Raises `ScenarioError` for an invalid scheme, and `PenstockError` if a scheme refuses every network or the budget is
    too short.
    """
    if runs < 2:
        raise PenstockError(f"runs={runs!r}: must be at least 2, for an interval")
    schemes = parse_schemes(scheme, against)
    criteria = DEFAULT_CRITERIA if metric is None else (find_criterion(metric),)
    never_off = frozenset(CRITERIA[name].needed_coordinate for name in criteria if CRITERIA[name].needed_coordinate)
    threads = thread_count(jobs)
    bench = ChallengeBench(schemes, criteria, budget_s=budget_s, results=store, threads=threads, progress=progress)
    search = NetworkSearch(bench, never_off, seed)
    search.sample(_sample_size(bench, search))
    search.refine_worst(SEARCH_END)
    trials = tuple(trial for _, trial in search.entries)
    final_seeds = range(seed + FRESH_SEED_OFFSET, seed + FRESH_SEED_OFFSET + FINAL_RUNS)
    criterion, rival, chosen = _chosen(bench, trials, final_seeds)
    simplest = simplify(bench, chosen, criterion, rival, final_seeds, SIMPLIFICATION_END)
    share = 1 - bench.expected_seconds([simplest.network], runs) / budget_s
    rule = _confirmed_rule(search, criterion, rival, simplest.deficit(criterion, rival).mean, share)
    first_seed = seed + 2 * FRESH_SEED_OFFSET
    (confirmed,) = bench.measure([simplest.network], range(first_seed, first_seed + runs))
    document = simplest.network.document(first_seed)
    compared = compare(document, schemes, runs=runs, jobs=jobs, store=bench.results)
    scenario = simplest.network.scenario_toml(first_seed)
    return Challenge(
        schemes=schemes,
        criterion=criterion,
        rival=rival,
        confirmed=confirmed,
        unsimplified=chosen.network,
        scenario_toml=scenario,
        runs=compared,
        rule=rule,
        trials=trials,
        run_count=bench.run_count,
    )


def parse_schemes(scheme: SchemeLike, against: SchemeLike | Iterable[SchemeLike]) -> tuple[Candidate, ...]:
    """The challenged scheme and its rivals. Raises `ScenarioError`, and `PenstockError` if no rival is left."""
    errors: list[ErrorDetail] = []
    candidates: list[Candidate] = []
    with append_errors_to(errors):
        candidates.append(Candidate.from_scheme(scheme, OptionOrigin("SCHEME", "scheme")))
    with append_errors_to(errors):
        candidates += Candidate.from_schemes(against, OptionOrigin("--against", "against"))
    if errors:
        raise ScenarioError(errors)
    challenged, *others = candidates
    rivals = [each for each in others if each.label != challenged.label]
    if not rivals:
        raise PenstockError(f"{challenged.label} needs another scheme to be compared with")
    return (challenged, *rivals)


def _sample_size(bench: ChallengeBench, search: NetworkSearch) -> int:
    """The number of networks in the even sample.

    Raises the errors of a network if every network is refused, and `PenstockError` with the minimum budget if it is
    too short.
    """
    points = latin_hypercube(np.random.default_rng(search.seed), MIN_NETWORKS)
    networks = [network_at(point, search.never_off) for point in points]
    valid = [network for network in networks if bench.estimated_events(network) is not None]
    if not valid:
        for document in bench.scheme_documents(networks[0]):
            document.resolve()
    mean_s = bench.expected_seconds(valid, SEARCH_RUNS) / len(valid)
    count = int(SAMPLE_END * bench.budget_s / mean_s)
    if count < MIN_NETWORKS:
        raise short_budget_error(bench.budget_s, MIN_NETWORKS * mean_s / SAMPLE_END, f"{MIN_NETWORKS} networks")
    return min(MAX_NETWORKS, count)


def _chosen(bench: ChallengeBench, trials: Sequence[Trial], seeds: range) -> tuple[str, int, Trial]:
    """The worst trial with fresh seeds, and its criterion and rival. The lower end of the interval decides."""
    worst = sorted(trials, key=lambda trial: -trial.score)[:FINALIST_COUNT]
    networks = [trial.network for trial in worst]
    finalists = bench.measure(bench.affordable_networks(networks, len(seeds), CHOICE_END) or networks[:1], seeds)
    candidates = [(*before.worst_criterion_and_rival, trial) for before, trial in zip(worst, finalists, strict=False)]
    return max(candidates, key=lambda entry: _lower_end(entry[2].deficit(*entry[:2])))


def _confirmed_rule(search: NetworkSearch, criterion: str, rival: int, largest: float, share: float) -> Rule | None:
    """The rule with the best check in fresh networks; None if no check within this share of the budget confirms one.

    The networks of a check are added to the ones from which the next rule is derived: the networks of the search
    cluster where the deficit is large and hardly cover the rest of the space.
    """

    def deficits(trials: Sequence[Trial]) -> list[float]:
        return [trial.smallest_deficit(criterion, rival) for trial in trials]

    trials = [trial for _, trial in search.entries]
    threshold = rule_threshold(deficits(trials), largest)
    rules: list[Rule] = []
    while threshold is not None and len(rules) < MAX_CHECKS and not any(rule.is_confirmed for rule in rules):
        rule = find_rule([trial.network for trial in trials], deficits(trials), threshold)
        if rule is None:
            break
        sides = [_fresh_networks(search, rule, is_inside) for is_inside in (True, False)]
        both = [*sides[0], *sides[1]]
        if len(search.bench.affordable_networks(both, SEARCH_RUNS, share)) < len(both):
            break
        seeds = range(search.seed, search.seed + SEARCH_RUNS)
        inside, outside = (search.bench.measure(networks, seeds) for networks in sides)
        rules.append(rule.with_fresh_counts(deficits(inside), deficits(outside)))
        trials += [*inside, *outside]
    best = max(rules, key=lambda rule: rule.confirmation, default=None)
    return best if best is not None and best.confirmation >= MIN_CONFIRMATION else None


def _fresh_networks(search: NetworkSearch, rule: Rule, is_inside: bool) -> list[Network]:
    """Fresh networks on one side of a rule."""
    points = latin_hypercube(search.rng, CHECK_POOL)
    networks = (network_at(point, search.never_off) for point in points)
    on_side = (
        each for each in networks if rule.covers(each) is is_inside and search.bench.estimated_events(each) is not None
    )
    return list(islice(on_side, NETWORKS_PER_CHECK))


def _lower_end(deficit: Estimate) -> float:
    """The lower end of the interval of a deficit; minus infinity without an interval."""
    return -math.inf if deficit.low is None else deficit.low


def _finite_or_none(value: float) -> float | None:
    """The value; None if it is not finite."""
    return value if math.isfinite(value) else None
