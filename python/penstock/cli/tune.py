"""`penstock tune`: parameters for a link that meet an aim, proven with fresh seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.options import HtmlTarget, Jobs, JsonTarget, Load, ScenarioFile, Settings, StoreFolder
from penstock.cli.output import (
    json_text,
    load_laws,
    notify,
    open_store,
    output_file,
    print_result,
    resumable,
    write_json,
)
from penstock.errors import ErrorDetail, ScenarioError

if TYPE_CHECKING:
    from penstock.tuning.advice import Advice

EXAMPLE = "penstock tune scenarios/standard.toml --aim 'delay p99 < 30ms' --candidates droptail,codel --budget 10s"

Aims = Annotated[
    list[str],
    typer.Option(
        "--aim",
        metavar="'METRIC < VALUE'",
        help="Aim, e.g. 'delay p99 < 20ms', 'calls.loss < 0.1%', 'utilization > 95%', 'min delay'; repeatable. "
        "A weight may follow: 'min delay weight 2'.",
        show_default=False,
    ),
]
Candidates = Annotated[
    list[str],
    typer.Option(
        metavar="NAME,NAME...",
        help="Schemes to choose from, separated by commas; with given parameters one an option, e.g. red:ecn=true.",
        show_default=False,
    ),
]
Place = Annotated[
    str | None, typer.Option("--at", metavar="LINK", help="Link to tune; default: the first watched one.")
]
BudgetTime = Annotated[
    str, typer.Option("--budget", metavar="TIME", help="Planned time on two cores; sets the number of settings tried.")
]


Capture = Annotated[
    str | None,
    typer.Option(metavar="FILE.pcap", help="Replay a capture over the link, beside the scenario's own traffic."),
]


def tune(
    scenario: ScenarioFile,
    aim: Aims,
    candidates: Candidates,
    at: Place = None,
    budget: BudgetTime = "150s",
    capture: Capture = None,
    jobs: Jobs = None,
    settings: Settings = [],  # noqa: B006
    load: Load = [],  # noqa: B006
    store: StoreFolder = None,
    json_target: JsonTarget = None,
    html: HtmlTarget = None,
) -> None:
    """Find parameters for a link that meet an aim, and confirm them with fresh seeds.

    The advice is compared with the schemes' defaults and with published rules.
    Finished runs are kept: rerun an interrupted command to resume it.
    """
    json_file, html_file = output_file(json_target, "--json"), output_file(html, "--html")
    load_laws(load)
    found = _advice(scenario, settings, aim, _split(candidates), at, _seconds(budget), jobs, store, capture)
    if json_target != "-":
        from penstock.tuning import shown

        print_result(shown.text(found))
    if json_target is not None:
        write_json(json_text(found.to_dict()), json_file)
    if html_file is not None:
        from penstock.tuning import page

        page.write(found, html_file)
        notify(f"page: {html_file}")


def _advice(
    scenario: str,
    settings: list[str],
    aims: list[str],
    candidates: list[str],
    at: str | None,
    budget_s: float,
    jobs: int | None,
    store: str | None,
    capture: str | None,
) -> Advice:
    """The advice, with progress; Ctrl-C ends with the code for it, and finished runs are kept."""
    from penstock.engine.progress import Watch
    from penstock.scenario.scenario import read_document
    from penstock.tuning.advice import tune

    document = read_document(scenario, settings)
    watch = Watch(0)
    kept = open_store(store)
    with resumable(), watch:
        found = tune(
            document,
            aims,
            candidates,
            at=at,
            budget_s=budget_s,
            jobs=jobs,
            progress=watch.update,
            store=kept,
            capture=capture,
        )
    notify(f"{found.runs} runs of {len(found.tried)} settings")
    return found


def _split(texts: list[str]) -> list[str]:
    """The candidates: `red,pie` are two, `red:min_th=5,max_th=15` is one."""
    return [name for text in texts for name in ([text] if ":" in text or text.startswith("@") else text.split(","))]


def _seconds(text: str) -> float:
    from penstock.units import UnitError, parse_time

    try:
        return parse_time(text) / 1e9
    except UnitError as error:
        raise ScenarioError([ErrorDetail("", str(error), None, f"--budget {text}")]) from None
