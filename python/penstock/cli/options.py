"""Options and arguments that several verbs share."""

from __future__ import annotations

from typing import Annotated

import typer

MAX_SEED = 2**63 - 1
"""Largest seed; the scenario file has the same bound."""

OUTPUT = "Output"
"""Heading, in the help, of options for the destination of results."""

ScenarioFile = Annotated[str, typer.Argument(metavar="SCENARIO.toml", help="Scenario file.", show_default=False)]
Settings = Annotated[
    list[str],
    typer.Option(
        "--set", metavar="PATH=VALUE", help="Override one value, e.g. links.bottleneck.rate=2Mbit; repeatable."
    ),
]
Load = Annotated[
    list[str], typer.Option("--load", metavar="FILE.py", help="Load a file that declares Python laws; repeatable.")
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
StoreFolder = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="DIR",
        help="Folder that keeps finished runs; default: the user's cache folder.",
        rich_help_panel=OUTPUT,
    ),
]
StoreToRead = Annotated[
    str | None,
    typer.Option("--store", metavar="DIR", help="Store to read; default: that of compare, in the user's cache folder."),
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
AsJson = Annotated[bool, typer.Option("--json", help="Print the list as JSON.")]


def schemes_beginning(beginning: str) -> list[str]:
    """The names of schemes with this beginning, for completion in the shell."""
    from penstock.laws.catalog import schemes

    return [scheme.name for scheme in schemes() if scheme.name.startswith(beginning)]
