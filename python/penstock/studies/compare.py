"""Schemes side by side on one scenario: paired run by run, with confidence intervals."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from penstock import _native
from penstock.aqms import python_aqm
from penstock.engine.run import thread_count
from penstock.errors import PenstockError, did_you_mean
from penstock.results.conclusion import MARGIN, check_margin
from penstock.results.distribution import is_distribution
from penstock.results.estimate import Estimate
from penstock.scenario.budget import BudgetLimits
from penstock.scenario.document import ScenarioLike
from penstock.studies.candidate import Precision, SchemeLike
from penstock.studies.chunk import StudyCell
from penstock.studies.complete import execute_missing_runs
from penstock.studies.executor import Progress, ThreadExecutor
from penstock.studies.order import merge_orders
from penstock.studies.plan import ComparisonPlan
from penstock.studies.precision_checks import PrecisionChecks
from penstock.studies.run_rows import run_rows
from penstock.studies.runs import Runs, StudyDesign
from penstock.studies.store import RunResults

__all__ = ["compare", "plan_design", "run_plan"]


def compare(
    scenario: ScenarioLike,
    schemes: SchemeLike | Iterable[SchemeLike],
    *,
    vary: Mapping[str, Sequence[Any]] | None = None,
    runs: int = 30,
    precision: Precision | None = None,
    at: str | Sequence[str] | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    store: RunResults | None = None,
    margin: float = MARGIN,
    max_events: float | None = None,
    max_memory: str | None = None,
) -> Runs:
    """Compare schemes on a scenario, paired run by run on the seeds seed, seed + 1, ..., seed + runs - 1.

    Args:
        scenario: a scenario, or the path of its file.
        schemes: one or several schemes, as queues or as texts after `--scheme`.
        vary: paths with their values; all combinations are run.
        runs: number of runs of each scheme at each combination, from 1.
        precision: add runs until a metric reaches this precision. It is checked after `runs`, twice, four times as many
        and so on, and the intervals are corrected for all of these looks (`penstock.studies.precision_checks`).
        at: links whose queue is replaced; by default the watched ones.
        jobs: number of threads; by default all cores.
        progress: called with the numbers of finished and planned runs.
        store: where finished runs are kept and looked up, so that an interrupted comparison resumes.
        margin: maximum distance from the highest utilization, as a fraction, at which a scheme can be the best.
        max_events: refuse runs estimated to have more events than this; 1e12 by default.
        max_memory: refuse runs estimated to need more memory than this, such as "64GiB"; by default 80 % of the
        available memory.

    Raises `ScenarioError` with the errors of all cases before anything is run.
    """
    if runs < 1:
        raise PenstockError(f"runs={runs!r}: must be at least 1")
    threads = thread_count(jobs)
    if precision is not None and not isinstance(precision, Precision):
        raise PenstockError(f'precision={precision!r}: must be a Precision, such as Precision("delay_mean_s", 0.01)')
    check_margin(margin)
    plan = ComparisonPlan.resolve_cases(scenario, schemes, vary, at)
    for note in plan.check_budget(runs, threads, BudgetLimits.parse(max_events, max_memory)):
        warnings.warn(note, stacklevel=2)
    return run_plan(plan.with_warmups(jobs), runs, precision, jobs, progress, store).with_margin(margin)


def run_plan(
    plan: ComparisonPlan,
    runs: int,
    precision: Precision | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    store: RunResults | None = None,
) -> Runs:
    """Execute the runs of a plan: see `compare`."""
    seed = int(plan.base.readable["seed"])
    checks = PrecisionChecks((runs,)) if precision is None else PrecisionChecks.plan(runs, precision.max_runs)
    results = RunResults() if store is None else store
    run_count = 0
    for planned_runs in checks.runs:
        _complete(plan, range(seed + run_count, seed + planned_runs), results, thread_count(jobs), progress)
        run_count = planned_runs
        completed = _runs(
            plan, range(seed, seed + run_count), results, None if precision is None else _planned(precision, checks)
        )
        if precision is None or _is_precise(completed, precision):
            break
    return completed


def _cells(plan: ComparisonPlan, seeds: range) -> list[StudyCell]:
    return [StudyCell({"scheme": case.candidate.label, **case.vary}, case.resolved, seeds) for case in plan.cases]


def _complete(plan: ComparisonPlan, seeds: range, results: RunResults, threads: int, progress: Progress | None) -> None:
    """Run every case with these seeds, except for runs that are in the store."""
    cells = _cells(plan, seeds)
    before = (seeds.start - int(plan.base.readable["seed"])) * len(cells)

    def report(finished: int, planned: int) -> None:
        if progress is not None:
            progress(before + finished, before + planned)

    execute_missing_runs(
        cells,
        results,
        ThreadExecutor(threads),
        study=study_name(plan),
        planned=len(seeds) * len(cells),
        progress=report,
        order=merge_orders({name: [value] for name, value in cell.labels.items()} for cell in cells),
    )


def study_name(plan: ComparisonPlan) -> str:
    """The name of a comparison in a store: the names of its scenario and its axes."""
    name, axes = str(plan.base.readable["name"]), ", ".join(plan.points[0] if plan.points else ())
    return f"{name} by {axes}" if axes else name


def _runs(plan: ComparisonPlan, seeds: range, results: RunResults, precision: Mapping[str, Any] | None) -> Runs:
    """The runs of a plan with these seeds, which are in the store."""
    cells = _cells(plan, seeds)
    table = run_rows([cell.runs for cell in cells], results.tables({cell.content for cell in cells}))
    return Runs(table, plan_design(plan, {cell.content: cell.resolved.readable for cell in cells}, precision))


def plan_design(
    plan: ComparisonPlan, scenarios: Mapping[str, Any], precision: Mapping[str, Any] | None = None
) -> StudyDesign:
    """The design of the runs of a plan; `scenarios` are the resolved scenarios by content address."""
    schemes = {scheme.name for scheme in plan.schemes} | {*python_aqm.scenario_schemes(plan.base.readable)}
    return StudyDesign(
        scenario=dict(plan.base.readable),
        schemes=[(candidate.name, dict(candidate.params)) for candidate in plan.schemes],
        points=[dict(point) for point in plan.points],
        replaced_links=list(plan.replaced_links),
        version=_native.version,
        aqms=python_aqm.code_keys(schemes),
        precision=precision,
        scenarios=dict(scenarios),
        written_scenario=plan.document.tree,
    )


def _is_precise(runs: Runs, precision: Precision) -> bool:
    """Whether the precision is reached at every link whose queue is replaced, for each scheme and point.

    Raises `PenstockError` if none of these links has the metric.
    """
    columns = [column for column in runs.columns if column.place in runs.design.replaced_links]
    matching = [column for column in columns if column.metric == precision.metric]
    if not matching:
        names = sorted({column.metric for column in columns if not is_distribution(column.metric)})
        raise PenstockError(
            f'no metric "{precision.metric}"{did_you_mean(precision.metric, names)}; available: {", ".join(names)}'
        )
    rows = [row for column in matching for row in runs.summary(column.metric, column.place)]
    return all(Estimate.from_row(row).rel_half_width <= precision.rel_error for row in rows)


def _planned(precision: Precision, checks: PrecisionChecks) -> dict[str, Any]:
    """The goal, the looks, and the level of each interval, so that all of them jointly cover the mean with 95 %."""
    goal = {"metric": precision.metric, "rel_error": precision.rel_error}
    return {**goal, "looks": list(checks.runs), "level": 1 - checks.alpha}
