"""The options `--pcap` and `--snaplen` of verbs that carry packets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.options import OUTPUT
from penstock.cli.output_files import page_file
from penstock.errors import PenstockError

__all__ = ["Captures", "SnapLength", "capture_files"]

Captures = Annotated[
    list[str],
    typer.Option(
        "--pcap",
        metavar="[NAME=]FILE",
        help="Capture the packets on the watched link, or on link NAME, as pcap; repeatable.",
        rich_help_panel=OUTPUT,
        default_factory=list,
    ),
]
SnapLength = Annotated[
    int | None,
    typer.Option(
        metavar="BYTES",
        min=1,
        max=65_535,
        help="With --pcap: number of bytes to keep of each packet, e.g. 100 for the headers; default: all.",
        rich_help_panel=OUTPUT,
    ),
]


def capture_files(options: Sequence[str], snaplen: int | None) -> list[tuple[str | None, Path]]:
    """Link names (None: the watched link) with the files of their packets. Raises `PenstockError`."""
    from penstock.engine.pcap import split

    if snaplen is not None and not options:
        raise PenstockError("--snaplen: only with --pcap FILE")
    return [(link, page_file(name, "--pcap")) for link, name in map(split, options)]
