"""`penstock compare`: schemes on one scenario."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.options import (
    HtmlTarget,
    Jobs,
    JsonTarget,
    Load,
    MaxEvents,
    MaxMemory,
    ScenarioFile,
    Seed,
    Settings,
    StoreFolder,
    schemes_beginning,
)
from penstock.cli.output import (
    command_line,
    load_laws,
    notify,
    open_store,
    output_file,
    print_result,
    write_json,
    write_page,
)
from penstock.errors import ErrorDetail, PenstockError, ScenarioError, nearest

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.results.comparison import Comparison
    from penstock.studies.candidate import Precision
    from penstock.studies.plan import Plan
    from penstock.studies.store import Store

EXAMPLE = (
    "penstock compare scenarios/thesis_link.toml --scheme droptail --scheme red:gentle=true "
    "--vary traffic.extra.count=25,50 --runs 5"
)
MAX_RUNS = 100_000


Schemes = Annotated[
    list[str],
    typer.Option(
        metavar="[FILE.py:]NAME[:k=v,...]|@FILE.toml",
        help="Scheme with parameters, e.g. red:gentle=true, or a Python law, or a table in a file; repeatable.",
        show_default=False,
        autocompletion=schemes_beginning,
    ),
]
Links = Annotated[
    list[str],
    typer.Option(metavar="LINK", help="Link whose queue is replaced; default: the watched links; repeatable."),
]
Varied = Annotated[
    list[str], typer.Option(metavar="PATH=a,b,c", help="Values of a key to sweep; several options make a grid.")
]
Runs = Annotated[
    int,
    typer.Option(
        metavar="N", min=1, max=MAX_RUNS, help="Runs of each scheme at each swept value, with consecutive seeds."
    ),
]
PrecisionGoal = Annotated[
    str | None,
    typer.Option(
        metavar="METRIC=1%",
        help="Add runs until the confidence half-width is below this fraction of the mean, checked after --runs runs, "
        "twice as many and so on; intervals are corrected for this.",
    ),
]


class On(StrEnum):
    """Where the runs of a comparison are made."""

    simulation = "simulation"
    link = "link"


Where = Annotated[
    On,
    typer.Option(
        "--on", help="link: real runs beside simulated ones with the same seeds, and the differences of the two."
    ),
]


def compare(
    scenario: ScenarioFile,
    scheme: Schemes,
    at: Links = [],  # noqa: B006
    vary: Varied = [],  # noqa: B006
    runs: Runs = 30,
    precision: PrecisionGoal = None,
    on: Where = On.simulation,
    jobs: Jobs = None,
    seed: Seed = None,
    settings: Settings = [],  # noqa: B006
    load: Load = [],  # noqa: B006
    store: StoreFolder = None,
    json_target: JsonTarget = None,
    html: HtmlTarget = None,
    max_events: MaxEvents = None,
    max_memory: MaxMemory = None,
) -> None:
    """Compare schemes on one scenario: means with 95 % confidence intervals, paired by seed.

    Each scheme replaces the queue of the watched links and meets the same traffic.
    Finished runs are kept: rerun an interrupted command to resume it.
    """
    from penstock.engine.run import cores
    from penstock.scenario.budget import Limits

    json_file, html_file = output_file(json_target, "--json"), output_file(html, "--html")
    load_laws(load)
    goal = _precision(precision)
    plan = _plan(scenario, settings, seed, scheme, vary, at)
    if on == On.link:
        _on_link(plan, runs, goal, (json_target, json_file, html_file))
        return
    threads = jobs or cores()
    notes = plan.check_budget(runs, threads, Limits.parse(max_events, max_memory))
    for note in (*plan.notes, plan.cost(runs, threads) + _looks(runs, goal), *notes):
        notify(note)
    warnings = _warnings(plan)
    kept = open_store(store)
    found, series = _run(plan, runs, goal, threads, kept, series=html_file is not None)
    found = found.with_warnings(warnings)
    if json_target != "-":
        print_result(repr(found))
    if json_target is not None:
        write_json(found.to_json(), json_file)
    if html_file is not None:
        write_page({**found.to_dict(), "series": series, "command": command_line()}, html_file)


def _warnings(plan: Plan) -> list[dict[str, str]]:
    """Settings of the schemes that do not suit the links; also told to standard error.

    Each warning is told once, for the first point of the sweep that has it.
    """
    from penstock.explain.warnings import of_rate, of_scenario
    from penstock.results.sweep import SweepPoint

    found: dict[tuple[str, str, str], dict[str, str]] = {}
    for case in plan.cases:
        told = of_scenario(case.resolved, plan.at) + of_rate(case.candidate.rate, case.resolved, plan.at)
        for warned in told:
            key = (case.candidate.label, warned.place, warned.name)
            if key not in found:
                point = SweepPoint(case.vary).label if case.vary and case.vary != plan.points[0] else ""
                notify(f"warning: {case.candidate.label} at {warned.text}{f' [{point}]' if point else ''}")
                found[key] = {"scheme": case.candidate.label, **warned.to_dict(), **({"point": point} if point else {})}
    return list(found.values())


def _on_link(
    plan: Plan, runs: int, goal: Precision | None, targets: tuple[str | None, Path | None, Path | None]
) -> None:
    """Real runs, and simulated ones with the same seeds."""
    from penstock.cli.measure import run_plan
    from penstock.link.measure import ATTEMPTS

    if goal is not None:
        raise PenstockError("--precision: real runs are as many as --runs says")
    run_plan(plan, runs, ATTEMPTS, targets, simulate=True)


def _plan(
    scenario: str, settings: list[str], seed: int | None, schemes: list[str], vary: list[str], at: list[str]
) -> Plan:
    """The plan of the comparison, with all runs checked."""
    from penstock.scenario.scenario import read_document
    from penstock.studies.candidate import parse_varies
    from penstock.studies.plan import Plan

    document = read_document(scenario, settings)
    if seed is not None:
        document = document.set("seed", seed, "--seed")
    return Plan.make(document, schemes, parse_varies(vary), at)


def _run(
    plan: Plan, runs: int, goal: Precision | None, threads: int, kept: Store | None, *, series: bool
) -> tuple[Comparison, list[dict[str, Any]]]:
    """The comparison and, with `series`, the queues over time; on Ctrl-C print which runs are kept."""
    from penstock.engine.progress import Watch
    from penstock.studies.compare import run_plan

    watch = Watch(len(plan.cases) * runs)
    try:
        with watch:
            found = run_plan(plan, runs, goal, threads, watch.update, kept)
            over_time = found.series(jobs=threads) if series else []
    except KeyboardInterrupt:
        if kept is None:
            notify(f"interrupted: {watch.finished} of {watch.planned} runs had finished; their results are not kept")
        else:
            notify(f"interrupted; finished runs are kept in {kept.folder}; rerun the same command to resume")
        raise typer.Exit(130) from None
    notify(watch.summary())
    if kept is not None and kept.problem:
        notify(kept.problem)
    return found, over_time


def _looks(runs: int, goal: Precision | None) -> str:
    """For the line of the cost: after how many runs of each scheme the precision is checked."""
    from penstock.studies.looks import Looks

    if goal is None:
        return ""
    looks = Looks.plan(runs, goal.max_runs)
    return f"; more until {goal.metric} is within {100 * goal.rel_error:.3g} %: looks after {looks} runs"


def _precision(text: str | None) -> Precision | None:
    """The goal of `--precision`; its metric must be one of links."""
    from penstock.studies.candidate import Precision

    if text is None:
        return None
    goal = Precision.parse(text)
    _check_metric(goal.metric, f"--precision {text}")
    return goal


def _check_metric(name: str, option: str) -> None:
    """Refuse a metric that links do not have, before anything is run."""
    from penstock.results.metrics import METRICS, metric

    elsewhere = ("Flows", "Distributions", "Other")
    if metric(name).group in elsewhere:
        known = [entry.name for entry in METRICS if entry.group not in elsewhere]
        message = f'no metric "{name}"{nearest(name, known)}; penstock list metrics names them'
        raise ScenarioError([ErrorDetail("", message, None, option)])
