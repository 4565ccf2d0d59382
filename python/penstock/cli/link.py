"""`penstock link`: a command, or existing namespaces or devices, on the real link of a scenario."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.captures import Captures, SnapLength, parse_pcap_options
from penstock.cli.options import (
    MAX_SEED,
    OUTPUT,
    JsonTarget,
    Load,
    ScenarioFile,
    Schemes,
    Settings,
    argument,
    flag_option,
    list_option,
    value_option,
)
from penstock.cli.output import Outputs, load_aqms, notify, print_result
from penstock.cli.output_files import STANDARD_OUTPUT, output_file, output_folder
from penstock.errors import PenstockError

if TYPE_CHECKING:
    from penstock.engine.pcap import Capture
    from penstock.link.control import QueueCommandFile
    from penstock.link.layout import LinkLayout
    from penstock.link.running_link import Pair
    from penstock.link.states import StateView

EXAMPLE = "penstock link examples/slow_dsl.toml -- sh -c 'curl -so /dev/null http://$PENSTOCK_PEER/1MB'"

NOT_FOUND = 127
CANNOT_EXECUTE = 126
"""Exit statuses if there is no such command, or it cannot be executed, as of a shell."""

MAX_UNUSED_SHARE = 0.2
"""Maximum share of the bytes in a direction that is assumed to carry only acknowledgments."""

MIN_NOTED_BITS = 400_000
"""Minimum number of bits that reveal the direction of the data: about 30 full packets."""

Command = Annotated[
    list[str] | None, argument("[-- COMMAND ...]", "Command that runs on the link; default: your shell.")
]
AtLink = Annotated[
    list[str],
    list_option(
        "--at",
        "LINK",
        "Link under test: --scheme replaces its queue. Repeatable; the first is watched. Default: the first watched "
        "link.",
    ),
]
Tcp = Annotated[
    str | None,
    value_option(
        "--tcp", "NAME", "Congestion control of both hosts, e.g. reno; default: the scenario's, or the kernel's."
    ),
]
Between = Annotated[
    tuple[str, str] | None,
    value_option(
        "--between",
        "NS1 NS2",
        "Connect two existing network namespaces (by name or process ID) instead of creating new ones.",
    ),
]
Devices = Annotated[
    tuple[str, str] | None,
    value_option(
        "--dev", "DEV1 DEV2", "Connect two Ethernet devices, in the namespaces of --between or on this machine."
    ),
]
Node = Annotated[
    str | None,
    value_option("--in", "NODE", "Node that the command runs in; default: the source of traffic on the link."),
]
LinkSeed = Annotated[
    int | None,
    value_option("--seed", "N", "Seed of the links' random draws; default: the scenario's.", min=0, max=MAX_SEED),
]
PacketTrace = Annotated[
    str | None, value_option("--trace", "DIR", "Write every packet event to packets.parquet in this folder.", OUTPUT)
]
Duration = Annotated[str | None, value_option("--duration", "TIME", "End after this time, e.g. 30s.")]
Live = Annotated[
    bool | None,
    flag_option(
        "--live/--no-live",
        "Show queues and flows while the link runs; default: on if standard error is a terminal and neither a "
        "command nor a shell runs.",
        OUTPUT,
        show_default=False,
    ),
]
StreamTarget = Annotated[
    str | None, value_option("--stream", "FILE|-", "Write the state twice a second as lines of JSON.", OUTPUT)
]
ControlFile = Annotated[
    str | None,
    value_option(
        "--control",
        "FILE",
        "Read changes of the queue, such as 'codel:target=5ms', from this FIFO or file, one per line.",
    ),
]


def link(
    *,
    scenario: ScenarioFile,
    command: Command = None,
    at: AtLink,
    schemes: Schemes,
    between: Between = None,
    dev: Devices = None,
    node: Node = None,
    tcp: Tcp = None,
    settings: Settings,
    load: Load,
    seed: LinkSeed = None,
    duration: Duration = None,
    control: ControlFile = None,
    json_target: JsonTarget = None,
    trace: PacketTrace = None,
    pcap: Captures,
    snaplen: SnapLength = None,
    live: Live = None,
    stream: StreamTarget = None,
) -> None:
    """Run a command on a real link: its packets cross the links of a scenario.

    Queues, rates and delays are the same as in simulation. The command runs in a network namespace of its own. The only
    other host is $PENSTOCK_PEER, with a web server (/10MB returns 10 MB) and, if installed, an iperf3 server. The exit
    status is the command's.

    With several schemes, the command runs once per scheme; the exit status is the first nonzero one.
    """
    from penstock.link import requirements

    outputs, folder = Outputs.from_options(json_target), output_folder(trace, "--trace")
    captured = parse_pcap_options(pcap, snaplen)
    load_aqms(load)
    _refuse_several(schemes, {"--trace": folder is not None, "--pcap": bool(captured)})
    chosen: list[str | None] = [*schemes] or [None]
    layouts = [_layout(scenario, settings, at, scheme, node, tcp) for scheme in chosen]
    recording = _Recording(folder, _captures(layouts[0], captured), snaplen)
    seconds = _seconds(duration)
    argv = _argv(command, alone=between is not None or dev is not None)
    requirements.require_real_links("link", restart=True)
    results: list[dict[str, Any]] = []
    statuses: list[int] = []
    for layout in layouts:
        number = int(layout.resolved.readable["seed"]) if seed is None else seed
        if len(layouts) > 1:
            notify(f"{schemes[len(results)]}:")
        with _control(control) as controlled, _views(stream, live, alone=argv is None) as views:
            places = between, dev
            status, result, write_trace = _run(layout, argv, places, seconds, views, controlled, recording, seed=number)
        results.append({"penstock": _version(), "scenario": layout.resolved.readable, "seed": number, **result})
        statuses.append(status)
        is_free = argv is None and not outputs.json_on_stdout and stream != STANDARD_OUTPUT
        _print(results[-1], to_stdout=is_free)
        if folder is not None:
            write_trace(folder)
    outputs.write_json(results[0] if len(results) == 1 else results)
    raise typer.Exit(next((status for status in statuses if status), 0))


def _layout(
    scenario: str, settings: list[str], at: list[str], scheme: str | None, node: str | None, tcp: str | None
) -> LinkLayout:
    from penstock.link.layout import LinkLayout
    from penstock.scenario.document import read_document
    from penstock.studies.candidate import Candidate
    from penstock.studies.plan import check_places, with_candidate_queue

    document = read_document(scenario, settings)
    if others := at[1:]:
        check_places(document, others)
        if scheme is None:
            raise PenstockError(f"--at {others[0]}: requires --scheme")
        document = with_candidate_queue(document, Candidate.from_scheme(scheme), others)
    return LinkLayout.from_document(document, at[0] if at else None, scheme, node, tcp)


def _refuse_several(schemes: Sequence[str], recorded: dict[str, bool]) -> None:
    """Raise `PenstockError` for an option that records a run if there are several schemes, each with a run."""
    for option in (option for option, is_given in recorded.items() if is_given and len(schemes) > 1):
        raise PenstockError(f"{option}: requires a single scheme")


@dataclass(frozen=True)
class _Recording:
    """The folder of the trace, the captures, and the number of bytes to keep of each packet."""

    folder: Path | None
    captures: list[Capture]
    snaplen: int | None


def _captures(layout: LinkLayout, files: Sequence[tuple[str | None, Path]]) -> list[Capture]:
    """The captures of `--pcap`; without the name of a link, of the link under test."""
    from penstock.engine.pcap import captures_of_links

    named = [(layout.link if name is None else name, file) for name, file in files]
    return captures_of_links(layout.resolved.canonical["links"], named)


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
    layout: LinkLayout,
    argv: list[str] | None,
    places: tuple[Pair | None, Pair | None],
    seconds: float | None,
    views: list[StateView],
    control: QueueCommandFile | None,
    recording: _Recording,
    *,
    seed: int,
) -> tuple[int, dict[str, Any], Callable[[Path], None]]:
    """Run the link; returns the exit status, the result, and a writer of the trace."""
    from penstock.engine.pcap import write_when_complete
    from penstock.link.running_link import open_running_link
    from penstock.link.watch import watch_link

    between, devices = places
    traced, snaplen = recording.folder is not None, recording.snaplen
    with (
        write_when_complete(recording.captures) as files,
        open_running_link(
            layout, seed=seed, trace=traced, between=between, devices=devices, captures=files, snaplen=snaplen
        ) as lab,
    ):
        for note in lab.notes:
            notify(note)
        child = None
        if argv is not None:
            child = lab.start(argv)
        elif seconds is None:
            notify("the link is running; press Ctrl-C to stop it")
        status = watch_link(lab.session, layout.link, child, duration=seconds, views=views, control=control)
        state = lab.session.snapshot()
        result = lab.session.stop()
        columns = lab.session.trace()

    if state is not None and (note := _direction_note(layout.link, layout.near_node, state["links"])):
        notify(note)

    def write(folder: Path) -> None:
        from penstock.link import trace

        trace.write_packet_events(columns, [entry["name"] for entry in layout.resolved.canonical["links"]], folder)

    return status, result, write


def _direction_note(link: str, node: str, states: dict[str, Any]) -> str:
    """A note if most bytes crossed the other direction of the link under test, and not its queue; else empty.

    `node` is the node in which the command ran.
    """
    other = link.removesuffix(".reverse") if link.endswith(".reverse") else f"{link}.reverse"
    here, there = (states[name]["sent_bits"] for name in (link, other))
    if there < MIN_NOTED_BITS or here > MAX_UNUSED_SHARE * (here + there):
        return ""
    return (
        f"note: only {here / (here + there):.0%} of the bytes crossed {link}, which has the queue under test "
        f"({states[link]['scheme']}); the rest crossed {other}, whose queue is {states[other]['scheme']}. To test "
        f"that direction: --at {other} --in {node}"
    )


@contextlib.contextmanager
def _views(stream: str | None, live: bool | None, *, alone: bool) -> Iterator[list[StateView]]:
    """The views, which are closed at the end."""
    views: list[StateView] = []
    file: IO[str] | None = None
    if stream is not None or live or (alone and live is None and sys.stderr.isatty()):
        from penstock.link.states import StateStream

        if stream is not None:
            is_stdout = stream == STANDARD_OUTPUT
            file = sys.stdout if is_stdout else output_file(stream, "--stream").open("w", encoding="utf-8")
            views.append(StateStream(file))
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
def _control(name: str | None) -> Iterator[QueueCommandFile | None]:
    from penstock.link.control import QueueCommandFile

    if name is None:
        yield None
        return
    with contextlib.closing(QueueCommandFile(Path(name))) as control:
        yield control


def _print(result: dict[str, Any], *, to_stdout: bool) -> None:
    """Print the table of the watched links, the lateness of packets, and the reasons if the numbers are invalid.

    After a command they go to standard error: standard output belongs to the command.
    """
    from penstock.results.grid import format_tables, run_grids

    late = result["lateness"]
    links = {name: {key: link.get(key) for key in _SHOWN} for name, link in result["links"].items()}
    lines = [
        format_tables(run_grids({"links": links})).rstrip("\n"),
        f"lateness: median {1e6 * late['p50_s']:.0f} us, 99 % below {1e6 * late['p99_s']:.0f} us, at most "
        f"{1e6 * late['max_s']:.0f} us ({result['scheduling']}); lost before the queue: "
        f"{'unknown' if (lost := result['lost_before_queue']) is None else lost}",
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


def _version() -> str:
    from penstock import _native

    return _native.version
