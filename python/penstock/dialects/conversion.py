"""A queue's settings between dialects: penstock's own form in the middle, with notes on what changed or was lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from penstock.errors import PenstockError
from penstock.units import parse_length

__all__ = ["Conversion", "DialectError", "Facts", "limit_packets", "packets", "settle_limit"]


class DialectError(PenstockError):
    """A text that is not of its dialect, or settings that a dialect cannot say at all."""


@dataclass(frozen=True)
class Facts:
    """What a dialect needs to know of the link.

    Attributes:
        rate: in bit/s; None if it is not known.
        packet: mean size of a packet in bytes, where one side counts bytes and the other packets.
        device: name of the interface in lines to paste.

    """

    rate: float | None = None
    packet: int = 1000
    device: str = "eth0"


@dataclass
class Conversion:
    """A queue's settings.

    Attributes:
        scheme: penstock's name of the scheme.
        parameters: as in the table of a queue in a scenario, `limit` among them.
        text: the settings in the other dialect; empty when they were only read.
        notes: values after rounding, and units that are easily taken for others.
        missing: what one side has and the other cannot say.
        rate: of the link in bit/s, where the text gives one.

    """

    scheme: str
    parameters: dict[str, Any]
    text: str = ""
    notes: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    rate: float | None = None


def packets(value: Any, facts: Facts, limit: float | None = None) -> float:
    """A length in packets: 5, "5p", "7500B", "25%" of the limit, a time at the link's rate."""
    if isinstance(value, (int, float)):
        return float(value)
    length = parse_length(value)
    match length.unit:
        case "packets":
            return float(length.amount)
        case "bytes":
            return float(length.amount) / facts.packet
        case "buffer" if limit is not None:
            return float(length.amount) * limit
        case "ns" if facts.rate is not None:
            return float(length.amount) / 1e9 * facts.rate / 8 / facts.packet
    needs = "the rate: give --link RATE" if length.unit == "ns" else "a limit"
    raise DialectError(f'"{value}" cannot be converted to packets without {needs}')


def limit_packets(parameters: Mapping[str, Any], facts: Facts) -> float | None:
    """The limit in packets; None without one."""
    limit = parameters.get("limit")
    return None if limit in (None, "inf") else packets(limit, facts)


def settle_limit(found: Conversion, facts: Facts, *, in_packets: bool) -> None:
    """Write no limit instead of an infinite one, and a limit in packets instead of a time, or of bytes if `in_packets`.

    Raises `DialectError` for a time if the link's rate is not known, and for a part of a limit.
    """
    given = found.parameters.get("limit")
    if given == "inf":
        del found.parameters["limit"]
    if given in (None, "inf") or isinstance(given, (int, float)):
        return
    unit = parse_length(given).unit
    if unit == "packets" or (unit == "bytes" and not in_packets):
        return
    made = max(1, round(packets(given, facts)))
    found.parameters["limit"] = f"{made}p"
    found.notes.append(f"limit = {made} packets of {facts.packet} B instead of {given}")
