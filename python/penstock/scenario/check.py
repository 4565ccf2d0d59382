"""The output of `penstock check`: a picture of the topology, in comments, and the resolved scenario as TOML.

Each value is in its canonical unit, with equivalents in a comment.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from penstock.aqms.red_thresholds import automatic_threshold
from penstock.scenario.network_drawing import topology_lines
from penstock.scenario.resolve import Resolved
from penstock.scenario.resolve.head import AUTO
from penstock.units import UnitError, format_length, format_time, parse_length, parse_rate, parse_time

# Column at which the comments begin.
_COLUMN = 44


AUTOMATIC_WARMUP = "determined by pilot runs: the end of the transient of the watched queues"


def resolved_text(resolved: Resolved, warmup: str | None = None) -> str:
    """The scenario as the text of an equivalent TOML file.

    `warmup` is the determined value of a warm-up that is "auto".
    """
    picture = [f"# {line}".rstrip() for line in topology_lines(resolved.readable)]
    lines = [*picture, "", *_table("", resolved.readable, resolved)]
    text = "\n".join(lines).strip() + "\n"
    return text if warmup is None else text.replace(AUTOMATIC_WARMUP, f"{warmup}, determined by a pilot run", 1)


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
    if not path and key == "warmup" and value == AUTO:
        return AUTOMATIC_WARMUP
    parts = path.split(".")
    if parts[0] != "links" or not isinstance(value, (str, int, float)) or isinstance(value, bool):
        return ""
    link = resolved.readable["links"][parts[1]]
    if key == "rate":
        return _rate_note(str(value), round(resolved.largest_packet_on(_place(parts))))
    if key == "delay" and len(parts) == 2:
        trip = resolved.round_trip(parts[1])
        return f"largest round trip of its flows without queueing: {format_time(trip)}" if trip else ""
    side = link if len(parts) == 3 else {**link, **link.get("reverse", {})}
    if parts[-1] != "queue" or not isinstance(side.get("rate"), str) or key == "mean_packet":
        return ""
    queue = side["queue"]
    rate, size = parse_rate(side["rate"]), round(resolved.largest_packet_on(_place(parts)))
    automatic = automatic_threshold(key, queue, rate)
    if automatic is not None:
        text = format_length(automatic)
        return f"{text}: {_length_note(text, rate, size)}"
    return _length_note(value, rate, size)


def _place(parts: Sequence[str]) -> str:
    """The link direction that a path belongs to."""
    return f"{parts[1]}.reverse" if "reverse" in parts[2:] else parts[1]


def _rate_note(value: str, packet: int) -> str:
    try:
        rate = parse_rate(value)
    except UnitError:
        return ""
    return f"{_round(rate / 8 / packet)} packets of {packet} B per second"


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
