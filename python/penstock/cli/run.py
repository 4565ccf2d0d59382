"""`penstock run`: one run of a scenario, simulated or on a real link."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.captures import Captures, SnapLength, parse_pcap_options
from penstock.cli.exit_codes import ExitCode
from penstock.cli.fail_if import FailureConditions, result_numbers
from penstock.cli.options import (
    OUTPUT,
    Attempts,
    ExecutionMode,
    FailIf,
    HtmlTarget,
    JsonTarget,
    Links,
    Load,
    MaxEvents,
    MaxMemory,
    ScenarioFile,
    Seed,
    Settings,
    SingleScheme,
    TraceFolder,
    Where,
    flag_option,
)
from penstock.cli.output import Outputs, load_aqms, notify, notify_all, write_page
from penstock.cli.output_files import output_folder
from penstock.errors import ErrorDetail, PenstockError, ScenarioError, append_errors_to
from penstock.units import parse_time

if TYPE_CHECKING:
    from penstock.engine.trace import RecordedRun
    from penstock.results.run import Run
    from penstock.scenario.document import Document
    from penstock.scenario.resolve import Resolved

EXAMPLE = "penstock run scenarios/thesis_link.toml --seed 7 --set traffic.extra.count=50"

AllFlows = Annotated[bool, flag_option("--flows", "Report every flow, even if there are more than 1000.", OUTPUT)]


def run(
    *,
    scenario: ScenarioFile,
    on: Where = ExecutionMode.simulation,
    schemes: SingleScheme,
    at: Links,
    seed: Seed = None,
    settings: Settings,
    load: Load,
    fail_if: FailIf,
    attempts: Attempts = 3,
    json_target: JsonTarget = None,
    html: HtmlTarget = None,
    trace: TraceFolder = None,
    pcap: Captures,
    snaplen: SnapLength = None,
    flows: AllFlows = False,
    max_events: MaxEvents = None,
    max_memory: MaxMemory = None,
) -> None:
    """Run a scenario once and print the metrics of its links and traffic.

    With --on link, kernel TCP and real datagrams cross the scenario's links on this machine in real time.
    """
    outputs = Outputs.from_options(json_target, html)
    captured, folder = parse_pcap_options(pcap, snaplen), output_folder(trace, "--trace")
    load_aqms(load)
    document = _document(scenario, settings, seed, schemes, at)
    gate = FailureConditions.of_scenario(fail_if, document.resolve())
    if on == ExecutionMode.link:
        result = _on_link(document, attempts, outputs, folder, (captured, snaplen))
    else:
        recording = {"captured": captured, "snaplen": snaplen, "traced": folder is not None, "flows": flows}
        result = _simulated(document, (max_events, max_memory), outputs, folder, recording)
    gate.check(result_numbers(result.raw))


def _document(
    scenario: str, settings: Sequence[str], seed: int | None, schemes: Sequence[str], at: Sequence[str]
) -> Document:
    """The scenario, with values overridden by the options."""
    from penstock.scenario.document import read_document

    if at and not schemes:
        raise PenstockError(f"--at {at[0]}: requires --scheme")
    errors: list[ErrorDetail] = []
    with append_errors_to(errors):
        document = read_document(scenario, settings)
        if seed is not None:
            document = document.set("seed", seed, "--seed")
        if not schemes:
            return document
        from penstock.studies.plan import ComparisonPlan

        cases = ComparisonPlan.resolve_cases(document, schemes, None, at).cases
    if errors and schemes:
        from penstock.studies.candidate import Candidate

        with append_errors_to(errors):
            Candidate.from_schemes(schemes)
    if errors:
        raise ScenarioError(dict.fromkeys(errors))
    if len(cases) > 1:
        listed = " ".join(f"--scheme {case.candidate.label}" for case in cases)
        raise PenstockError(f"{listed}: run takes a single scheme; use penstock compare for several")
    return cases[0].document


def _simulated(
    document: Document,
    budget: tuple[float | None, str | None],
    outputs: Outputs,
    folder: Path | None,
    recording: dict[str, Any],
) -> Run:
    """Run in simulation and write the result."""
    from penstock.engine.course import has_course, run_course
    from penstock.engine.warmup import has_automatic_warmup, queue_means_by_link
    from penstock.explain.unsettled_queues import unsettled_queue_warnings
    from penstock.explain.warnings import scenario_warnings, unfilled_link_warnings
    from penstock.results.grid import format_tables, run_grids
    from penstock.scenario.budget import BudgetLimits, check_budget

    limits = BudgetLimits.parse(*budget)
    notify_all(check_budget([document.resolve()], limits, document.origins, traced=recording["traced"]))
    resolved = _with_warmup(document).resolve()
    drawn = outputs.html is not None and has_course(resolved)
    recorded = _recorded(resolved, events=drawn, **recording)
    result: Run = recorded.run
    notify(f"1 run of {result.scenario['duration']}, seed {result.seed}: {result.events} events, {result.cpu_s:.3g} s")
    outputs.show(format_tables(run_grids(result.raw)))
    warnings = scenario_warnings(resolved) + unfilled_link_warnings(resolved, result.raw["links"])
    if not has_automatic_warmup(document):
        warnings += unsettled_queue_warnings(
            resolved, queue_means_by_link(result.series, parse_time(result.scenario["duration"]) / 1e9)
        )
    notify_all(f"warning: {warned.text}" for warned in warnings)
    answer = result.to_dict()
    outputs.write_json({key: value for key, value in answer.items() if key not in ("series", "senders")})
    if outputs.html is not None:
        from penstock.studies.repeat import command_script

        course = run_course(recorded) if drawn else {}
        script = command_script(["penstock", "run"], document)
        write_page({**answer, "course": course, "script": script}, outputs.html)
    if folder is not None:
        recorded.write(folder)
    return result


def _with_warmup(document: Document) -> Document:
    """The scenario, with a warm-up that is "auto" determined and printed."""
    from penstock.engine.run import run_batch
    from penstock.engine.warmup import has_automatic_warmup, with_warmup

    determined = with_warmup(document, run_batch)
    if has_automatic_warmup(document):
        notify(f"warm-up, determined by a pilot run: {determined.tree['warmup']}")
    return determined


def _recorded(
    resolved: Resolved,
    *,
    events: bool,
    captured: Sequence[tuple[str | None, Path]],
    snaplen: int | None,
    traced: bool,
    flows: bool,
) -> RecordedRun:
    """The run with its series, from which its transient is determined."""
    from penstock.engine.pcap import captures_of_links
    from penstock.engine.run import MAX_FLOWS, count_flows
    from penstock.engine.trace import record_run

    return record_run(
        resolved,
        int(resolved.readable["seed"]),
        traced=traced,
        events=events,
        captures=captures_of_links(resolved.canonical["links"], captured),
        snaplen=snaplen,
        flows=flows or count_flows(resolved) <= MAX_FLOWS,
        series=True,
    )


def _on_link(
    document: Document,
    attempts: int,
    outputs: Outputs,
    folder: Path | None,
    capture_options: tuple[Sequence[tuple[str | None, Path]], int | None],
) -> Run:
    """Run on a real link and write the result. Exits with 1 if its numbers are invalid."""
    from penstock.engine.pcap import captures_of_links
    from penstock.link.measure import prepare
    from penstock.link.requirements import require_real_links
    from penstock.results.grid import format_tables, run_grids
    from penstock.studies.repeat import command_script

    captured = captures_of_links(prepare(document).resolved.canonical["links"], capture_options[0])
    require_real_links("run", restart=True)
    ready = prepare(_with_warmup(document))
    notify_all(ready.traffic.notes)
    seed = int(ready.resolved.readable["seed"])
    result = ready.run(seed, attempts=attempts, trace=folder, captures=captured, snaplen=capture_options[1])
    raw = result.raw
    outputs.show(format_tables(run_grids(raw)))
    late = raw["lateness"]
    notify(
        f"1 real run of {result.scenario['duration']}, seed {result.seed}: packets late by {1e6 * late['p50_s']:.0f} "
        f"us (median), {1e6 * late['p99_s']:.0f} us (99th percentile), {raw['lost_before_queue']} lost before a queue"
    )
    answer = result.to_dict()
    outputs.write_json(answer)
    if outputs.html is not None:
        script = command_script(["penstock", "run"], document, [["--on", "link"]])
        write_page({**answer, "script": script}, outputs.html)
    if not raw["valid"]:
        reasons = "; ".join(raw["invalid_because"])
        notify(f"invalid after {raw['attempts']} attempts: {reasons}. Stop other programs, or lower the rate")
        raise typer.Exit(ExitCode.FAILED)
    return result
