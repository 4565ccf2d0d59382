"""Options and arguments that several verbs share, each with one meaning."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer

from penstock.errors import ErrorDetail, ScenarioError

MAX_SEED = 2**63 - 1
"""Largest seed, as in a scenario file."""

MAX_RUNS = 100_000

MARGIN = "2%"
"""Default of `--margin`; the same value as `penstock.results.conclusion.MARGIN`."""

OUTPUT = "Output"
"""Help heading of the options for the destination of results."""

REAL = "Runs on a real link"
"""Help heading of the options for `--on link`."""


def value_option(names: str, metavar: str, help: str, panel: str | None = None, **settings: Any) -> Any:
    """An option with a value; `names` are separated by spaces, `panel` is its heading in the help."""
    return typer.Option(*names.split(), metavar=metavar, help=help, rich_help_panel=panel, **settings)


def list_option(names: str, metavar: str, help: str, panel: str | None = None, **settings: Any) -> Any:
    """An option that may be given several times."""
    return value_option(names, metavar, help, panel, default_factory=list, **settings)


def flag_option(names: str, help: str, panel: str | None = None, **settings: Any) -> Any:
    """An option without a value."""
    return typer.Option(*names.split(), help=help, rich_help_panel=panel, **settings)


def argument(metavar: str, help: str, **settings: Any) -> Any:
    """An argument whose default is not shown."""
    return typer.Argument(metavar=metavar, help=help, show_default=False, **settings)


class ExecutionMode(StrEnum):
    """Where to execute runs."""

    simulation = "simulation"
    link = "link"


def complete_scheme_names(beginning: str) -> list[str]:
    """The names of schemes with this prefix, for shell completion."""
    from penstock.aqms.catalog import schemes

    return [scheme.name for scheme in schemes() if scheme.name.startswith(beginning)]


def single_link(at: Sequence[str], verb: str) -> str | None:
    """The link of `--at`; None without the option. Raises `ScenarioError` for several."""
    if len(at) > 1:
        message = f"{verb} takes one link, and {at[0]} is already given"
        raise ScenarioError([ErrorDetail("", message, None, f"--at {at[1]}")])
    return at[0] if at else None


def parse_margin(text: str) -> float:
    """The value of `--margin` as a fraction. Raises `ScenarioError`."""
    from penstock.units import UnitError, parse_probability

    try:
        return parse_probability(text)
    except UnitError:
        message = "must be a share of the utilization from 0 to 1, such as 2% or 0.02"
        raise ScenarioError([ErrorDetail("", message, None, f"--margin {text}")]) from None


def parse_seconds(text: str, option: str) -> float:
    """The value of an option that is a time, in seconds. Raises `ScenarioError`."""
    from penstock.units import UnitError, parse_time

    try:
        return parse_time(text) / 1e9
    except UnitError as error:
        raise ScenarioError([ErrorDetail("", str(error), None, f"{option} {text}")]) from None


ScenarioFile = Annotated[str, argument("SCENARIO.toml", "Scenario file.")]
Settings = Annotated[
    list[str], list_option("--set", "PATH=VALUE", "Override one value, e.g. links.bottleneck.rate=2Mbit; repeatable.")
]
Load = Annotated[list[str], list_option("--load", "FILE.py", "Load a file that declares AQMs in Python; repeatable.")]


def _schemes(number: str) -> Any:
    """The option `--scheme`; `number` is how often it may be given."""
    return list_option(
        "--scheme",
        "NAME[:k=v,...]",
        "Scheme with parameters, e.g. red:gentle=true; FILE.py:NAME for an AQM in Python, @FILE.toml for a table "
        f"in a file; {number}.",
        autocompletion=complete_scheme_names,
    )


Schemes = Annotated[list[str], _schemes("repeatable")]
SingleScheme = Annotated[list[str], _schemes("at most one")]
Links = Annotated[
    list[str],
    list_option("--at", "LINK", "Link whose queue --scheme replaces; default: the watched links; repeatable."),
]
Where = Annotated[
    ExecutionMode, typer.Option("--on", help="simulation, or link (a real link on this machine with real senders).")
]
Attempts = Annotated[
    int, value_option("--attempts", "N", "Maximum number of attempts if a run is invalid.", REAL, min=1, max=100)
]
Seed = Annotated[int | None, value_option("--seed", "N", "Seed; default: the scenario's.", min=0, max=MAX_SEED)]
Jobs = Annotated[int | None, value_option("--jobs", "N", "Threads; default: one per core.", min=1, max=1024)]
JsonTarget = Annotated[
    str | None, value_option("--json", "FILE|-", "Write the result as JSON; - is standard output.", OUTPUT)
]
HtmlTarget = Annotated[
    str | None, value_option("--html", "FILE", "Write a self-contained HTML page that works offline.", OUTPUT)
]
TraceFolder = Annotated[
    str | None,
    value_option(
        "--trace",
        "DIR",
        "Write every packet event to packets.parquet in this folder; simulated runs also write series.parquet.",
        OUTPUT,
    ),
]
StoreFolder = Annotated[
    str | None,
    value_option("--store", "DIR", "Folder that keeps finished runs; default: the user's cache folder.", OUTPUT),
]
FailIf = Annotated[
    list[str],
    list_option(
        "--fail-if",
        "'METRIC > VALUE'",
        "Exit with 3 if any result meets this condition, e.g. 'delay_p99_s > 20ms' or 'calls.loss > 1%'; repeatable.",
    ),
]
Margin = Annotated[
    str,
    value_option(
        "--margin",
        "SHARE",
        "Rank by delay only schemes whose utilization is at most SHARE percentage points below the highest.",
    ),
]
MaxEvents = Annotated[
    float | None,
    value_option(
        "--max-events",
        "N",
        "Report an error if a run is estimated to have more than N events, e.g. 1e13; default: 1e12.",
    ),
]
MaxMemory = Annotated[
    str | None,
    value_option(
        "--max-memory",
        "SIZE",
        "Report an error if runs are estimated to need more memory than SIZE, e.g. 64GiB; default: 80% of the "
        "available memory.",
    ),
]
