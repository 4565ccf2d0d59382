"""Video and replayed packets in canonical form."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final

from penstock.errors import did_you_mean, toml_type_name
from penstock.scenario.resolve.files import parse_file_name
from penstock.scenario.resolve.reader import REQUIRED, Table, choice_parser, parse_boolean, parse_payload, parse_string
from penstock.units import UnitError, format_rate, format_size, parse_rate, parse_size

Pair = tuple[dict[str, Any], dict[str, Any]]

_SIZES: Final = {"I": 5.0, "P": 3.0, "B": 1.0}


def read_video(table: Table, common: tuple[str, ...]) -> Pair:
    """Frames of three types."""
    settings = {
        "rate": table.parse_key("rate", parse_rate, REQUIRED, advice='bits on the wire, such as rate = "1Mbit"'),
        "fps": table.parse_key("fps", _number(0.001, 1e6, "frames a second"), 30),
        "gop": table.parse_key("gop", _gop, "IBBPBBPBB"),
        "sizes": table.parse_key("sizes", _sizes, _SIZES),
        "variation": table.parse_key("variation", _number(0, 10, "standard deviation / mean"), 0.3),
        "packet": table.parse_key("packet", parse_payload, 1000),
        "headers": _headers(table),
        "phase": table.parse_key("phase", choice_parser("zero", "random"), "zero"),
        "adu": table.parse_key("adu", choice_parser("frame", "gop"), "frame"),
        "dependence": table.parse_key("dependence", parse_boolean, False),
    }
    table.check_keys([*common, *settings, "ecn"])
    if settings["rate"] == 0:
        table.add_error("rate", "must be above 0")
    if any(value is None for value in settings.values()):
        return {}, {}
    video = {key: value for key, value in settings.items() if key not in ("packet", "adu", "sizes")}
    video |= {
        "payload": settings["packet"],
        "unit": settings["adu"],
        "sizes": [settings["sizes"][letter] for letter in "IPB"],
    }
    sizes = {key: format_size(settings[key]) for key in ("packet", "headers")}
    return {"video": video}, settings | sizes | {"rate": format_rate(settings["rate"])}


def read_replay(table: Table, common: tuple[str, ...]) -> Pair:
    """The packets of a file."""
    file = table.parse_key("file", parse_file_name, REQUIRED, advice='a capture, such as file = "link.pcap"')
    headers = _headers(table)
    table.check_keys([*common, "file", "headers", "ecn"])
    if file is None or headers is None:
        return {}, {}
    return {"replay": {"file": file, "headers": headers}}, {"file": file, "headers": format_size(headers)}


def _headers(table: Table) -> int | None:
    headers: int | None = table.parse_key("headers", parse_size, 28)
    if headers is not None and headers > 1000:
        table.add_error("headers", "must be at most 1000B")
    return headers


def _gop(value: Any) -> str:
    letters = parse_string(value)
    if not re.fullmatch(r"I[IPB]{0,999}", letters):
        raise UnitError("must be up to 1000 of the letters I, P and B, and begin with I, such as IBBPBBPBB")
    return letters


def _sizes(value: Any) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise UnitError(f"must be a table such as {{ I = 5, P = 3, B = 1 }}, not {toml_type_name(value)}")
    for key in value:
        if key not in _SIZES:
            raise UnitError(f'unknown type of frame "{key}"{did_you_mean(key, _SIZES)}; available: I, P, B')
    number = _number(1e-6, 1e6, "size in proportion to the others")
    return {letter: number(value.get(letter, size)) for letter, size in _SIZES.items()}


def _number(low: float, high: float, what: str) -> Any:
    def parse_number(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise UnitError(f"must be a number from {low:g} to {high:g}: {what}")
        if not low <= value <= high:
            raise UnitError(f"must lie between {low:g} and {high:g}: {what}")
        return value

    return parse_number
