"""Settings of schemes, measured on one scenario on the same seeds, and their score against the aims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from penstock.errors import PenstockError, ScenarioError
from penstock.results.display import scheme_argument
from penstock.results.estimate import Estimate, summarize
from penstock.results.runs import Runs
from penstock.scenario.loaded_link import LoadedLink
from penstock.scenario.scenario import Document
from penstock.studies.candidate import Candidate
from penstock.studies.compare import run_plan
from penstock.studies.executor import Progress
from penstock.studies.plan import Plan
from penstock.studies.store import Results
from penstock.tuning.aim import Aim, weighted

__all__ = ["Bench", "Measured", "Setting"]

Array = npt.NDArray[np.float64]

SHOWN = ("utilization", "delay_mean_s", "delay_p99_s", "loss_rate")
"""Metrics of the tuned link that are shown beside those of the aims."""


@dataclass(frozen=True)
class Setting:
    """A scheme with its parameters, and their origin: "default", "given", "searched", or the source of a rule."""

    scheme: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    origin: str = "default"

    @property
    def label(self) -> str:
        """In the notation of `--scheme`."""
        return scheme_argument(self.scheme, dict(self.parameters))


@dataclass(frozen=True)
class Measured:
    """A setting with the metrics of its runs, in the order of the seeds.

    Attributes:
        setting: the setting.
        values: of each run, by place and metric.
        scores: of each run: from 0 to 1 if it meets every aim, the better the smaller; else 1 and the sum of the
            distances from the bounds.

    """

    setting: Setting
    values: Mapping[tuple[str, str], Array]
    scores: Array

    @cached_property
    def score(self) -> float:
        """The mean score."""
        return float(np.mean(self.scores))

    def summary(self, place: str, metric: str) -> Estimate:
        """Mean and interval of a metric."""
        return summarize([value for value in self.values[place, metric].tolist() if np.isfinite(value)])


class Bench:
    """Measures settings in place of the queue of a link, on common random numbers."""

    def __init__(
        self,
        document: Document,
        link: LoadedLink,
        aims: Sequence[Aim],
        *,
        results: Results | None = None,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> None:
        self.document, self.link, self.aims = document, link, tuple(aims)
        self.results = Results() if results is None else results
        self.threads, self.progress = threads, progress
        self.runs = self.planned = 0

    @property
    def competing(self) -> tuple[Aim, ...]:
        """The aims of a Pareto front: several without a bound and without weights; else none."""
        best = tuple(aim for aim in self.aims if not aim.bounded)
        return best if len(best) > 1 and not weighted(best) else ()

    def is_valid(self, setting: Setting) -> bool:
        """Whether the scheme accepts these parameters on this link."""
        try:
            Plan.make(self.document, [Candidate(setting.scheme, setting.parameters)], at=self.link.place)
        except ScenarioError:
            return False
        return True

    def measure(self, settings: Sequence[Setting], seeds: range, document: Document | None = None) -> list[Measured]:
        """The settings, each run with these seeds; in another scenario if one is given."""
        scenario = (document or self.document).set("seed", seeds[0], "tune")
        candidates = [Candidate(setting.scheme, setting.parameters, setting.label) for setting in settings]
        plan = Plan.make(scenario, candidates, at=self.link.place)
        runs = run_plan(plan, len(seeds), None, self.threads, self._report, self.results)
        self.runs += len(seeds) * len(plan.cases)
        return [self._measured(setting, runs[setting.label]) for setting in settings]

    def _report(self, finished: int, _: int) -> None:
        if self.progress is not None:
            self.progress(self.runs + finished, max(self.planned, self.runs + finished))

    def _measured(self, setting: Setting, runs: Runs) -> Measured:
        columns = {(aim.place or self.link.place, aim.metric) for aim in self.aims}
        columns |= {(self.link.place, name) for name in SHOWN}
        values: dict[tuple[str, str], Array] = {}
        for place, name in sorted(columns):
            has_metric = name in runs.metrics.get(place, ())
            values[place, name] = runs.array(name, place)[0, 0] if has_metric else np.full(len(runs), np.nan)
        for aim in self.aims:
            place = aim.place or self.link.place
            if not np.isfinite(values[place, aim.metric]).any():
                known_names = ", ".join(sorted(runs.metrics.get(place, ())))
                raise PenstockError(f"--aim '{aim.text}': {place} has no {aim.metric} here; it has: {known_names}")
        return Measured(setting, values, self._scores(values))

    def _scores(self, values: Mapping[tuple[str, str], Array]) -> Array:
        """Of each run; see `Measured`."""
        missed = np.zeros(len(next(iter(values.values()))))
        for aim in self.aims:
            if aim.bounded:
                column = values[aim.place or self.link.place, aim.metric]
                short = [aim.shortfall(value) if np.isfinite(value) else 1.0 for value in column.tolist()]
                missed += (aim.weight or 1.0) * np.array(short)
        scores: Array = np.where(missed > 0, 1 + missed, self._ranks(values))
        return scores

    def _ranks(self, values: Mapping[tuple[str, str], Array]) -> Array:
        """Of runs that meet every bound, from 0 to 1: by the aims without a bound, else by power."""
        best = [aim for aim in self.aims if not aim.bounded]
        if weighted(best):
            return self._weighted(best, values)
        if best:
            column = values[best[0].place or self.link.place, best[0].metric]
            part = np.abs(column) / (1 + np.abs(column))
            rank: Array = np.nan_to_num(part if best[0].side == "min" else 1 - part, nan=1.0)
            return rank
        return np.nan_to_num(1 - self.power(values), nan=1.0)

    def _weighted(self, best: Sequence[Aim], values: Mapping[tuple[str, str], Array]) -> Array:
        """The mean cost of the aims by their weights, as a number between 0 and 1; of one aim, the same as its part."""
        weights = np.array([aim.weight or 1.0 for aim in best])
        columns = [values[aim.place or self.link.place, aim.metric].tolist() for aim in best]
        costs = np.array([[aim.cost(value) for value in column] for aim, column in zip(best, columns, strict=True)])
        cost: Array = np.nan_to_num(1 / (1 + np.exp(-(weights @ costs) / weights.sum())), nan=1.0)
        return cost

    def power(self, values: Mapping[tuple[str, str], Array]) -> Array:
        """Power is throughput over delay (L. Kleinrock, "Power and deterministic rules of thumb", ICC 1979).

        Here the utilization times the part of propagation in the round trip. It is also multiplied by the part of the
        packets that is not dropped: a lost packet has used the links before the queue. Without that (own decision) the
        highest power is often had with a tiny buffer that drops a quarter of the packets.
        """
        place, rtt = self.link.place, self.link.rtt
        delivered = 1 - np.nan_to_num(values[place, "loss_rate"])
        power: Array = values[place, "utilization"] * delivered * rtt / (rtt + values[place, "delay_mean_s"])
        return power
