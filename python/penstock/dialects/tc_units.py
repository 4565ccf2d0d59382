"""tc's own units, tc(8): `10mbit` is 10 Mbit/s, `10mbps` is 10 MB/s, `k` in a size is 1024, a bare time is in us."""

from __future__ import annotations

import re
from typing import Any

from penstock.dialects.conversion import DialectError
from penstock.dialects.value_kinds import ValueKind, time_text
from penstock.units import format_rate, parse_rate, parse_size, parse_time

__all__ = ["RATE", "RATES", "SIZE", "SIZES", "TIME", "TIMES", "parse_quantity", "parse_whole", "parse_whole_of_word"]

SIZES = {"": 1.0, "b": 1.0, "k": 1024, "kb": 1024, "m": 1024**2, "mb": 1024**2, "g": 1024**3, "gb": 1024**3}
SIZES |= {"kbit": 1024 / 8, "mbit": 1024**2 / 8, "gbit": 1024**3 / 8}
RATES = {"": 1.0, "bit": 1.0, "kbit": 1e3, "mbit": 1e6, "gbit": 1e9, "tbit": 1e12}
RATES |= {f"{prefix}ibit": 1024.0**power for power, prefix in enumerate("kmgt", 1)}
RATES |= {unit.replace("bit", "bps"): 8 * size for unit, size in RATES.items() if unit}
TIMES = {"": 1e-6, "us": 1e-6, "usec": 1e-6, "usecs": 1e-6, "ms": 1e-3, "msec": 1e-3, "msecs": 1e-3}
TIMES |= {"s": 1.0, "sec": 1.0, "secs": 1.0, "ns": 1e-9}
LARGEST = 2.0**64


def parse_quantity(text: str, units: dict[str, float], what: str) -> float:
    """A number with one of these units. Raises `ValueError`."""
    found = re.fullmatch(r"([0-9]++\.?[0-9]*(?:e[+-][0-9]+)?|\.[0-9]+)([a-zA-Z]*)(?:/[0-9]+)?", text)
    if found is None or found[2].lower() not in units:
        raise ValueError(f"not a {what} in tc's units ({', '.join(unit for unit in units if unit)})")
    value = float(found[1]) * units[found[2].lower()]
    if value > LARGEST:
        raise ValueError(f"too large: tc stores a {what} in 64 bits")
    return value


def parse_whole(text: str) -> int:
    """A whole number as tc reads it, in C's notation: 16, 0x10 and 020 are the same. Raises `ValueError`."""
    found = re.fullmatch(r"(0x)?([0-9a-f]{1,16})", text.lower())
    if found is None:
        raise ValueError("expected a whole number")
    base = 16 if found[1] else 8 if found[2].startswith("0") else 10
    try:
        return int(found[2], base)
    except ValueError:
        raise ValueError("expected a whole number") from None


def parse_whole_of_word(word: str, text: str) -> int:
    """The whole number that stands after a word. Raises `DialectError`."""
    try:
        return parse_whole(text)
    except ValueError as error:
        raise DialectError(f"{word} {text}: {error}") from None


def _size(text: str) -> str:
    return f"{round(parse_quantity(text, SIZES, 'size'))}B"


def _time(text: str) -> str:
    return time_text({"ns": round(1e9 * parse_quantity(text, TIMES, "time"))})


def _rate(text: str) -> str:
    return format_rate(round(parse_quantity(text, RATES, "rate")))


def _plain_time(value: Any) -> str:
    """In whole microseconds if the value has a fraction: tc truncates the product of number and unit."""
    text = time_text(value)
    return text if "." not in text else f"{round(parse_time(value) / 1000)}us"


def _plain_rate(value: Any) -> str:
    """In bit/s if the value has a fraction."""
    text = format_rate(parse_rate(value)).lower().replace(" ", "").removesuffix("/s")
    return text if "." not in text else f"{parse_rate(value)}bit"


SIZE = ValueKind(_size, lambda value: str(round(parse_size(value) if isinstance(value, str) else value)))
TIME = ValueKind(_time, _plain_time)
RATE = ValueKind(_rate, _plain_rate)
