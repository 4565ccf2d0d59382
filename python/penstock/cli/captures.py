"""The options `--pcap` and `--snaplen` of the verbs that carry packets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from penstock.cli.options import OUTPUT, list_option, value_option
from penstock.cli.output_files import output_file_except_stdout
from penstock.errors import PenstockError

__all__ = ["Captures", "SnapLength", "parse_pcap_options"]

Captures = Annotated[
    list[str],
    list_option(
        "--pcap",
        "[NAME=]FILE",
        "Capture the packets on the watched link, or on link NAME, as pcap; repeatable.",
        OUTPUT,
    ),
]
SnapLength = Annotated[
    int | None,
    value_option(
        "--snaplen",
        "BYTES",
        "With --pcap: number of bytes to keep of each packet, e.g. 100 for the headers; default: all.",
        OUTPUT,
        min=1,
        max=65_535,
    ),
]


def parse_pcap_options(options: Sequence[str], snaplen: int | None) -> list[tuple[str | None, Path]]:
    """Link names (None: the watched link) with the files of their packets. Raises `PenstockError`."""
    from penstock.engine.pcap import split_pcap_option

    if snaplen is not None and not options:
        raise PenstockError("--snaplen: requires --pcap FILE")
    return [(link, output_file_except_stdout(name, "--pcap")) for link, name in map(split_pcap_option, options)]
