"""`penstock link`: a command, or existing namespaces or devices, on the real link of a scenario."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.options import OUTPUT, JsonTarget, Load, ScenarioFile, Seed, Settings
from penstock.cli.output import json_text, load_laws, notify, output_file, output_folder, print_result, write_json
from penstock.errors import PenstockError

if TYPE_CHECKING:
    from penstock.link.control import Control
    from penstock.link.lab import Pair
    from penstock.link.layout import Layout
    from penstock.link.states import View

EXAMPLE = "penstock link examples/slow_dsl.toml -- sh -c 'curl -so /dev/null http://$PENSTOCK_PEER/1MB'"

NOT_FOUND = 127
CANNOT_EXECUTE = 126
"""Exit statuses if there is no such command, or it cannot be executed, as of a shell."""

Command = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[-- COMMAND ...]", help="Command that runs on the link; default: your shell.", show_default=False
    ),
]
AtLink = Annotated[
    str | None, typer.Option("--at", metavar="LINK", help="Link under test; default: the first watched link.")
]
OneScheme = Annotated[
    str | None,
    typer.Option(metavar="NAME[:k=v,...]", help="Queue of that link, e.g. codel:target=5ms; default: the scenario's."),
]
Tcp = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Congestion control of both hosts, e.g. reno; default: the scenario's, or the kernel's.",
    ),
]
Between = Annotated[
    tuple[str, str] | None,
    typer.Option(
        metavar="NS1 NS2", help="Join two existing namespaces, by name or process number, instead of fresh ones."
    ),
]
Devices = Annotated[
    tuple[str, str] | None,
    typer.Option("--dev", metavar="DEV1 DEV2", help="Join two Ethernet devices, of --between or of this machine."),
]
Node = Annotated[
    str | None,
    typer.Option(
        "--in",
        metavar="NODE",
        help="Node that the command runs in; default: the source of traffic on the link.",
    ),
]
Duration = Annotated[str | None, typer.Option(metavar="TIME", help="End after this time, e.g. 30s.")]
TraceFolder = Annotated[
    str | None,
    typer.Option(
        metavar="DIR", help="Write every event of a packet to this folder, as packets.parquet.", rich_help_panel=OUTPUT
    ),
]
Live = Annotated[
    bool | None,
    typer.Option(
        "--live/--no-live",
        help="Show queues and flows while the link runs; default: without a command, on a terminal.",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
StreamTarget = Annotated[
    str | None,
    typer.Option(
        "--stream",
        metavar="FILE|-",
        help="Write the state twice a second as lines of JSON.",
        rich_help_panel=OUTPUT,
    ),
]
ControlFile = Annotated[
    str | None,
    typer.Option(
        "--control", metavar="FILE", help="Change the queue by lines such as 'codel:target=5ms' in this FIFO or file."
    ),
]


def link(
    scenario: ScenarioFile,
    command: Command = None,
    at: AtLink = None,
    scheme: OneScheme = None,
    between: Between = None,
    dev: Devices = None,
    node: Node = None,
    tcp: Tcp = None,
    settings: Settings = [],  # noqa: B006
    load: Load = [],  # noqa: B006
    seed: Seed = None,
    duration: Duration = None,
    control: ControlFile = None,
    json_target: JsonTarget = None,
    trace: TraceFolder = None,
    live: Live = None,
    stream: StreamTarget = None,
) -> None:
    """Run a command whose packets cross the links of a scenario for real: same queues, rates and delays as simulated.

    The command runs in a network namespace of its own. The only other host is $PENSTOCK_PEER, with a web server
    (/10MB gives 10 MB) and, where it is installed, an iperf3 server. The exit status is that of the command.
    """
    from penstock.link import requirements

    json_file, folder = output_file(json_target, "--json"), output_folder(trace, "--trace")
    load_laws(load)
    layout, seconds = _layout(scenario, settings, at, scheme, node, tcp), _seconds(duration)
    argv = _argv(command, alone=between is not None or dev is not None)
    requirements.require("link", restart=True)
    number = int(layout.resolved.shown["seed"]) if seed is None else seed
    with _control(control) as controlled, _views(stream, live, alone=argv is None) as views:
        status, result, recorded = _run(
            layout, argv, (between, dev), seconds, views, controlled, seed=number, traced=folder is not None
        )
    result = {"penstock": _native_version(), "scenario": layout.resolved.shown, "seed": number, **result}
    _print(result, to_stdout=argv is None and "-" not in (json_target, stream))
    if json_target is not None:
        write_json(json_text(result), json_file)
    if folder is not None:
        recorded(folder)
    raise typer.Exit(status)


def _layout(
    scenario: str, settings: list[str], at: str | None, scheme: str | None, node: str | None, tcp: str | None
) -> Layout:
    from penstock.link.layout import Layout
    from penstock.scenario.scenario import read_document

    return Layout.of(read_document(scenario, settings), at, scheme, node, tcp)


def _seconds(duration: str | None) -> float | None:
    from penstock.units import parse_time

    if duration is None:
        return None
    try:
        return parse_time(duration) / 1e9
    except ValueError as error:
        raise PenstockError(f"--duration {duration}: {error}") from None


def _argv(command: list[str] | None, *, alone: bool) -> list[str] | None:
    """The command, by default the user's shell; None if there is none. Ends penstock if it cannot be started."""
    if not command:
        if alone:
            return None
        command = [os.environ.get("SHELL") or "/bin/sh"]
    if shutil.which(command[0]) is None:
        notify(f"{command[0]}: {'cannot be executed' if Path(command[0]).exists() else 'command not found'}")
        raise typer.Exit(CANNOT_EXECUTE if Path(command[0]).exists() else NOT_FOUND)
    return command


def _run(
    layout: Layout,
    argv: list[str] | None,
    places: tuple[Pair | None, Pair | None],
    seconds: float | None,
    views: list[View],
    control: Control | None,
    *,
    seed: int,
    traced: bool,
) -> tuple[int, dict[str, Any], Callable[[Path], None]]:
    """Run the link; returns the exit status, the result, and a writer of the trace."""
    from penstock.link.lab import open_lab
    from penstock.link.watch import watch

    between, devices = places
    with open_lab(layout, seed=seed, trace=traced, between=between, devices=devices) as lab:
        for note in lab.notes:
            notify(note)
        child = None
        if argv is not None:
            child = lab.start(argv)
        elif seconds is None:
            notify("the link runs; Ctrl-C ends it")
        status = watch(lab.session, layout.link, child, duration=seconds, views=views, control=control)
        result = lab.session.stop()
        columns = lab.session.trace()

    def write(folder: Path) -> None:
        from penstock.link import trace

        trace.write(columns, [entry["name"] for entry in layout.resolved.canonical["links"]], folder)

    return status, result, write


@contextlib.contextmanager
def _views(stream: str | None, live: bool | None, *, alone: bool) -> Iterator[list[View]]:
    """The views, which are closed at the end."""
    views: list[View] = []
    file: IO[str] | None = None
    if stream is not None or live or (alone and live is None and sys.stderr.isatty()):
        from penstock.link.states import Stream

        if stream is not None:
            path = output_file(stream, "--stream")
            file = sys.stdout if path is None else path.open("w", encoding="utf-8")
            views.append(Stream(file))
        if live or (live is None and alone and sys.stderr.isatty()):
            from rich.console import Console

            from penstock.link.live_view import LiveView

            views.append(LiveView(Console(stderr=True)))
    try:
        yield views
    finally:
        for view in views:
            view.close()
        if file not in (None, sys.stdout):
            file.close()


@contextlib.contextmanager
def _control(name: str | None) -> Iterator[Control | None]:
    from penstock.link.control import Control

    if name is None:
        yield None
        return
    with contextlib.closing(Control(Path(name))) as control:
        yield control


def _print(result: dict[str, Any], *, to_stdout: bool) -> None:
    """The table of the watched links, how exact the link was, and whether the numbers count.

    It goes to standard error after a command, which has standard output for itself.
    """
    from penstock.results.grid import run_grids, text

    late = result["lateness"]
    shown = {name: {key: link.get(key) for key in _SHOWN} for name, link in result["links"].items()}
    lines = [
        text(run_grids({"links": shown})).rstrip("\n"),
        f"lateness: median {1e6 * late['p50_s']:.0f} us, 99 % below {1e6 * late['p99_s']:.0f} us, "
        f"at most {1e6 * late['max_s']:.0f} us ({result['scheduling']}); "
        f"lost before the queue: {result['lost_before_queue']}",
    ]
    lines += [f"INVALID: {reason}" for reason in result["invalid_because"]]
    output = "\n".join(lines) + "\n"
    if to_stdout:
        print_result(output)
    else:
        notify(output.rstrip("\n"))


_SHOWN = (
    "length_mean_pkts", "delay_mean_s", "delay_p99_s", "utilization",
    "arrivals", "drops", "marks", "loss_rate", "mark_rate",
)  # fmt: skip
"""Metrics of the printed table; the JSON has all."""


def _native_version() -> str:
    from penstock import _native

    return _native.version
