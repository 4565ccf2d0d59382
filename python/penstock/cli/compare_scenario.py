"""A comparison on one scenario, simulated or on a real link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.cli.fail_if import FailureConditions, result_numbers
from penstock.cli.output import Outputs, notify, notify_all, open_store, show_progress, write_page
from penstock.cli.unsettled import identical_warnings, transient_warnings
from penstock.errors import ErrorDetail, PenstockError, ScenarioError, append_errors_to, did_you_mean

if TYPE_CHECKING:
    from penstock.cli.study_input import StudyChanges
    from penstock.scenario.document import Document
    from penstock.studies.candidate import Precision
    from penstock.studies.plan import ComparisonPlan
    from penstock.studies.runs import Runs

__all__ = ["ScenarioRequest", "compare_scenario"]


@dataclass(frozen=True)
class ScenarioRequest:
    """A comparison on one scenario, as the options of `compare` describe it.

    Attributes:
        scenario: the file.
        changes: schemes, links, swept values, seed and settings.
        runs: number of runs of each scheme at each swept value.
        precision: the text of `--precision`.
        jobs: threads; None for all cores.
        store: the folder that keeps finished runs.
        fail_if: the texts of `--fail-if`.
        margin: the fraction of `--margin`.
        budget: the values of `--max-events` and `--max-memory`.

    """

    scenario: str
    changes: StudyChanges
    runs: int
    precision: str | None
    jobs: int | None
    store: str | None
    fail_if: Sequence[str]
    margin: float
    budget: tuple[float | None, str | None]

    def plan(self) -> ComparisonPlan:
        """The plan of the comparison, with all of its runs checked. Raises `ScenarioError` with all errors."""
        from penstock.scenario.resolve import resolve
        from penstock.studies.candidate import Candidate, parse_sweep_options
        from penstock.studies.plan import ComparisonPlan

        errors: list[ErrorDetail] = []
        vary: dict[str, list[Any]] = {}
        with append_errors_to(errors):
            _precision(self.precision)
        with append_errors_to(errors):
            vary = parse_sweep_options(self.changes.sweep_options)
        with append_errors_to(errors):
            document = self._document()
            if not errors:
                return ComparisonPlan.resolve_cases(document, self.changes.schemes, vary, self.changes.replaced_links)
            errors += resolve(document.tree, document.origins).errors
        with append_errors_to(errors):
            Candidate.from_schemes(self.changes.schemes)
        raise ScenarioError(dict.fromkeys(errors))

    def _document(self) -> Document:
        from penstock.scenario.document import read_document

        document = read_document(self.scenario, self.changes.path_value_settings)
        return document if self.changes.seed is None else document.set("seed", self.changes.seed, "--seed")


def compare_scenario(request: ScenarioRequest, outputs: Outputs, attempts: int | None) -> None:
    """Run the comparison and write its result. With `attempts`, run it on a real link and repeat it in simulation."""
    from penstock.results.conclusion import MARGIN

    plan = request.plan()
    goal = _precision(request.precision)
    gate = FailureConditions.of_scenario(request.fail_if, plan.base)
    if attempts is None:
        gate.check(result_numbers(_simulated(request, plan, goal, outputs)))
        return
    if goal is not None:
        raise PenstockError("--precision: cannot be combined with --on link; --runs sets the number of real runs")
    if request.margin != MARGIN:
        raise PenstockError("--margin: cannot be combined with --on link; real runs are not ranked")
    gate.check(result_numbers(_measured(plan, request.runs, attempts, outputs)))


def _simulated(
    request: ScenarioRequest, plan: ComparisonPlan, goal: Precision | None, outputs: Outputs
) -> dict[str, Any]:
    """Run the plan in simulation. Returns the plain values of its JSON."""
    from penstock.engine.run import core_count
    from penstock.scenario.budget import BudgetLimits
    from penstock.studies.compare import run_plan, study_name
    from penstock.studies.executor import ThreadExecutor
    from penstock.studies.over_time import record_over_time
    from penstock.studies.repeat import comparison_script, record_comparison
    from penstock.studies.store import RunResults

    threads = request.jobs or core_count()
    notes = plan.check_budget(request.runs, threads, BudgetLimits.parse(*request.budget))
    notify_all([*plan.notes, plan.cost(request.runs, threads) + _precision_checks(request.runs, goal), *notes])
    warnings, is_automatic = _warnings(plan), plan.has_automatic_warmup
    plan = _with_warmups(plan, threads)
    store = open_store(request.store)
    with show_progress(store, len(plan.cases) * request.runs) as watch:
        result = run_plan(plan, request.runs, goal, threads, watch.update, store)
        series = record_over_time(result, jobs=threads) if outputs.html is not None else []
    notify(watch.summary())
    warnings += _result_warnings(plan, result)
    if not is_automatic:
        cells = [({"scheme": case.candidate.label, **case.vary}, case.resolved) for case in plan.cases]
        warnings += transient_warnings(
            cells, len(result), RunResults() if store is None else store, ThreadExecutor(threads)
        )
    result = result.with_margin(request.margin).with_warnings(warnings)
    outputs.show(repr(result))
    if outputs.has_json:
        outputs.write_json_text(result.to_json())
    if store is not None:
        try:
            record_comparison(store.folder, study_name(plan), result.design)
        except PenstockError as error:
            notify(f"{error}; pages from this store will lack the script that repeats these runs")
    if outputs.html is not None:
        script = comparison_script(result.design, request.runs)
        write_page({**result.to_dict(), "series": series, "script": script}, outputs.html)
    return result.to_dict()


def _measured(plan: ComparisonPlan, runs: int, attempts: int, outputs: Outputs) -> dict[str, Any]:
    """Run a plan on a real link and in simulation. Returns the plain values of its JSON."""
    from penstock.engine.progress import RunProgress
    from penstock.link.comparison import measure_plan, prepare_plan
    from penstock.link.requirements import require_real_links
    from penstock.results.grid import format_tables
    from penstock.studies.repeat import comparison_script

    prepare_plan(plan)
    require_real_links("compare", restart=True)
    plan = _with_warmups(plan)
    ready = prepare_plan(plan)
    notify_all((*plan.notes, *(note for real in ready for note in real.traffic.notes)))
    count = len(plan.cases) * runs
    notify(f"{count} real runs of {plan.base.readable['duration']}, one after the other")
    with (watch := RunProgress(count)):
        result = measure_plan(plan, ready, runs, simulate=True, attempts=attempts, on_run=watch.update)
    for run in result.invalid_runs:
        notify(f"{run['scheme']}, seed {run['seed']}: invalid and excluded: {'; '.join(run['invalid_because'])}")
    outputs.show(format_tables(result.text_tables()))
    if outputs.has_json:
        outputs.write_json_text(result.to_json())
    if outputs.html is not None:
        script = comparison_script(result.real.design, runs, [["--on", "link"]])
        write_page({**result.page(), "script": script}, outputs.html)
    return result.to_dict()


def _with_warmups(plan: ComparisonPlan, jobs: int | None = None) -> ComparisonPlan:
    """The plan, with warm-ups that are "auto" determined and printed."""
    if not plan.has_automatic_warmup:
        return plan
    determined = plan.with_warmups(jobs)
    notify(determined.warmup_note())
    return determined


def _warnings(plan: ComparisonPlan) -> list[dict[str, str]]:
    """Warnings about scheme settings that do not suit the links; also printed to standard error.

    Each warning is reported once, at the first point of the sweep where it occurs.
    """
    from penstock.explain.warnings import lost_setting_warnings, rate_mismatch_warnings, scenario_warnings
    from penstock.results.sweep import SweepPoint

    reported: dict[tuple[str, str, str], dict[str, str]] = {}
    for case in plan.cases:
        warnings = scenario_warnings(case.resolved, plan.replaced_links) + rate_mismatch_warnings(
            case.candidate.link_rate, case.resolved, plan.replaced_links
        )
        warnings += lost_setting_warnings(case.candidate.lost_settings, plan.replaced_links)
        for warned in warnings:
            key = (case.candidate.label, warned.place, warned.name)
            if key not in reported:
                point = SweepPoint(case.vary).label if case.vary and case.vary != plan.points[0] else ""
                notify(f"warning: {case.candidate.label} at {warned.text}{f' [{point}]' if point else ''}")
                reported[key] = {
                    "scheme": case.candidate.label,
                    **warned.to_dict(),
                    **({"point": point} if point else {}),
                }
    return list(reported.values())


def _result_warnings(plan: ComparisonPlan, runs: Runs) -> list[dict[str, str]]:
    """Print and return warnings about links that no traffic filled; without any, about schemes with equal results."""
    from penstock.explain.warnings import unfilled_link_warnings

    reported: dict[tuple[str, str], dict[str, str]] = {}
    for number, case in enumerate(plan.cases):
        point, scheme = divmod(number, len(plan.schemes))
        means = {
            place: {
                name: cell.mean
                for name in runs.metrics[place]
                if (cell := runs.comparison.cell(scheme, point, place, name)) is not None
            }
            for place in runs.comparison.measured_links
        }
        for warned in unfilled_link_warnings(case.resolved, means):
            if (warned.place, warned.name) not in reported:
                notify(f"warning: {warned.text}")
                reported[warned.place, warned.name] = {"scheme": case.candidate.label, **warned.to_dict()}
    warnings = list(reported.values())
    if not any((place, "never-filled") in reported for place in runs.replaced_links):
        warnings += identical_warnings(runs)
    return warnings


def _precision_checks(runs: int, goal: Precision | None) -> str:
    """The end of the cost line: after how many runs per scheme the precision is checked; "" without a goal."""
    from penstock.studies.precision_checks import PrecisionChecks

    if goal is None:
        return ""
    checks = PrecisionChecks.plan(runs, goal.max_runs)
    return f"; more runs until {goal.metric} is within {100 * goal.rel_error:.3g} %, checked after {checks} runs"


def _precision(text: str | None) -> Precision | None:
    """The goal of `--precision`. Raises `ScenarioError` if links do not have its metric."""
    from penstock.studies.candidate import Precision

    if text is None:
        return None
    goal = Precision.parse(text)
    _check_metric(goal.metric, f"--precision {text}")
    return goal


def _check_metric(name: str, option: str) -> None:
    """Refuse a metric that links do not have, before anything is run."""
    from penstock.results.metrics import METRICS, find_metric

    elsewhere = ("Flows", "Distributions", "Other")
    if find_metric(name).group in elsewhere:
        names = [entry.name for entry in METRICS if entry.group not in elsewhere]
        message = f'no metric "{name}"{did_you_mean(name, names)}; penstock explain metrics lists them'
        raise ScenarioError([ErrorDetail("", message, None, option)])
