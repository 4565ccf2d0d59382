"""Measurement of settings on the networks of a population, and their scores against the aims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from penstock import _native
from penstock.aqms import python_aqm
from penstock.errors import ErrorDetail, ScenarioError
from penstock.results.display import scheme_argument
from penstock.results.estimate import Estimate, summarize
from penstock.results.run_table import Array
from penstock.scenario.document import Document
from penstock.scenario.loaded_link import LoadedLink
from penstock.scenario.resolve import resolve
from penstock.studies.candidate import Candidate
from penstock.studies.chunk import StudyCell
from penstock.studies.complete import execute_missing_runs
from penstock.studies.executor import Progress, ThreadExecutor
from penstock.studies.plan import own_queue, with_candidate_queue
from penstock.studies.run_rows import run_rows
from penstock.studies.runs import Runs, StudyDesign
from penstock.studies.store import RunResults
from penstock.tuning.aim import Aim, aim_origin, are_weighted
from penstock.tuning.departure import departure_from_defaults
from penstock.tuning.population import NetworkDraw, Population
from penstock.tuning.rules import design_rules

__all__ = ["MeasuredSetting", "Setting", "TuningBench", "reported_metrics"]

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
class MeasuredSetting:
    """A setting with its runs, in the order of the networks.

    Attributes:
        setting: the setting.
        table: a row per run, as in `Runs`; the columns `draw`, `rate_factor`, `flows_factor` and `rtt_factor` are
            those of its `NetworkDraw`, and `stage` is the stage of `tune`.
        scores: one per run, smaller is better: from 0 to 1 if the run meets every aim, else 1 plus the weighted sum of
            the shortfalls.

    """

    setting: Setting
    table: pa.Table
    scores: Array

    @cached_property
    def mean_score(self) -> float:
        """The mean score."""
        return float(np.mean(self.scores))

    @property
    def meets_all_aims(self) -> npt.NDArray[np.bool_]:
        """For each run, whether it meets every aim."""
        return np.asarray(self.scores <= 1.0)

    def values(self, place: str, metric: str) -> Array:
        """A metric of each run; NaN where a run has none."""
        return _values(self.table, place, metric)

    def summary(self, place: str, metric: str) -> Estimate:
        """Mean and 95 % interval of a metric over the runs that have it."""
        values = self.values(place, metric)
        return summarize(values[np.isfinite(values)].tolist())

    def with_runs_of(self, other: MeasuredSetting) -> MeasuredSetting:
        """The runs of both measurements, which are of the same setting."""
        table = pa.concat_tables([self.table, other.table], promote_options="permissive")
        return replace(self, table=table, scores=np.concatenate([self.scores, other.scores]))


def reported_metrics(aims: Sequence[Aim], place: str) -> list[tuple[str, str]]:
    """Place and metric of each reported number: those of the aims, and `REPORTED_METRICS` of the tuned link."""
    of_aims = {(aim.place or place, aim.metric) for aim in aims}
    return sorted(of_aims | {(place, name) for name in REPORTED_METRICS})


def _values(table: pa.Table, place: str, metric: str) -> Array:
    for column in (f"links.{place}.{metric}", f"traffic.{place}.{metric}", f"{place}.{metric}"):  # the last: `dscp.EF`
        if column in table.column_names:
            values: Array = table[column].to_numpy(zero_copy_only=False).astype(float)
            return values
    return np.full(table.num_rows, np.nan)


class TuningBench:
    """Replaces the queue of a link by each setting and measures it on the networks of a population.

    All settings run on the same networks with the same random numbers. If both directions of a link are tuned, the
    queue of the other direction has the same scheme; see `reverse_setting`.
    """

    def __init__(
        self,
        population: Population,
        links: Sequence[LoadedLink],
        aims: Sequence[Aim],
        *,
        results: RunResults | None = None,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> None:
        self.population, self.links, self.aims = population, tuple(links), tuple(aims)
        self.results = RunResults() if results is None else results
        self.threads, self.progress = threads, progress
        self.run_count = self.planned = 0
        self._measured: list[MeasuredSetting] = []

    @property
    def link(self) -> LoadedLink:
        """The tuned link."""
        return self.links[0]

    @property
    def competing_aims(self) -> tuple[Aim, ...]:
        """The aims that span a Pareto front: two or more without bounds and weights; otherwise empty."""
        unbounded = tuple(aim for aim in self.aims if not aim.has_bound)
        return unbounded if len(unbounded) > 1 and not are_weighted(unbounded) else ()

    def is_valid(self, setting: Setting) -> bool:
        """Whether the scheme accepts these parameters on this link."""
        document = self._placed(self.population.document, setting)
        return not resolve(document.tree, document.origins).errors

    def measure(
        self, settings: Sequence[Setting], draws: Sequence[NetworkDraw], stage: str = "search"
    ) -> list[MeasuredSetting]:
        """Measure each setting on these networks; their numbers must be distinct. `stage` is a label of the runs.

        Raises `ScenarioError`, and `PenstockError` if no run has the metric of an aim.
        """
        cells = [
            StudyCell({"scheme": setting.label, "stage": stage, **draw.labels}, document.resolve(), seeds)
            for draw in draws
            for seeds in [range(draw.seed, draw.seed + 1)]
            for network in [self.population.network_document(draw)]
            for setting in settings
            for document in [self._placed(network, setting)]
        ]
        runs = self._run(cells)
        measured = []
        for number, setting in enumerate(settings):
            table = runs.take(pa.array(range(number, len(cells), len(settings))))
            measured.append(MeasuredSetting(setting, table, self._scores(table)))
            self._check_aims(measured[-1])
        self._measured += measured
        return measured

    @property
    def all_runs(self) -> Runs:
        """The runs of all measurements; the swept key is `stage`."""
        return self.runs_of(self._measured, ["stage"])

    def runs_of(self, all_measured: Sequence[MeasuredSetting], axes: Sequence[str] = ()) -> Runs:
        """The runs of these measurements; each setting is a scheme, the labels in `axes` are swept keys.

        A setting has one row per network, even if it was measured there twice. The networks of all settings must be
        the same, unless `axes` distinguish them.
        """
        table = pa.concat_tables([measured.table for measured in all_measured], promote_options="permissive")
        rows: dict[tuple[str, int], int] = {}
        for row, key in enumerate(zip(table["scheme"].to_pylist(), table["draw"].to_pylist(), strict=True)):
            rows.setdefault(key, row)
        if len(rows) < table.num_rows:
            table = table.take(pa.array(rows.values()))
        labels = table.select(axes).to_pylist() if axes else [{}]
        settings = {each.setting.label: each.setting for each in all_measured}.values()
        schemes = [(setting.scheme, dict(setting.parameters)) for setting in settings]
        design = StudyDesign(
            scenario=self.population.document.resolve().readable,
            schemes=schemes,
            points=[dict(point) for point in dict.fromkeys(tuple(row.items()) for row in labels)],
            replaced_links=[link.place for link in self.links],
            version=_native.version,
            aqms=python_aqm.code_keys({name for name, _ in schemes}),
            scenarios=self.results.scenarios(set(table["scenario"].to_pylist())),
        )
        return Runs(table, design)

    def reverse_setting(self, setting: Setting, link: LoadedLink) -> Setting:
        """The setting of the queue in the other direction.

        It has the parameters of the same rule for that direction, or the same parameters; the present queue stays. Of a
        searched setting, parameters that depend on rate and buffer are left at their defaults.
        """
        if setting.is_rule:
            rules = {rule.source: rule.parameters for rule in design_rules(setting.scheme, link)}
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

    def search_costs(self, measured: MeasuredSetting) -> Array:
        """What the search minimizes, per run: the score, or the departure from the defaults if all aims have bounds.

        A run that misses an aim costs its score, which is above 1; a run that meets all aims costs between 0 and 1.
        """
        if any(not aim.has_bound for aim in self.aims):
            return measured.scores
        distance = departure_from_defaults(measured.setting.scheme, measured.setting.parameters, self.link)
        return np.asarray(np.where(measured.meets_all_aims, distance / (1 + distance), measured.scores))

    def _placed(self, document: Document, setting: Setting) -> Document:
        """The scenario with the setting at the tuned link, and its companion in the other one if that is tuned."""
        if setting.origin == "present":
            return document
        for link in self.links:
            own = setting if link is self.link else self.reverse_setting(setting, link)
            document = with_candidate_queue(document, Candidate(own.scheme, own.parameters, own.label), [link.place])
        return document

    def _run(self, cells: Sequence[StudyCell]) -> pa.Table:
        """The results of the cells, one row each."""
        distinct = {(cell.content, cell.seeds.start): cell for cell in cells}
        execute_missing_runs(
            distinct.values(),
            self.results,
            ThreadExecutor(self.threads),
            study="tune",
            planned=len(distinct),
            progress=self._report,
        )
        self.run_count += len(distinct)
        return run_rows([cell.runs for cell in cells], self.results.tables({cell.content for cell in cells}))

    def _report(self, finished: int, _: int) -> None:
        if self.progress is not None:
            self.progress(self.run_count + finished, max(self.planned, self.run_count + finished))

    def _check_aims(self, measured: MeasuredSetting) -> None:
        """Raise `ScenarioError` if no run has the metric of an aim."""
        for aim in self.aims:
            place = aim.place or self.link.place
            if not np.isfinite(measured.values(place, aim.metric)).any():
                names = ", ".join(sorted(self.runs_of([measured]).metrics.get(place, ())))
                message = f"{place} has no {aim.metric} in this scenario; it has {names}"
                raise ScenarioError([ErrorDetail("", message, None, aim_origin(aim.text))])

    def _scores(self, table: pa.Table) -> Array:
        """The score of each run; see `MeasuredSetting`."""
        missed = np.zeros(table.num_rows)
        for aim in self.aims:
            if aim.has_bound:
                values = self._values(table, aim).tolist()
                short = [aim.shortfall(value) if np.isfinite(value) else 1.0 for value in values]
                missed += (aim.weight or 1.0) * np.array(short)
        scores: Array = np.where(missed > 0, 1 + missed, self._ranks(table))
        return scores

    def _values(self, table: pa.Table, aim: Aim) -> Array:
        """The metric of an aim in each run."""
        return _values(table, aim.place or self.link.place, aim.metric)

    def _ranks(self, table: pa.Table) -> Array:
        """Scores from 0 to 1 of runs that meet every bound: by the aims without a bound, else by power."""
        unbounded = [aim for aim in self.aims if not aim.has_bound]
        if are_weighted(unbounded):
            return self._weighted(unbounded, table)
        if unbounded:
            column = self._values(table, unbounded[0])
            part = np.abs(column) / (1 + np.abs(column))
            rank: Array = np.nan_to_num(part if unbounded[0].side == "min" else 1 - part, nan=1.0)
            return rank
        return np.nan_to_num(1 - self._power(table), nan=1.0)

    def _weighted(self, unbounded: Sequence[Aim], table: pa.Table) -> Array:
        """The logistic function of the weighted mean cost, between 0 and 1; for a single aim, the same as its rank."""
        weights = np.array([aim.weight or 1.0 for aim in unbounded])
        costs = np.array([[aim.cost(value) for value in self._values(table, aim).tolist()] for aim in unbounded])
        cost: Array = np.nan_to_num(1 / (1 + np.exp(-(weights @ costs) / weights.sum())), nan=1.0)
        return cost

    def _power(self, table: pa.Table) -> Array:
        """Power is throughput over delay (L. Kleinrock, "Power and deterministic rules of thumb", ICC 1979).

        Here it is the utilization times the share of propagation in the round trip, times the share of packets that are
        not dropped: a lost packet has used the links before the queue. Without this last factor (own decision), a tiny
        buffer that drops a quarter of the packets often has the highest power.
        """
        names = ("utilization", "loss_rate", "delay_mean_s")
        used, lost, delay = (_values(table, self.link.place, name) for name in names)
        power: Array = used * (1 - np.nan_to_num(lost)) * self.link.rtt_s / (self.link.rtt_s + delay)
        return power
