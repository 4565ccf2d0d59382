"""Link layers in the words of tc as the framing of a link: size tables, and the rates of htb, tbf and netem.

Manual pages: tc-stab(8), tc-tbf(8), tc-netem(8), and the help of `tc class add htb`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from penstock.dialects.conversion import Conversion, DialectError
from penstock.dialects.tc_lines import TcObject
from penstock.dialects.tc_options import parse_quantity
from penstock.dialects.tc_units import SIZES
from penstock.errors import did_you_mean
from penstock.scenario.framing import NO_FRAMING, Framing
from penstock.units import UnitError

__all__ = ["add_framing", "add_size_tables", "framing_of_netem", "framing_of_rate"]

LINK_LAYERS = {"ethernet": "none", "atm": "atm", "adsl": "atm"}
"""The cells of tc's link layers, tc-stab(8)."""
ETHERNET_HEADER = 14
CELL, CELL_HEADER = 48, 5
"""Bytes of payload and of the header of a cell of ATM, the only cells of netem that links have here."""


def add_size_tables(lines: Sequence[TcObject], found: Conversion) -> None:
    """Set the link's framing by the size table of the root queue, tc-stab(8); other size tables are listed."""
    for line in lines:
        words, text = (
            dict(zip(line.size_table_words[::2], line.size_table_words[1::2], strict=False)),
            f"stab {' '.join(line.size_table_words)}",
        )
        overhead, mpu = (_whole(text, words.get(word, "0")) for word in ("overhead", "mpu"))
        cells = _cells(text, words.get("linklayer", "ethernet"))
        try:
            framing = Framing.validated(overhead + _link_header(line), mpu, cells)
        except UnitError as error:
            found.lost_settings.append(f"{text}: {error}")
            continue
        if "parent" in line.location:
            found.lost_settings.append(f"{text}: only the link layer of the root queue has an effect here")
        else:
            add_framing(framing, text, found)


def add_framing(framing: Framing, text: str, found: Conversion) -> None:
    """Give the link a framing. A second one, described by `text`, is listed: tc applies both, and a link has one."""
    if framing == NO_FRAMING:
        return
    if "framing" in found.link:
        found.lost_settings.append(f"{text}: the link already has the framing of another object in the text")
    else:
        found.link["framing"] = framing.readable()


def framing_of_rate(given: Mapping[str, str], line: TcObject, device: str = "") -> Framing:
    """The link-layer framing that a rate of tbf or htb counts; `device` is for a line that names none.

    Raises `DialectError` for a framing that links cannot have.
    """
    overhead, mpu = (round(parse_quantity(given.get(word, "0"), SIZES, "size")) for word in ("overhead", "mpu"))
    cells = "atm" if "atm" in given else _cells("linklayer", given.get("linklayer", "ethernet"))
    if (overhead, mpu, cells) == (0, 0, "none"):
        return NO_FRAMING
    return _checked(overhead + _link_header(line, device), mpu, cells, line.text)


def framing_of_netem(words: Sequence[str], line: TcObject) -> Framing | None:
    """The framing of `rate RATE OVERHEAD CELLSIZE CELLOVERHEAD`, tc-netem(8); None for cells that links cannot have."""
    numbers = [_whole("rate", word) for word in words if word not in ("packetoverhead", "cellsize", "celloverhead")]
    overhead, cell, header = (*numbers, 0, 0, 0)[:3]
    if (overhead, cell) == (0, 0):
        return NO_FRAMING
    if (cell, header) not in ((0, 0), (CELL, CELL_HEADER)):
        return None
    return _checked(overhead + _link_header(line), 0, "atm" if cell else "none", line.text)


def _checked(overhead: int, mpu: int, cells: str, text: str) -> Framing:
    try:
        return Framing.validated(overhead, mpu, cells)
    except UnitError as error:
        raise DialectError(f"{text}: {error}") from None


def _cells(text: str, layer: str) -> str:
    if layer not in LINK_LAYERS:
        raise DialectError(f"{text}: no link layer {layer}{did_you_mean(layer, LINK_LAYERS)}; supported: "
                           f"{', '.join(LINK_LAYERS)}")  # fmt: skip
    return LINK_LAYERS[layer]


def _whole(text: str, number: str) -> int:
    if not re.fullmatch(r"-?\d{1,9}", number):
        raise DialectError(f"{text}: {number} is not a whole number of bytes")
    return int(number)


def _link_header(line: TcObject, device: str = "") -> int:
    """The bytes of the link header that a device includes in packet sizes, tc-stab(8); 0 without such a header."""
    return 0 if re.match(r"ppp|tun|wg|ip|sit|gre", line.device or device) else ETHERNET_HEADER
