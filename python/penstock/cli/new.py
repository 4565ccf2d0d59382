"""`penstock new`: a law or a paper from a template."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.output import print_result

EXAMPLE = "penstock new aqm my-red"


def new(
    kind: Annotated[str, typer.Argument(metavar="aqm|paper", help="What to create: a law or a reproduced paper.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name, in lower case with hyphens.")],
    rust: Annotated[
        bool,
        typer.Option(
            "--rust/--python",
            help="The law in Rust, in a checkout of penstock, or in Python, in its own file.",
        ),
    ] = False,
    into: Annotated[str, typer.Option(metavar="DIR", help="Folder to write to; with --rust the checkout.")] = ".",
) -> None:
    """Create a law or a paper from a template that runs unchanged."""
    from penstock.cli.template import create

    print_result(create(kind, name, rust, Path(into)))
