"""`penstock list`: schemes, conditioners, TCP keys, traffic, workloads, metrics, papers."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli.options import AsJson
from penstock.cli.output import json_text, print_result, write_json
from penstock.errors import PenstockError, nearest

EXAMPLE = "penstock list schemes --json"


def list_(
    kind: Annotated[
        str, typer.Argument(metavar="LIST", help="schemes, conditioners, tcp, traffic, workloads, metrics or papers.")
    ] = "schemes",
    as_json: AsJson = False,
) -> None:
    """List the available schemes, conditioners, TCP keys, kinds of traffic, workloads, metrics or papers."""
    from penstock.cli.list_tables import LISTS

    if kind not in LISTS:
        raise PenstockError(f'no list "{kind}"{nearest(kind, LISTS)}; available: {", ".join(LISTS)}')
    entries = LISTS[kind].entries()
    if as_json:
        write_json(json_text(entries), None)
    else:
        print_result(LISTS[kind].text(entries))
