"""Runs a scheme and its rivals in many networks on the same seeds, and measures how much worse the scheme does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from penstock.challenges.criteria import CRITERIA, Array, measured
from penstock.challenges.network import Network
from penstock.errors import ScenarioError
from penstock.results.estimate import Estimate, summarize
from penstock.scenario.budget.estimate import estimate
from penstock.scenario.scenario import Document
from penstock.studies.candidate import Candidate
from penstock.studies.executor import Progress
from penstock.studies.plan import placed
from penstock.studies.store import Results
from penstock.studies.study import Study

__all__ = ["PLACE", "Bench", "Trial"]

PLACE = "bottleneck"


@dataclass(frozen=True)
class Trial:
    """A network with what the runs of all schemes measured in it.

    Attributes:
        network: the network.
        values: by criterion: of each scheme, the scheme itself first, and each seed; NaN where a run has no value.
        criteria: those of which the worst one counts.

    """

    network: Network
    values: dict[str, Array]
    criteria: tuple[str, ...]

    def worse_by(self, criterion: str, rival: int) -> Array:
        """The part of a rival's benefit that the scheme loses, on each seed; negative where it does better."""
        with np.errstate(divide="ignore", invalid="ignore"):
            benefits = CRITERIA[criterion].benefit(self.values[criterion], self.network)
            lost: Array = 1 - benefits[0] / benefits[rival]
        return np.where(np.isfinite(lost), lost, np.nan)

    @cached_property
    def worst(self) -> tuple[str, int]:
        """The criterion and the number of the rival where the scheme loses most for sure."""
        rivals = range(1, len(next(iter(self.values.values()))))
        return max(
            ((criterion, rival) for criterion in self.criteria for rival in rivals),
            key=lambda pair: self.certain_loss(*pair),
        )

    @cached_property
    def score(self) -> float:
        """The smallest loss on any seed, against the rival and in the criterion where that is largest."""
        return self.certain_loss(*self.worst)

    def certain_loss(self, criterion: str, rival: int) -> float:
        """The smallest loss on any seed; minus infinity if a run has no value."""
        lost = self.worse_by(criterion, rival)
        return float("-inf") if np.isnan(lost).any() else float(lost.min())

    def loss(self, criterion: str, rival: int) -> Estimate:
        """The loss with its interval, paired by seed."""
        lost = self.worse_by(criterion, rival)
        return summarize(lost[~np.isnan(lost)].tolist() or [float("nan")])


class Bench:
    """Measures networks.

    Attributes:
        schemes: the scheme that is challenged, then its rivals.
        criteria: those of which the worst one counts.
        runs: number of runs.
        planned: expected number of runs.

    """

    def __init__(
        self,
        schemes: Sequence[Candidate],
        criteria: Sequence[str],
        *,
        results: Results | None,
        threads: int,
        progress: Progress | None,
    ) -> None:
        self.schemes, self.criteria = tuple(schemes), tuple(criteria)
        self.results = Results() if results is None else results
        self.threads, self.progress = threads, progress
        self.runs = self.planned = 0

    def documents(self, network: Network, seed: int = 1) -> list[Document]:
        """The scenario with each scheme."""
        document = network.document(seed)
        return [placed(document, scheme, [PLACE]) for scheme in self.schemes]

    def events(self, network: Network) -> float | None:
        """Estimated events of a run with each scheme; None if a scheme refuses the network."""
        try:
            return sum(estimate(document.resolve()).total_events for document in self.documents(network))
        except ScenarioError:
            return None

    def measure(self, networks: Sequence[Network], seeds: range) -> list[Trial]:
        """The networks, each run with every scheme and these seeds."""
        if not networks:
            return []
        documents = [self.documents(network) for network in networks]
        study = Study(
            lambda network, scheme: documents[network][scheme],
            {"network": range(len(networks)), "scheme": range(len(self.schemes))},
            seeds=len(seeds),
            first_seed=seeds[0],
            name="challenge",
        )
        table = study.run(measured, store=self.results, jobs=self.threads, progress=self._report)
        self.runs += len(networks) * len(self.schemes) * len(seeds)
        samples = [values for _, values in table.cells]
        missing = np.full(len(seeds), np.nan)
        trials = []
        for number, network in enumerate(networks):
            rows = samples[number * len(self.schemes) : (number + 1) * len(self.schemes)]
            arrays = [[row[name].values if name in row else missing for row in rows] for name in CRITERIA]
            trials.append(Trial(network, dict(zip(CRITERIA, map(np.array, arrays), strict=True)), self.criteria))
        return trials

    def _report(self, finished: int, _: int) -> None:
        if self.progress is not None:
            self.progress(self.runs + finished, max(self.planned, self.runs + finished))
