"""`penstock measure`: the traffic of a scenario by real senders over the real link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.options import OUTPUT, HtmlTarget, JsonTarget, ScenarioFile, Seed, Settings, schemes_beginning
from penstock.cli.output import (
    command_line,
    json_text,
    notify,
    output_file,
    output_folder,
    print_result,
    write_json,
    write_page,
)
from penstock.errors import PenstockError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from penstock.link.measure import RealRun
    from penstock.results.run import Run
    from penstock.scenario.scenario import Document
    from penstock.studies.plan import Plan

EXAMPLE = "penstock measure scenarios/standard.toml --scheme codel --set duration=5s --set warmup=2s"

Schemes = Annotated[
    list[str],
    typer.Option(
        metavar="NAME[:k=v,...]|@FILE.toml",
        help="Scheme in place of the scenario's queue, e.g. red:gentle=true; repeatable.",
        autocompletion=schemes_beginning,
    ),
]
Links = Annotated[
    list[str],
    typer.Option(metavar="LINK", help="Link whose queue is replaced; default: the watched links; repeatable."),
]
Runs = Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="Runs of each scheme, with consecutive seeds.")]
Attempts = Annotated[
    int, typer.Option(metavar="N", min=1, max=100, help="Maximum number of attempts for a run with invalid numbers.")
]
TraceFolder = Annotated[
    str | None,
    typer.Option(
        metavar="DIR",
        help="Write every packet event of a single run to this folder, as packets.parquet.",
        rich_help_panel=OUTPUT,
    ),
]


def measure(
    scenario: ScenarioFile,
    scheme: Schemes = [],  # noqa: B006
    at: Links = [],  # noqa: B006
    runs: Runs = 1,
    seed: Seed = None,
    settings: Settings = [],  # noqa: B006
    attempts: Attempts = 3,
    json_target: JsonTarget = None,
    html: HtmlTarget = None,
    trace: TraceFolder = None,
) -> None:
    """Run a scenario for real: its TCP flows by the kernel, its datagrams at the same times, over its links.

    Runs take the scenario's duration, one after the other. A run whose own numbers are invalid is repeated.
    """
    from penstock.link.requirements import require
    from penstock.scenario.scenario import read_document

    json_file, html_file = output_file(json_target, "--json"), output_file(html, "--html")
    folder = output_folder(trace, "--trace")
    document = read_document(scenario, settings)
    if seed is not None:
        document = document.set("seed", seed, "--seed")
    if len(scheme) > 1 or runs > 1:
        if folder is not None:
            raise PenstockError("--trace: is written for one run of one scheme")
        _several(document, scheme, at, runs, attempts, (json_target, json_file, html_file))
        return
    ready = _single(document, scheme, at)
    require("measure", restart=True)
    _notify(ready.traffic.notes)
    run = ready.run(int(ready.resolved.shown["seed"]), attempts=attempts, trace=folder)
    _show(run, quiet=json_target == "-")
    answer = run.to_dict()
    if json_target is not None:
        write_json(json_text(answer), json_file)
    if html_file is not None:
        write_page({**answer, "command": command_line()}, html_file)
    if not run.raw["valid"]:
        raise typer.Exit(1)


def _single(document: Document, scheme: list[str], at: list[str]) -> RealRun:
    """One run: with the scenario's own queue, or with a scheme in its place."""
    from penstock.link.measure import prepare
    from penstock.studies.plan import Plan

    if not scheme:
        return prepare(document)
    return prepare(Plan.make(document, scheme, None, at).cases[0].document)


def _several(
    document: Document,
    schemes: list[str],
    at: list[str],
    runs: int,
    attempts: int,
    targets: tuple[str | None, Path | None, Path | None],
) -> None:
    """Several runs, or several schemes: a comparison."""
    from penstock.studies.plan import Plan

    plan = Plan.make(document, schemes, None, at) if schemes else Plan.own(document)
    run_plan(plan, runs, attempts, targets, simulate=False)


def run_plan(
    plan: Plan, runs: int, attempts: int, targets: tuple[str | None, Path | None, Path | None], *, simulate: bool
) -> None:
    """Make the real runs of a plan, and with `simulate` the same runs in simulation, and print and write the result.

    `targets` are the option `--json`, and the files of `--json` and `--html`.
    """
    from penstock.engine.progress import Watch
    from penstock.link.comparison import measure_plan, prepare_plan
    from penstock.link.requirements import require
    from penstock.results.grid import comparison_grids, text

    json_target, json_file, html_file = targets
    ready = prepare_plan(plan)
    require("compare" if simulate else "measure", restart=True)
    _notify((*plan.notes, *(note for real in ready for note in real.traffic.notes)))
    count = len(plan.cases) * runs
    notify(f"{count} real runs of {plan.base.shown['duration']}, one after the other")
    with (watch := Watch(count)):
        found = measure_plan(plan, ready, runs, simulate=simulate, attempts=attempts, on_run=watch.update)
    for run in found.invalid:
        notify(f"{run['scheme']}, seed {run['seed']}: invalid, does not count: {'; '.join(run['invalid_because'])}")
    if json_target != "-":
        rows, differences = list(found.rows()), list(found.differences())
        print_result(text(found.grids() if simulate else comparison_grids(rows, differences, plan.at, runs)))
    if json_target is not None:
        write_json(found.to_json(), json_file)
    if html_file is not None:
        write_page({**found.page(), "command": command_line()}, html_file)


def _notify(notes: Iterable[str]) -> None:
    for note in dict.fromkeys(notes):
        notify(note)


def _show(run: Run, *, quiet: bool) -> None:
    """Print the numbers, and whether they are valid."""
    from penstock.results.grid import run_grids, text

    raw = run.raw
    if not quiet:
        print_result(text(run_grids(raw)))
    late = raw["lateness"]
    notify(
        f"1 real run of {run.scenario['duration']}, seed {run.seed}: packets late by {1e6 * late['p50_s']:.0f} us "
        f"(median), {1e6 * late['p99_s']:.0f} us (99th percentile), {raw['lost_before_queue']} lost before a queue"
    )
    if not raw["valid"]:
        reasons = "; ".join(raw["invalid_because"])
        notify(f"invalid after {raw['attempts']} attempts: {reasons}. Stop other programs, or lower the rate")
