"""The settings of dummynet's queues and schedulers, with the defaults of ipfw(8)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from penstock.dialects.keys import ANY, Key
from penstock.dialects.value_kinds import INTEGER, NUMBER, PACKETS, SIZE, ValueKind, parse_real, time_text

__all__ = ["AQMS", "FLAGS", "OBJECT_KEYS", "RED_KEYS", "parse_bandwidth", "parse_queue_size"]

_PAGE = "ipfw(8), TRAFFIC SHAPER (DUMMYNET) CONFIGURATION"


def _within(kind: ValueKind, least: float, most: float, number: Callable[[str], float]) -> ValueKind:
    def read(text: str) -> Any:
        if not least <= number(text) <= most:
            raise ValueError(f"expected {least:g} to {most:g}")
        return kind.read(text)

    return ValueKind(read, kind.write)


def _seconds(text: str) -> float:
    match = re.fullmatch(r"(\d++\.?\d*)(s|ms|us|)", text)
    if match is None:
        raise ValueError("expected a time such as 5ms")
    return parse_real(match[1]) * {"s": 1, "ms": 1e-3, "us": 1e-6, "": 1e-3}[match[2]]


TIME = ValueKind(lambda text: time_text({"ns": round(1e9 * _seconds(text))}), time_text)
"""Milliseconds without a unit."""


def parse_bandwidth(text: str) -> float:
    """`bw` in bit/s: a number with K, M or G, then bit/s (the default) or Byte/s. Raises `ValueError`."""
    match = re.fullmatch(
        r"(\d++\.?\d*|\.\d+)([kKmMgG]?)(?:(b|bps|bit|bits|bit/s|bits/s)|(B|Bps|[bB]ytes?(?:/s)?))?", text
    )
    if match is None:
        raise ValueError("expected a rate such as 10Mbit/s")
    scale = {"": 1, "k": 1000, "m": 10**6, "g": 10**9}[match[2].lower()]
    return parse_real(match[1]) * scale * (8 if match[4] else 1)


def parse_queue_size(text: str) -> str:
    """`queue`: slots, bytes, or KBytes of 1024 bytes. Raises `ValueError`."""
    match = re.fullmatch(r"(\d{1,12})(?:([kK])(?:[bB](?:ytes?)?)?|[bB](?:ytes?)?)?", text)
    if match is None:
        raise ValueError("expected slots, or a size such as 50KBytes")
    if text.isdecimal():
        return f"{match[1]}p"
    return f"{int(match[1]) * (1024 if match[2] else 1)}B"


FLAGS: dict[str, tuple[str, str]] = {
    "ecn": ("ecn", "true"), "noecn": ("ecn", "false"),
    "capdrop": ("capdrop", "on"), "nocapdrop": ("capdrop", "off"),
    "drand": ("drand", "on"), "nodrand": ("drand", "off"), "derand": ("drand", "on"), "noderand": ("drand", "off"),
    "onoff": ("onoff", "on"), "noonoff": ("onoff", "off"),
    "dre": ("delay", "rate"), "ts": ("delay", "timestamp"),
}  # fmt: skip
"""Words without a value, the key of each and its value."""

_WORD = ValueKind(str, str)
_ECN = Key("ecn", "false", "", "ecn, noecn", "ecn", _PAGE, ValueKind(lambda text: text == "true", str))

_CODEL = [
    Key("target", "5ms", "time, ms by default", "0 or more", "target", _PAGE, TIME),
    Key("interval", "100ms", "time, ms by default", "0 or more", "interval", _PAGE, TIME),
    _ECN,
]
_GAIN = _within(NUMBER, 0, 7, parse_real)
_PIE = [
    Key("target", "15ms", "time, ms by default", "0 or more", "target", _PAGE, TIME),
    Key("tupdate", "15ms", "time, ms by default", "0 or more", "t_update", _PAGE, TIME),
    Key("alpha", "0.125", "", "0 to 7", "alpha", _PAGE, _GAIN),
    Key("beta", "1.25", "", "0 to 7", "beta", _PAGE, _GAIN),
    Key("max_burst", "150ms", "time, ms by default", "up to 10 s", "max_burst", _PAGE, _within(TIME, 0, 10, _seconds)),
    Key("max_ecnth", "0.1", "", "0 to 1", "mark_ecnth", _PAGE, _within(NUMBER, 0, 1, parse_real)),
    _ECN,
    Key("capdrop", "on", "", "capdrop, nocapdrop", "cap_drop", _PAGE, _WORD),
    Key("drand", "on", "", "drand, nodrand", "derandomization", _PAGE, _WORD),
    Key("onoff", "off", "", "onoff", "activation", _PAGE, _WORD),
    Key("delay", "rate", "", "dre, ts", "delay", _PAGE, _WORD),
]
_FLOWS = [
    Key("quantum", "1514", "bytes", "up to 9000", "quantum", _PAGE, _within(SIZE, 1, 9000, parse_real)),
    Key("limit", "10240", "packets", "up to 20480", "limit", _PAGE, _within(PACKETS, 1, 20480, parse_real)),
    Key("flows", "1024", "", "up to 65536", "flows", _PAGE, _within(INTEGER, 1, 65536, parse_real)),
]

AQMS: dict[str, tuple[str, list[Key]]] = {
    "codel": ("codel", _CODEL),
    "pie": ("pie", _PIE),
    "fq_codel": ("fq-codel", [*_CODEL, *_FLOWS]),
    "fq_pie": ("fq-pie", [*_PIE, *_FLOWS]),
}
"""AQMs and schedulers to which all following words belong."""

_SHARE = _within(NUMBER, 0, 1, parse_real)
RED_KEYS = [
    Key("w_q", "", "", "0 to 1", "w_q", _PAGE, _SHARE),
    Key("min_th", "", "that of queue", "whole numbers", "min_th", _PAGE, INTEGER),
    Key("max_th", "", "that of queue", "whole numbers", "max_th", _PAGE, INTEGER),
    Key("max_p", "", "", "0 to 1", "max_p", _PAGE, _SHARE),
    _ECN,
]

_LINK = "Of the link, not of its queue"
OBJECT_KEYS = [
    Key("bw", "0", "bit/s", "0: no limit", "rate", _PAGE, ValueKind(parse_bandwidth, str)),
    Key(
        "queue",
        "50",
        "slots or bytes",
        "slots, or a size such as 50KBytes",
        "limit",
        _PAGE,
        ValueKind(parse_queue_size, str),
    ),
    Key("weight", "1", "", "1 to 100", "weight", _PAGE, _within(INTEGER, 1, 100, parse_real)),
    Key("delay", "0", "ms", "0 or more", _LINK, _PAGE, neutral_values=("0ms",)),
    Key("plr", "0", "", "0 to 1, or K,p,H,r", _LINK, _PAGE),
    Key("burst", "0", "bytes", "0 or more", "The link has no burst", _PAGE),
    Key("profile", "", "", "a file", _LINK, _PAGE),
    Key("mask", "", "", "all, dst-ip MASK, ...", "One queue for each flow: not simulated", _PAGE),
    Key("buckets", "64", "", "16 to 65536", "Size of a hash table: no effect here", _PAGE, neutral_values=ANY),
    Key("lmax", "0", "bytes", "", "Largest packet: means nothing here", _PAGE, neutral_values=ANY),
    Key("pri", "0", "", "", "Of the scheduler prio, which is not read", _PAGE),
]
"""The settings of pipes, queues and schedulers before the AQM."""
