"""`penstock new`: an AQM or a paper from a template."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.options import JsonTarget, flag_option, value_option
from penstock.cli.output import Outputs
from penstock.errors import PenstockError

EXAMPLE = "penstock new aqm my-red"


def new(
    *,
    kind: Annotated[str, typer.Argument(metavar="aqm|paper", help="What to create: an AQM or a paper reproduction.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name, in lower case with hyphens.")],
    rust: Annotated[
        bool,
        flag_option(
            "--rust/--python",
            "Write the AQM in Rust, in a checkout of penstock, or in Python (the default), as a separate file.",
        ),
    ] = False,
    into: Annotated[
        str,
        value_option("--into", "DIR", "Folder to write to; with --rust, the checkout; default: the current folder."),
    ] = ".",
    json_target: JsonTarget = None,
) -> None:
    """Create an AQM or a paper reproduction from a template; the result runs as is."""
    from penstock.cli.template import create_from_template

    outputs = Outputs.from_options(json_target)
    if not into:
        raise PenstockError("--into: the name of the folder is empty")
    created = create_from_template(kind, name, rust, Path(into))
    outputs.show(created.text)
    outputs.write_json({"kind": kind, "name": name, "files": list(map(str, created.files)), "next": created.commands})
