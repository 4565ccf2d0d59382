"""`penstock new`: a law or a paper from a template."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.output import print_result

EXAMPLE = "penstock new aqm my-red"


def new(
    kind: Annotated[str, typer.Argument(metavar="aqm|paper", help="Kind of template.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name, in lower case with hyphens.")],
    rust: Annotated[
        bool,
        typer.Option("--rust/--python", help="A Rust law in a checkout of penstock, or a Python law in its own file."),
    ] = False,
    into: Annotated[str, typer.Option(metavar="DIR", help="Target folder, or the checkout.")] = ".",
) -> None:
    """Create a law or a paper from a template that works as it stands."""
    from penstock.cli.template import create

    print_result(create(kind, name, rust, Path(into)))
