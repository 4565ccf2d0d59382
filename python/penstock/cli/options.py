"""Options and arguments that several verbs share, each with one meaning."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer

from penstock.errors import ErrorDetail, PenstockError, ScenarioError

MAX_SEED = 2**63 - 1
"""Largest seed; the scenario file has the same bound."""

MAX_RUNS = 100_000

MARGIN = "2%"
"""Default of `--margin`; in Python `penstock.results.conclusion.MARGIN`."""

OUTPUT = "Output"
"""Heading, in the help, of options for the destination of results."""

REAL = "Runs on a real link"
"""Help heading of the options for `--on link`."""


class On(StrEnum):
    """Where to execute runs."""

    simulation = "simulation"
    link = "link"


def schemes_beginning(beginning: str) -> list[str]:
    """The names of schemes with this prefix, for shell completion."""
    from penstock.aqms.catalog import schemes

    return [scheme.name for scheme in schemes() if scheme.name.startswith(beginning)]


def only_link(at: Sequence[str], verb: str) -> str | None:
    """The link of `--at`; None without the option. Raises `PenstockError` for several."""
    if len(at) > 1:
        raise PenstockError(f"--at {at[1]}: {verb} takes one link, and {at[0]} is already given")
    return at[0] if at else None


def margin_of(text: str) -> float:
    """The value of `--margin` as a fraction. Raises `ScenarioError`."""
    from penstock.units import UnitError, parse_probability

    try:
        return parse_probability(text)
    except UnitError:
        message = "must be a share of the utilization from 0 to 1, such as 2% or 0.02"
        raise ScenarioError([ErrorDetail("", message, None, f"--margin {text}")]) from None


def seconds_of(text: str, option: str) -> float:
    """The value of an option that is a time, in seconds. Raises `ScenarioError`."""
    from penstock.units import UnitError, parse_time

    try:
        return parse_time(text) / 1e9
    except UnitError as error:
        raise ScenarioError([ErrorDetail("", str(error), None, f"{option} {text}")]) from None


ScenarioFile = Annotated[str, typer.Argument(metavar="SCENARIO.toml", help="Scenario file.", show_default=False)]
Settings = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Override one value, e.g. links.bottleneck.rate=2Mbit; repeatable.",
        default_factory=list,
    ),
]
Load = Annotated[
    list[str],
    typer.Option(
        "--load",
        metavar="FILE.py",
        help="Load a file that declares AQMs in Python; repeatable.",
        default_factory=list,
    ),
]
Schemes = Annotated[
    list[str],
    typer.Option(
        "--scheme",
        metavar="NAME[:k=v,...]",
        help="Scheme with parameters, e.g. red:gentle=true; FILE.py:NAME for an AQM in Python, @FILE.toml for a table "
        "in a file; repeatable.",
        autocompletion=schemes_beginning,
        default_factory=list,
    ),
]
Links = Annotated[
    list[str],
    typer.Option(
        "--at",
        metavar="LINK",
        help="Link whose queue is replaced; default: the watched links; repeatable.",
        default_factory=list,
    ),
]
Where = Annotated[On, typer.Option("--on", help="simulation, or link (a real link on this machine with real senders).")]
Attempts = Annotated[
    int,
    typer.Option(
        metavar="N", min=1, max=100, help="Maximum attempts for a run with invalid numbers.", rich_help_panel=REAL
    ),
]
Seed = Annotated[
    int | None, typer.Option(metavar="N", min=0, max=MAX_SEED, help="Seed of the (first) run; default: the scenario's.")
]
Jobs = Annotated[int | None, typer.Option(metavar="N", min=1, max=1024, help="Threads; default: one per core.")]
JsonTarget = Annotated[
    str | None,
    typer.Option(
        "--json", metavar="FILE|-", help="Write the result as JSON; - is standard output.", rich_help_panel=OUTPUT
    ),
]
HtmlTarget = Annotated[
    str | None,
    typer.Option(
        "--html", metavar="FILE", help="Write a self-contained HTML page that works offline.", rich_help_panel=OUTPUT
    ),
]
TraceFolder = Annotated[
    str | None,
    typer.Option(
        "--trace",
        metavar="DIR",
        help="Write every packet event to packets.parquet in this folder; simulated runs also write series.parquet.",
        rich_help_panel=OUTPUT,
    ),
]
StoreFolder = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="DIR",
        help="Folder that keeps finished runs; default: the user's cache folder.",
        rich_help_panel=OUTPUT,
    ),
]
FailIf = Annotated[
    list[str],
    typer.Option(
        "--fail-if",
        metavar="'METRIC > VALUE'",
        help="Exit with 3 if any result meets this condition, e.g. 'delay_p99_s > 20ms' or "
        "'calls.loss > 1%'; repeatable.",
        default_factory=list,
    ),
]
Margin = Annotated[
    str,
    typer.Option(
        metavar="SHARE",
        help="The best scheme has the lowest 99th percentile of the delay among those whose utilization is within "
        "SHARE of the highest.",
    ),
]
MaxEvents = Annotated[
    float | None,
    typer.Option(metavar="N", help="Refuse a run estimated to have more events, e.g. 1e13; default: 1e12."),
]
MaxMemory = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Refuse runs estimated to need more memory, e.g. 64GiB; default: 80% of the available memory.",
    ),
]
