"""Real runs of several schemes, next to simulations of the same scenarios and seeds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from penstock import _native
from penstock.engine.run import run_batch
from penstock.errors import RunError, map_collecting_errors
from penstock.link.measure import ATTEMPTS, RealRun, prepare
from penstock.results.estimates import table_difference_estimates
from penstock.results.grid import MEAN, TextTable, comparison_grids, difference_grid
from penstock.results.metrics import in_catalogue_order
from penstock.studies.compare import plan_design
from penstock.studies.part import CellRuns, PartColumns, part_content
from penstock.studies.plan import ComparisonPlan, PlannedCase
from penstock.studies.run_rows import run_rows
from penstock.studies.runs import Runs
from penstock.studies.store import RunResults

__all__ = ["RealComparison", "measure_plan", "prepare_plan"]

OnRun = Callable[[int, int], object]
"""Called with the numbers of finished and of planned runs."""

SHOWN = (
    "length_mean_pkts",
    "delay_mean_s",
    "delay_p99_s",
    "loss_rate",
    "mark_rate",
    "utilization",
    "goodput_bps",
    "srtt_mean_s",
    "cwnd_mean_pkts",
    "owd_mean_s",
    "jitter_mean_s",
    "completion_mean_s",
    "jain",
)
"""The metrics of the table of differences; those that a scenario does not have are left out."""


@dataclass
class RealComparison:
    """Real runs of a plan, and simulated ones if requested.

    Attributes:
        plan: the schemes and scenarios.
        real: the valid real runs.
        simulated: the simulated runs with the same seeds; None without any.
        attempts: each real run: scheme, params, vary, seed, `valid`, `invalid_because`, `attempts`, `lateness`,
            `lost_before_queue`, and `kernel`.

    """

    plan: ComparisonPlan
    real: Runs
    simulated: Runs | None = None
    attempts: list[dict[str, Any]] = field(default_factory=list)

    @property
    def invalid_runs(self) -> list[dict[str, Any]]:
        """The invalid runs, which do not count."""
        return [run for run in self.attempts if not run["valid"]]

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each number, as in a comparison; `on` is "link" or "simulation"."""
        for on, runs in (("simulation", self.simulated), ("link", self.real)):
            if runs is not None:
                yield from ({**row, "on": on} for row in runs.summary())

    def difference_rows(self) -> Iterator[dict[str, Any]]:
        """Rows of the differences of real to simulated runs, paired by seed; without these, to the first scheme."""
        if self.simulated is None:
            yield from map(dict, self.real.compare())
        else:
            for row in table_difference_estimates(self.real, self.simulated):
                yield {**row, "on": "link", "against_on": "simulation"}

    def to_dict(self) -> dict[str, Any]:
        """As `--json` writes it."""
        return {
            "penstock": _native.version,
            "scenario": self.plan.base.readable,
            "rows": list(self.rows()),
            "differences": list(self.difference_rows()),
            "runs": self.attempts,
        }

    def to_json(self) -> str:
        """As JSON text."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n"

    def page(self) -> dict[str, Any]:
        """The data in the form that a comparison's page shows.

        With simulations, "link" and "simulation" are the values of a swept key.
        """
        if self.simulated is None:
            return self.to_dict()
        rows = [row | {"vary": {**row["vary"], "on": row["on"]}} for row in self.rows()]
        return {"penstock": _native.version, "scenario": self.plan.base.readable, "rows": rows, "differences": []}

    def text_tables(self) -> list[TextTable]:
        """A table for each case and place: simulated and measured means, and their differences with intervals.

        Without simulations, the tables are those of a comparison.
        """
        if self.simulated is None:
            return comparison_grids(
                list(self.rows()), list(self.difference_rows()), self.plan.replaced_links, len(self.real.seeds)
            )
        rows = {(row["on"], *_key(row)): row for row in self.rows()}
        differences = {_key(row): row for row in self.difference_rows()}
        grids = []
        for case in self.plan.cases:
            cell = _cell(case.candidate.name, case.candidate.params, case.vary)
            both = [key[2:] for key in rows if key[:2] == ("link", cell) and ("simulation", *key[1:]) in rows]
            for place in dict.fromkeys(place for place, _ in both):
                lines = {}
                for name in in_catalogue_order({name for at, name in both if at == place and name in SHOWN}):
                    key = cell, place, name
                    lines[name] = rows["simulation", *key], rows["link", *key], differences.get(key)
                title = f"{case.label}: {place}, {MEAN} of {len(self.real.seeds)} runs"
                grids.append(difference_grid(title, ("simulated", "measured"), lines))
        return grids


def _cell(scheme: str, params: Mapping[str, Any], vary: Mapping[str, Any]) -> str:
    return json.dumps([scheme, dict(params), dict(vary)], sort_keys=True)


def _key(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return _cell(row["scheme"], row["params"], row["vary"]), row["place"], row["metric"]


def prepare_plan(plan: ComparisonPlan) -> list[RealRun]:
    """The cases of a plan, ready to be run on a real link. Raises `ScenarioError` with the errors of all of them."""
    return map_collecting_errors(lambda case: prepare(case.document), plan.cases)


def measure_plan(
    plan: ComparisonPlan,
    ready: list[RealRun],
    runs: int,
    *,
    simulate: bool = False,
    attempts: int = ATTEMPTS,
    on_run: OnRun | None = None,
) -> RealComparison:
    """Make all runs of a plan on a real link, one after the other, and with `simulate` the same runs in simulation.

    Raises `RunError` if no run of a case is valid.
    """
    first, planned = int(plan.base.readable["seed"]), runs * len(plan.cases)
    attempted: list[dict[str, Any]] = []
    results: dict[int, dict[int, str]] = {case: {} for case in range(len(ready))}
    for index in range(runs):
        for case, real in enumerate(ready):
            run = real.run(first + index, attempts=attempts)
            attempted.append(_attempt(plan.cases[case], first + index, run.raw))
            if run.raw["valid"]:
                results[case][first + index] = json.dumps(run.raw)
            if on_run is not None:
                on_run(index * len(ready) + case + 1, planned)
    _check_valid(plan, attempted)
    simulated = _simulated(plan, ready, range(first, first + runs)) if simulate else None
    return RealComparison(plan, _runs_of(plan, results), simulated, attempted)


def _simulated(plan: ComparisonPlan, ready: list[RealRun], seeds: range) -> Runs:
    """Simulations of the scenarios of the real runs."""
    results = {}
    for case, real in enumerate(ready):
        text = real.resolved.for_engine(flows=False, series=False)
        results[case] = dict(zip(seeds, run_batch([text] * len(seeds), seeds), strict=True))
    return _runs_of(plan, results)


def _runs_of(plan: ComparisonPlan, results: Mapping[int, Mapping[int, str]]) -> Runs:
    """The table of runs whose results are given as JSON, by the number of the case and the seed."""
    stored = RunResults()
    places = []
    for case, by_seed in results.items():
        chosen = plan.cases[case]
        labels = {"scheme": chosen.candidate.label, **chosen.vary}
        cell = CellRuns(f"{case}", tuple(by_seed), labels)
        stored.put([cell], part_content(PartColumns.from_cells([cell]), _native.Results(list(by_seed.values()))), {})
        places.append(cell)
    scenarios = {cell.scenario_key: case.resolved.readable for cell, case in zip(places, plan.cases, strict=True)}
    return Runs(run_rows(places, stored.tables(scenarios)), plan_design(plan, scenarios))


def _attempt(case: PlannedCase, seed: int, raw: Mapping[str, Any]) -> dict[str, Any]:
    keys = ("valid", "invalid_because", "attempts", "lateness", "lost_before_queue", "starved", "scheduling", "kernel")
    labels = {"scheme": case.candidate.name, "params": dict(case.candidate.params), "vary": dict(case.vary)}
    return {**labels, "seed": seed, **{key: raw[key] for key in keys if key in raw}}


def _check_valid(plan: ComparisonPlan, attempted: list[dict[str, Any]]) -> None:
    for number, case in enumerate(plan.cases):
        mine = attempted[number :: len(plan.cases)]
        if not any(run["valid"] for run in mine):
            reasons = "; ".join(dict.fromkeys(reason for run in mine for reason in run["invalid_because"]))
            raise RunError(
                f"no run of {case.candidate.label} is valid: {reasons}. Stop other programs, or lower the rate"
            )
