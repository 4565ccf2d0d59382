"""Run a scheme and its rivals in many networks with the same seeds, and compute the deficits of the scheme."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from penstock.challenges.criteria import CRITERIA, Array, metric_values
from penstock.challenges.network import BOTTLENECK, Network
from penstock.errors import ScenarioError
from penstock.results.estimate import Estimate, summarize
from penstock.scenario.budget.estimate import estimate_run
from penstock.scenario.document import Document
from penstock.studies.candidate import Candidate
from penstock.studies.executor import Progress
from penstock.studies.plan import with_candidate_queue
from penstock.studies.run_time import expected_run_seconds
from penstock.studies.store import RunResults
from penstock.studies.study import Study

__all__ = ["ChallengeBench", "Trial"]


@dataclass(frozen=True)
class Trial:
    """A network with the metrics of all schemes in it.

    Attributes:
        network: the network.
        values: per criterion, an array with one row per scheme, the challenged one first, and one column per seed; NaN
            where a run has no value.
        criteria: names of the criteria; the largest deficit in any of them counts.

    """

    network: Network
    values: dict[str, Array]
    criteria: tuple[str, ...]

    def deficits(self, criterion: str, rival: int) -> Array:
        """Deficit per seed: 1 - own / rival's benefit; negative where the scheme does better, NaN without a value."""
        with np.errstate(divide="ignore", invalid="ignore"):
            benefits = CRITERIA[criterion].benefit(self.values[criterion], self.network)
            deficits: Array = 1 - benefits[0] / benefits[rival]
        return np.where(np.isfinite(deficits), deficits, np.nan)

    @cached_property
    def worst_criterion_and_rival(self) -> tuple[str, int]:
        """The criterion and the index of the rival with the largest `smallest_deficit`."""
        rivals = range(1, len(next(iter(self.values.values()))))
        return max(
            ((criterion, rival) for criterion in self.criteria for rival in rivals),
            key=lambda pair: self.smallest_deficit(*pair),
        )

    @cached_property
    def score(self) -> float:
        """The `smallest_deficit` in the worst criterion, compared with the worst rival."""
        return self.smallest_deficit(*self.worst_criterion_and_rival)

    def smallest_deficit(self, criterion: str, rival: int) -> float:
        """The smallest deficit of all seeds; minus infinity if a run has no value."""
        deficits = self.deficits(criterion, rival)
        return float("-inf") if np.isnan(deficits).any() else float(deficits.min())

    def deficit(self, criterion: str, rival: int) -> Estimate:
        """Mean deficit and its 95 % interval, paired by seed."""
        deficits = self.deficits(criterion, rival)
        return summarize(deficits[~np.isnan(deficits)].tolist() or [float("nan")])

    def with_runs_of(self, other: Trial) -> Trial:
        """A trial with the runs of both trials, which are in the same network."""
        values = {name: np.concatenate([own, other.values[name]], axis=1) for name, own in self.values.items()}
        return Trial(self.network, values, self.criteria)


class ChallengeBench:
    """Runs all schemes in networks and counts the runs.

    Attributes:
        schemes: the challenged scheme, then its rivals.
        criteria: names of the criteria; the largest deficit in any of them counts.
        run_count: number of runs so far.
        spent_s: expected time of these runs in seconds, on the two cores of a small machine.
        budget_s: planned time of all runs in seconds.

    """

    def __init__(
        self,
        schemes: Sequence[Candidate],
        criteria: Sequence[str],
        *,
        budget_s: float,
        results: RunResults | None,
        threads: int,
        progress: Progress | None,
    ) -> None:
        self.schemes, self.criteria = tuple(schemes), tuple(criteria)
        self.results = RunResults() if results is None else results
        self.threads, self.progress = threads, progress
        self.budget_s, self.spent_s, self.run_count = budget_s, 0.0, 0
        self._events: dict[Network, float | None] = {}

    def scheme_documents(self, network: Network) -> list[Document]:
        """The scenario of a network with each scheme, in the order of `schemes`."""
        document = network.document()
        return [with_candidate_queue(document, scheme, [BOTTLENECK]) for scheme in self.schemes]

    def estimated_events(self, network: Network) -> float | None:
        """Estimated events of one run per scheme, in total; None if a scheme refuses the network."""
        if network not in self._events:
            try:
                documents = self.scheme_documents(network)
                self._events[network] = sum(estimate_run(document.resolve()).total_events for document in documents)
            except ScenarioError:
                self._events[network] = None
        return self._events[network]

    def expected_seconds(self, networks: Sequence[Network], runs: int) -> float:
        """Expected time in seconds of this number of runs per scheme in each network."""
        events = sum(self.estimated_events(network) or 0.0 for network in networks)
        return expected_run_seconds(runs * len(self.schemes) * len(networks), runs * events)

    def affordable_networks(self, networks: Sequence[Network], runs: int, share: float) -> list[Network]:
        """The first networks whose runs fit into this share of the budget, with everything that was run before."""
        left = share * self.budget_s - self.spent_s
        ends = itertools.accumulate(self.expected_seconds([network], runs) for network in networks)
        return [network for network, end in zip(networks, ends, strict=True) if end <= left]

    def measure(self, networks: Sequence[Network], seeds: range) -> list[Trial]:
        """Run every scheme in each network with these seeds."""
        if not networks:
            return []
        documents = [self.scheme_documents(network) for network in networks]
        study = Study(
            lambda network, scheme: documents[network][scheme],
            {"network": range(len(networks)), "scheme": range(len(self.schemes))},
            seeds=len(seeds),
            first_seed=seeds[0],
            name="challenge",
        )
        table = study.run(metric_values, store=self.results, jobs=self.threads, progress=self._report)
        self.run_count += len(networks) * len(self.schemes) * len(seeds)
        self.spent_s += self.expected_seconds(networks, len(seeds))
        samples = [values for _, values in table.cells]
        missing = np.full(len(seeds), np.nan)
        trials = []
        for number, network in enumerate(networks):
            rows = samples[number * len(self.schemes) : (number + 1) * len(self.schemes)]
            arrays = [[row[name].values if name in row else missing for row in rows] for name in CRITERIA]
            trials.append(Trial(network, dict(zip(CRITERIA, map(np.array, arrays), strict=True)), self.criteria))
        return trials

    def _report(self, finished: int, _: int) -> None:
        """Report the finished runs and the expected number of all runs, in proportion to the spent budget."""
        if self.progress is not None:
            done = self.run_count + finished
            share = min(1.0, self.spent_s / self.budget_s) or 1.0
            self.progress(done, max(done, round(self.run_count / share)))
