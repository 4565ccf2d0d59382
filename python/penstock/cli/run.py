"""`penstock run`: one run of a scenario."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.options import (
    OUTPUT,
    HtmlTarget,
    JsonTarget,
    Load,
    MaxEvents,
    MaxMemory,
    ScenarioFile,
    Seed,
    Settings,
)
from penstock.cli.output import json_text, load_laws, notify, output_file, output_folder, print_result, write_json
from penstock.cli.output import write_page as write_result_page
from penstock.errors import PenstockError

if TYPE_CHECKING:
    from penstock.engine.trace import RecordedRun
    from penstock.scenario.resolve import Resolved

EXAMPLE = "penstock run scenarios/thesis_link.toml --seed 7 --set traffic.extra.count=50"


TraceFolder = Annotated[
    str | None,
    typer.Option(
        metavar="DIR",
        help="Write packet events and queues over time to this folder, as packets.parquet and series.parquet.",
        rich_help_panel=OUTPUT,
    ),
]
Captures = Annotated[
    list[str],
    typer.Option(
        metavar="[NAME=]FILE",
        help="Capture the packets on the watched link, or on link NAME, as pcap; repeatable.",
        rich_help_panel=OUTPUT,
    ),
]
AllFlows = Annotated[
    bool, typer.Option("--flows", help="Report each flow, even of more than 1000.", rich_help_panel=OUTPUT)
]


def run(
    scenario: ScenarioFile,
    seed: Seed = None,
    settings: Settings = [],  # noqa: B006
    load: Load = [],  # noqa: B006
    json_target: JsonTarget = None,
    html: HtmlTarget = None,
    trace: TraceFolder = None,
    pcap: Captures = [],  # noqa: B006
    flows: AllFlows = False,
    max_events: MaxEvents = None,
    max_memory: MaxMemory = None,
) -> None:
    """Run a scenario once and print the metrics of its links and traffic."""
    from penstock.results.grid import run_grids, text
    from penstock.scenario.budget import Limits, check_budget
    from penstock.scenario.scenario import read_document

    json_file, html_file = output_file(json_target, "--json"), output_file(html, "--html")
    captured, folder = _capture_files(pcap), output_folder(trace, "--trace")
    load_laws(load)
    document, traced, series = read_document(scenario, settings), folder is not None, html_file is not None
    resolved = document.resolve()
    for note in check_budget([resolved], Limits.parse(max_events, max_memory), document.origins, traced=traced):
        notify(note)
    recorded = _run(resolved, seed, captured, traced=traced, flows=flows, series=series)
    result = recorded.run
    notify(f"1 run of {result.scenario['duration']}, seed {result.seed}: {result.events} events, {result.cpu_s:.3g} s")
    if json_target != "-":
        print_result(text(run_grids(result.raw)))
    answer = result.to_dict()
    if json_target is not None:
        write_json(
            json_text({key: value for key, value in answer.items() if key not in ("series", "senders")}), json_file
        )
    if html_file is not None:
        write_result_page(answer, html_file)
    if folder is not None:
        recorded.write(folder)


def _run(
    resolved: Resolved,
    seed: int | None,
    captured: list[tuple[str | None, Path]],
    *,
    traced: bool,
    flows: bool,
    series: bool,
) -> RecordedRun:
    from penstock.engine.pcap import captures
    from penstock.engine.run import MAX_FLOWS, count_flows
    from penstock.engine.trace import record

    return record(
        resolved,
        int(resolved.shown["seed"]) if seed is None else seed,
        traced=traced,
        captures=captures(resolved.canonical["links"], captured),
        flows=flows or count_flows(resolved) <= MAX_FLOWS,
        series=series,
    )


def _capture_files(options: list[str]) -> list[tuple[str | None, Path]]:
    """Link names (None: the watched link) with the files of their packets."""
    from penstock.engine.pcap import split

    found = []
    for link, name in map(split, options):
        file = output_file(name, "--pcap")
        if file is None:
            raise PenstockError("--pcap -: packets go to a file, not to standard output")
        found.append((link, file))
    return found
