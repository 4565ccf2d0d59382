"""Measurement of settings on the networks of a population, and their scores against the aims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from penstock.errors import ErrorDetail, ScenarioError
from penstock.results.columns import result_columns
from penstock.results.display import scheme_argument
from penstock.results.estimate import Estimate, summarize
from penstock.scenario.document import Document
from penstock.scenario.loaded_link import LoadedLink
from penstock.scenario.resolve import resolve
from penstock.studies.candidate import Candidate
from penstock.studies.chunk import Cell
from penstock.studies.complete import complete
from penstock.studies.executor import Progress, ThreadExecutor
from penstock.studies.part import CellRuns
from penstock.studies.plan import own_queue, placed
from penstock.studies.run_rows import run_rows
from penstock.studies.store import Results
from penstock.tuning.aim import Aim, origin_of, weighted
from penstock.tuning.departure import departure
from penstock.tuning.population import Draw, Population
from penstock.tuning.rules import rules_of

__all__ = ["Bench", "Measured", "Setting"]

Array = npt.NDArray[np.float64]

REPORTED_METRICS = ("utilization", "delay_mean_s", "delay_p99_s", "loss_rate")
"""Metrics of the tuned link that are reported in addition to those of the aims."""


@dataclass(frozen=True)
class Setting:
    """A scheme with its parameters, and their origin.

    The origin is "present" (the scenario's own queue), "default", "given" (with parameters from the user), "reference"
    (a scheme that the user did not request), "searched", or the source of a rule.
    """

    scheme: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    origin: str = "default"

    @property
    def label(self) -> str:
        """The setting in the notation of `--scheme`."""
        return scheme_argument(self.scheme, dict(self.parameters))

    @property
    def is_rule(self) -> bool:
        """Whether the parameters follow from a published rule."""
        return self.origin not in ("present", "default", "given", "reference", "searched")


@dataclass(frozen=True)
class Measured:
    """A setting with the metrics of its runs, in the order of the networks.

    Attributes:
        setting: the setting.
        values: by place and metric, the value of each run; NaN where a run has none.
        scores: one per run, smaller is better: from 0 to 1 if the run meets every aim, else 1 plus the weighted sum of
            the shortfalls.

    """

    setting: Setting
    values: Mapping[tuple[str, str], Array]
    scores: Array

    @cached_property
    def score(self) -> float:
        """The mean score."""
        return float(np.mean(self.scores))

    @property
    def meets(self) -> npt.NDArray[np.bool_]:
        """For each run, whether it meets every aim."""
        return np.asarray(self.scores <= 1.0)

    def summary(self, place: str, metric: str) -> Estimate:
        """Mean and 95 % interval of a metric over the runs that have it."""
        return summarize([value for value in self.values[place, metric].tolist() if np.isfinite(value)])

    def joined(self, other: Measured) -> Measured:
        """The runs of both measurements, which are of the same setting."""
        values = {key: np.concatenate([column, other.values[key]]) for key, column in self.values.items()}
        return replace(self, values=values, scores=np.concatenate([self.scores, other.scores]))


class Bench:
    """Replaces the queue of a link by each setting and measures it on the networks of a population.

    All settings run on the same networks with the same random numbers. If both directions of a link are tuned, the
    queue of the other direction has the same scheme; see `companion`.
    """

    def __init__(
        self,
        population: Population,
        links: Sequence[LoadedLink],
        aims: Sequence[Aim],
        *,
        results: Results | None = None,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> None:
        self.population, self.links, self.aims = population, tuple(links), tuple(aims)
        self.results = Results() if results is None else results
        self.threads, self.progress = threads, progress
        self.runs = self.planned = 0

    @property
    def link(self) -> LoadedLink:
        """The tuned link."""
        return self.links[0]

    @property
    def competing(self) -> tuple[Aim, ...]:
        """The aims that span a Pareto front: two or more without bounds and weights; otherwise empty."""
        unbounded = tuple(aim for aim in self.aims if not aim.has_bound)
        return unbounded if len(unbounded) > 1 and not weighted(unbounded) else ()

    def is_valid(self, setting: Setting) -> bool:
        """Whether the scheme accepts these parameters on this link."""
        document = self._placed(self.population.document, setting)
        return not resolve(document.tree, document.origins).errors

    def measure(self, settings: Sequence[Setting], draws: Sequence[Draw]) -> list[Measured]:
        """Measure each setting on these networks; their numbers must be distinct.

        Raises `ScenarioError`, and `PenstockError` if no run has the metric of an aim.
        """
        cells = [
            Cell({"scheme": setting.label, "draw": draw.number}, document.resolve(), seeds)
            for draw in draws
            for seeds in [range(draw.seed, draw.seed + 1)]
            for network in [self.population.document_of(draw)]
            for setting in settings
            for document in [self._placed(network, setting)]
        ]
        runs = self._run(cells)
        columns = {(column.place, column.metric): column.name for column in result_columns(runs.column_names)}
        measured = []
        for number, setting in enumerate(settings):
            rows = runs.take(pa.array(range(number, len(cells), len(settings))))
            measured.append(self._measured(setting, rows, columns))
        return measured

    def companion(self, setting: Setting, link: LoadedLink) -> Setting:
        """The setting of the queue in the other direction.

        It has the parameters of the same rule for that direction, or the same parameters; the present queue stays. Of a
        searched setting, parameters that depend on rate and buffer are left at their defaults.
        """
        if setting.is_rule:
            rules = {rule.source: rule.parameters for rule in rules_of(setting.scheme, link)}
            return replace(setting, parameters=rules.get(setting.origin, {}))
        if setting.origin == "present":
            queue = own_queue(self.population.document, link.place)
            own = {key: value for key, value in queue.items() if key not in ("scheme", "share")}
            return replace(setting, scheme=queue["scheme"], parameters=own)
        link_dependent = {"limit", "min_th", "max_th", "w_q", "max_p"}
        searched = setting.origin == "searched"
        return replace(
            setting, parameters={k: v for k, v in setting.parameters.items() if not searched or k not in link_dependent}
        )

    def costs(self, measured: Measured) -> Array:
        """What the search minimizes, per run: the score, or the departure from the defaults if all aims have bounds.

        A run that misses an aim costs its score, which is above 1; a run that meets all aims costs between 0 and 1.
        """
        if any(not aim.has_bound for aim in self.aims):
            return measured.scores
        distance = departure(measured.setting.scheme, measured.setting.parameters, self.link)
        return np.asarray(np.where(measured.meets, distance / (1 + distance), measured.scores))

    def _placed(self, document: Document, setting: Setting) -> Document:
        """The scenario with the setting at the tuned link, and its companion in the other one if that is tuned."""
        if setting.origin == "present":
            return document
        for link in self.links:
            own = setting if link is self.link else self.companion(setting, link)
            document = placed(document, Candidate(own.scheme, own.parameters, own.label), [link.place])
        return document

    def _run(self, cells: Sequence[Cell]) -> pa.Table:
        """The results of the cells, one row each."""
        distinct = {(cell.content, cell.seeds.start): cell for cell in cells}
        complete(
            distinct.values(),
            self.results,
            ThreadExecutor(self.threads),
            study="tune",
            planned=len(distinct),
            progress=self._report,
        )
        self.runs += len(distinct)
        places = [CellRuns(cell.content, cell.seeds, cell.labels) for cell in cells]
        return run_rows(places, self.results.tables({cell.content for cell in cells}))

    def _report(self, finished: int, _: int) -> None:
        if self.progress is not None:
            self.progress(self.runs + finished, max(self.planned, self.runs + finished))

    def _measured(self, setting: Setting, runs: pa.Table, columns: Mapping[tuple[str, str], str]) -> Measured:
        wanted = {(aim.place or self.link.place, aim.metric) for aim in self.aims}
        wanted |= {(self.link.place, name) for name in REPORTED_METRICS}
        values: dict[tuple[str, str], Array] = {}
        for key in sorted(wanted):
            column = runs[columns[key]].to_numpy(zero_copy_only=False) if key in columns else None
            values[key] = np.full(runs.num_rows, np.nan) if column is None else column.astype(float)
        for aim in self.aims:
            place = aim.place or self.link.place
            if not np.isfinite(values[place, aim.metric]).any():
                names = ", ".join(sorted(_finite(runs, columns, place)))
                message = f"{place} has no {aim.metric} in this scenario; there are: {names}"
                raise ScenarioError([ErrorDetail("", message, None, origin_of(aim.text))])
        return Measured(setting, values, self._scores(values))

    def _scores(self, values: Mapping[tuple[str, str], Array]) -> Array:
        """The score of each run; see `Measured`."""
        missed = np.zeros(len(next(iter(values.values()))))
        for aim in self.aims:
            if aim.has_bound:
                column = values[aim.place or self.link.place, aim.metric]
                short = [aim.shortfall(value) if np.isfinite(value) else 1.0 for value in column.tolist()]
                missed += (aim.weight or 1.0) * np.array(short)
        scores: Array = np.where(missed > 0, 1 + missed, self._ranks(values))
        return scores

    def _ranks(self, values: Mapping[tuple[str, str], Array]) -> Array:
        """Scores from 0 to 1 of runs that meet every bound: by the aims without a bound, else by power."""
        unbounded = [aim for aim in self.aims if not aim.has_bound]
        if weighted(unbounded):
            return self._weighted(unbounded, values)
        if unbounded:
            column = values[unbounded[0].place or self.link.place, unbounded[0].metric]
            part = np.abs(column) / (1 + np.abs(column))
            rank: Array = np.nan_to_num(part if unbounded[0].side == "min" else 1 - part, nan=1.0)
            return rank
        return np.nan_to_num(1 - self.power(values), nan=1.0)

    def _weighted(self, unbounded: Sequence[Aim], values: Mapping[tuple[str, str], Array]) -> Array:
        """The logistic function of the weighted mean cost, between 0 and 1; for a single aim, the same as its rank."""
        weights = np.array([aim.weight or 1.0 for aim in unbounded])
        columns = [values[aim.place or self.link.place, aim.metric].tolist() for aim in unbounded]
        costs = np.array(
            [[aim.cost(value) for value in column] for aim, column in zip(unbounded, columns, strict=True)]
        )
        cost: Array = np.nan_to_num(1 / (1 + np.exp(-(weights @ costs) / weights.sum())), nan=1.0)
        return cost

    def power(self, values: Mapping[tuple[str, str], Array]) -> Array:
        """Power is throughput over delay (L. Kleinrock, "Power and deterministic rules of thumb", ICC 1979).

        Here it is the utilization times the share of propagation in the round trip, times the share of packets that are
        not dropped: a lost packet has used the links before the queue. Without this last factor (own decision), a tiny
        buffer that drops a quarter of the packets often has the highest power.
        """
        place, rtt = self.link.place, self.link.rtt
        delivered = 1 - np.nan_to_num(values[place, "loss_rate"])
        power: Array = values[place, "utilization"] * delivered * rtt / (rtt + values[place, "delay_mean_s"])
        return power


def _finite(runs: pa.Table, columns: Mapping[tuple[str, str], str], place: str) -> Iterator[str]:
    """The metrics of a place for which at least one run has a value."""
    for (where, name), column in columns.items():
        if where == place and runs[column].null_count < runs.num_rows and not pa.types.is_nested(runs[column].type):
            yield name
