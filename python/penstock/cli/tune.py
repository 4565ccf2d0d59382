"""`penstock tune`: parameters that meet an aim on a link, confirmed on fresh networks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.exit_codes import ExitCode
from penstock.cli.options import (
    HtmlTarget,
    Jobs,
    JsonTarget,
    Load,
    ScenarioFile,
    Schemes,
    Seed,
    Settings,
    StoreFolder,
    list_option,
    parse_seconds,
    single_link,
    value_option,
)
from penstock.cli.output import Outputs, load_aqms, notify, notify_all, open_store, show_progress
from penstock.errors import ErrorDetail, ScenarioError, append_errors_to

if TYPE_CHECKING:
    from penstock.scenario.document import Document
    from penstock.tuning.advice import Advice

EXAMPLE = "penstock tune scenarios/standard.toml --aim 'delay p99 < 30ms' --scheme droptail --scheme codel --budget 10s"

Aims = Annotated[
    list[str],
    value_option(
        "--aim",
        "'METRIC < VALUE'",
        "Aim, e.g. 'delay p99 < 20ms', 'calls.loss < 0.1%', 'utilization > 95%', 'min delay'; repeatable. "
        "A weight may follow: 'min delay weight 2'.",
        show_default=False,
    ),
]
Place = Annotated[
    list[str],
    list_option(
        "--at", "LINK", "Link to tune; default: the first watched link, in both directions if both are watched."
    ),
]
BudgetTime = Annotated[
    str,
    value_option("--budget", "TIME", "Planned time on two cores; determines how many settings and networks are tried."),
]
Capture = Annotated[
    str | None,
    value_option("--capture", "FILE", "Replay a capture over the link, in addition to the scenario's traffic."),
]


def tune(
    *,
    scenario: ScenarioFile,
    aim: Aims,
    schemes: Schemes,
    at: Place,
    budget: BudgetTime = "150s",
    capture: Capture = None,
    seed: Seed = None,
    jobs: Jobs = None,
    settings: Settings,
    load: Load,
    store: StoreFolder = None,
    json_target: JsonTarget = None,
    html: HtmlTarget = None,
) -> None:
    """Find parameters with which one or several schemes meet aims on a link, and confirm them.

    The settings are confirmed on new random variations of the scenario, with other rates, numbers of flows, round-trip
    times and congestion controls. Published defaults and rules are preferred to settings found by search. Exits with 3
    if the advised setting misses an aim on too many variations, and with 2 if the budget is too small for the first
    round of the search.

    Finished runs are kept: rerun an interrupted command to resume it.
    """
    from penstock.scenario.captures import replay_notes
    from penstock.tuning.tune import parse_request

    outputs = Outputs.from_options(json_target, html)
    load_aqms(load)
    place, seconds, errors = at[0] if at else None, 0.0, list[ErrorDetail]()
    with append_errors_to(errors):
        single_link(at, "tune")
    with append_errors_to(errors):
        seconds = parse_seconds(budget, "--budget")
    with append_errors_to(errors):
        document = _document(scenario, settings, seed, capture, place)
        parse_request(document, schemes, aim, place)
    if errors:
        raise ScenarioError(errors)
    notify_all(replay_notes(form.canonical for form in document.resolve().traffic))
    advice = _advice(document, aim, schemes, place, seconds, jobs, store)
    if not outputs.json_on_stdout:
        from penstock.tuning import display

        outputs.show(display.advice_text(advice))
    outputs.write_json(advice.to_dict())
    if outputs.html is not None:
        from penstock.tuning import page

        script = _script(document, aim, schemes, place, budget)
        page.write(advice, outputs.html, script)
        notify(f"page: {outputs.html}")
    if not advice.is_met:
        missed = [text for text, met in advice.best.met.items() if not met]
        notify(f"not met: {'; '.join(missed) or 'no setting meets all aims at once'}")
        raise typer.Exit(ExitCode.REFUTED)


def _document(scenario: str, settings: list[str], seed: int | None, capture: str | None, at: str | None) -> Document:
    """The scenario, with its capture. Raises `ScenarioError`."""
    from penstock.scenario.document import read_document
    from penstock.tuning.capture import with_capture

    document = read_document(scenario, settings)
    if seed is not None:
        document = document.set("seed", seed, "--seed")
    return document if capture is None else with_capture(document, capture, at)


def _script(document: Document, aims: list[str], schemes: list[str], at: str | None, budget: str) -> str:
    """The shell script that repeats the command."""
    from penstock.results.display import scheme_argument
    from penstock.studies.candidate import Candidate
    from penstock.studies.repeat import command_script

    candidates = [(each.name, each.params) for each in Candidate.from_schemes(schemes)]
    options = [
        *(["--aim", aim] for aim in aims),
        *(["--scheme", scheme_argument(*each)] for each in candidates),
        *([] if at is None else [["--at", at]]),
        ["--budget", budget],
    ]
    return command_script(["penstock", "tune"], document, options, candidates)


def _advice(
    document: Document,
    aims: list[str],
    schemes: list[str],
    at: str | None,
    budget_s: float,
    jobs: int | None,
    store: str | None,
) -> Advice:
    """Run `tune` with a progress display; Ctrl-C exits with 130 and keeps finished runs."""
    from penstock.tuning.tune import tune

    opened = open_store(store)
    with show_progress(opened) as watch:
        advice = tune(
            document,
            aims,
            schemes,
            at=at,
            budget_s=budget_s,
            jobs=jobs,
            progress=watch.update,
            store=opened,
            forecast=lambda plan: notify(
                f"forecast: at most {plan.max_runs} runs, about {plan.expected_s:.0f} s on two cores"
            ),
        )
    notify(f"{advice.run_count} runs of {len(advice.tried)} settings in {advice.rounds} rounds")
    return advice
