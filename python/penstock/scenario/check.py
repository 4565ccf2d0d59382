"""The output of `penstock check`: a picture of the topology, in comments, and the resolved scenario as TOML.

Each value is in its canonical unit, with equivalents in a comment.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from penstock.laws.red_thresholds import automatic_threshold
from penstock.scenario.network_drawing import topology_lines
from penstock.scenario.resolve import Resolved
from penstock.units import UnitError, format_length, format_time, parse_length, parse_rate, parse_size, parse_time

# Column at which the comments begin.
_COLUMN = 44


def resolved_text(resolved: Resolved) -> str:
    """The scenario as the text of an equivalent TOML file."""
    picture = [f"# {line}".rstrip() for line in topology_lines(resolved.shown)]
    lines = [*picture, "", *_table("", resolved.shown, resolved)]
    return "\n".join(lines).strip() + "\n"


def _table(path: str, table: Mapping[str, Any], resolved: Resolved) -> Iterator[str]:
    inner: list[tuple[str, Mapping[str, Any]]] = []
    for key, value in table.items():
        if isinstance(value, Mapping) and _is_section(path, key):
            inner.append((key, value))
        elif value is not None and value != "":
            line = f"{_key(key)} = {_value(value)}"
            note = _note(path, key, value, resolved)
            yield f"{line:<{_COLUMN}}  # {note}" if note else line
    for key, value in inner:
        below = f"{path}.{key}" if path else key
        if below not in ("links", "traffic"):
            yield f"\n[{'.'.join(map(_key, below.split('.')))}]"
        yield from _table(below, value, resolved)


def _is_section(path: str, key: str) -> bool:
    return path.count(".") == 0 or key in ("queue", "reverse")


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _note(path: str, key: str, value: Any, resolved: Resolved) -> str:
    parts = path.split(".")
    if parts[0] != "links" or not isinstance(value, (str, int, float)) or isinstance(value, bool):
        return ""
    link = resolved.shown["links"][parts[1]]
    if key == "rate":
        return _rate_note(str(value))
    if key == "delay" and len(parts) == 2:
        trip = resolved.round_trip(parts[1])
        return f"largest round trip of its flows without queueing: {format_time(trip)}" if trip else ""
    if parts[-1] != "queue" or not isinstance(link.get("rate"), str):
        return ""
    queue = link["queue"] if len(parts) == 3 else link["reverse"]["queue"]
    mean = queue.get("mean_packet", "auto")
    rate, size = parse_rate(link["rate"]), 1000 if mean == "auto" else parse_size(mean)
    automatic = automatic_threshold(key, queue, rate)
    if automatic is not None:
        text = format_length(automatic)
        return f"{text}: {_length_note(text, rate, size)}"
    return _length_note(value, rate, size)


def _rate_note(value: str) -> str:
    try:
        rate = parse_rate(value)
    except UnitError:
        return ""
    return f"{_round(rate / 8000)} packets of 1000 B a second"


def _length_note(value: Any, rate: int, mean: int) -> str:
    """A length in packets, bytes and time; empty for other values."""
    if not isinstance(value, str) or value == "inf":
        return ""
    try:
        length = parse_length(value)
    except UnitError:
        return ""
    if value.endswith("s"):
        return f"{_round(parse_time(value) * rate / 8e9 / mean)} packets of {mean} B at link rate"
    if length.unit not in ("packets", "bytes") or (value.endswith("B") and float(length.amount) == mean):
        return ""
    size = length.amount * mean if length.unit == "packets" else length.amount
    time = _round(size * 8e3 / rate)
    if length.unit == "packets":
        return f"{_bytes(size)} in packets of {mean} B, {time} ms"
    return f"{_round(size / mean)} packets of {mean} B, {time} ms"


def _bytes(size: float) -> str:
    return f"{_round(size / 1000)} kB" if size >= 1000 else f"{_round(size)} B"


def _round(value: float) -> str:
    return f"{value:.6g}"
