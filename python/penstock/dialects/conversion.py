"""A queue's settings between dialects: penstock's own form in the middle, with notes on what changed or was lost."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from penstock.errors import PenstockError
from penstock.units import parse_length

__all__ = [
    "Conversion",
    "ConversionContext",
    "DialectError",
    "convert_limit",
    "escape_line_breaks",
    "is_device_name",
    "length_in_packets",
    "limit_in_packets",
    "toml_value",
]  # fmt: skip


class DialectError(PenstockError):
    """A text that does not belong to its dialect, or settings that a dialect cannot express at all."""


@dataclass(frozen=True)
class ConversionContext:
    """Facts about the link that a dialect needs.

    Attributes:
        rate: in bit/s; None if it is not known.
        packet: mean size of a packet in bytes, to convert between bytes and packets.
        device: name of the interface to read if a text has several; also the interface in lines to paste.
        name: name of the interface, policy map, pipe or link to read, if Linux would not accept it as the name of a
            device: `ge-0/0/1`.

    Raises `DialectError` for a device name that is not a single word in a shell, or not a valid device name in Linux.

    """

    rate: float | None = None
    packet: int = 1000
    device: str | None = None
    name: str | None = None

    @property
    def chosen(self) -> str | None:
        """Name of the object to read if a text has several."""
        return self.name or self.device

    @property
    def interface(self) -> str:
        """Name of the interface in lines to paste."""
        return self.device or "eth0"

    def __post_init__(self) -> None:
        if self.device is not None and not is_device_name(self.device):
            raise DialectError(
                f'"{escape_line_breaks(self.device)}" is no name of a device: 1 to 15 letters, digits, _ . : @ + -, '
                "such as eth0"
            )
        if self.packet < 1:
            raise DialectError(f"a packet of {self.packet} B: it has at least 1 B")


@dataclass
class Conversion:
    """A queue's settings in penstock's form and as text, with notes and losses of the conversion.

    Attributes:
        scheme: penstock's name of the scheme.
        parameters: as in the table of a queue in a scenario, `limit` among them.
        text: the settings in the other dialect; empty when they were only read.
        notes: values after rounding, and units that are easily taken for others.
        lost_settings: what one side has and the other cannot say.
        rate: of the link in bit/s, where the text gives one.
        link: other keys of the link that the text gives, as in a scenario: {"delay": "50ms"}.

    """

    scheme: str
    parameters: dict[str, Any]
    text: str = ""
    notes: list[str] = field(default_factory=list)
    lost_settings: list[str] = field(default_factory=list)
    rate: float | None = None
    link: dict[str, Any] = field(default_factory=dict)

    @property
    def link_lines(self) -> list[str]:
        """The keys of the link as lines of a scenario file."""
        return [f"{key} = {toml_value(value)}" for key, value in self.link.items()]


_DEVICE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:@+-]{0,14}")


def is_device_name(name: str) -> bool:
    """Whether a name is a valid name of a device in Linux, and a single word in a shell."""
    return bool(_DEVICE.fullmatch(name)) and name not in (".", "..")


def toml_value(value: Any) -> str:
    """The text of a value in a scenario file.

    >>> toml_value({"rate": 0.25, "early": True})
    '{ rate = 0.25, early = true }'
    """
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {toml_value(item)}' for key, item in value.items())} }}"
    return json.dumps(value)


def escape_line_breaks(text: str) -> str:
    r"""The text on one line: line breaks and other control characters are escaped.

    >>> escape_line_breaks("a" + chr(10) + "rm -rf /")
    'a\\nrm -rf /'
    """
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def length_in_packets(value: Any, facts: ConversionContext, limit: float | None = None) -> float:
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
    needs = "the rate: give --rate RATE" if length.unit == "ns" else "a limit"
    raise DialectError(f'"{value}" cannot be converted to packets without {needs}')


def limit_in_packets(parameters: Mapping[str, Any], facts: ConversionContext) -> float | None:
    """The limit in packets; None without one."""
    limit = parameters.get("limit")
    return None if limit in (None, "inf") else length_in_packets(limit, facts)


def convert_limit(found: Conversion, facts: ConversionContext, *, in_packets: bool) -> None:
    """Remove an infinite limit from the parameters, and convert a time, or bytes if `in_packets`, to packets.

    Raises `DialectError` for a time if the rate of the link is unknown, and for a part of a limit.
    """
    given = found.parameters.get("limit")
    if given == "inf":
        del found.parameters["limit"]
    if given in (None, "inf") or isinstance(given, (int, float)):
        return
    unit = parse_length(given).unit
    if unit == "packets" or (unit == "bytes" and not in_packets):
        return
    made = max(1, round(length_in_packets(given, facts)))
    found.parameters["limit"] = f"{made}p"
    found.notes.append(f"limit = {made} packets of {facts.packet} B instead of {given}")
