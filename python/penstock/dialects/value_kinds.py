"""Kinds of values: how a dialect writes them, and their form in a scenario."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from penstock.dialects.conversion import DialectError
from penstock.units import format_rate, parse_size, parse_time

__all__ = [
    "INTEGER",
    "INVERSE",
    "NUMBER",
    "PACKETS",
    "SIZE",
    "ValueKind",
    "boolean_kind",
    "format_number",
    "parse_integer",
    "parse_integer_argument",
    "parse_real",
    "parse_real_argument",
    "rate_text",
    "round_to_12_digits",
    "time_text",
]


@dataclass(frozen=True)
class ValueKind:
    """A kind of value: conversions from and to a dialect's text."""

    read: Callable[[str], Any]
    write: Callable[[Any], str]


def round_to_12_digits(value: float) -> float:
    """A number rounded to twelve significant digits, to remove the rounding errors of a division."""
    return float(f"{value:.12g}")


def format_number(value: float) -> str:
    """A number as a person writes it: no exponent above 1e-6, no trailing zeros.

    >>> format_number(15000.0), format_number(0.002), format_number(1 / 3)
    ('15000', '0.002', '0.333333333333')
    """
    text = f"{value:.12f}".rstrip("0").rstrip(".")
    return text or "0"


def time_text(value: Any) -> str:
    """A time in the largest unit in which it is short.

    >>> time_text("15ms"), time_text("1500us"), time_text("100us"), time_text("2s")
    ('15ms', '1.5ms', '100us', '2s')
    """
    nanos = value["ns"] if isinstance(value, dict) else parse_time(value)
    for unit, size in (("s", 10**9), ("ms", 10**6), ("us", 10**3)):
        if nanos >= size or unit == "us":
            return f"{format_number(nanos / size)}{unit}"
    return f"{nanos}ns"


def rate_text(value: float) -> str:
    """A rate in bit/s as a text, of at least 1 bit/s."""
    return format_rate(max(1, round(value)))


def parse_integer(text: str) -> int:
    """A whole number without a sign, from a text. Raises `ValueError`."""
    if not re.fullmatch(r"[0-9]{1,19}", text):
        raise ValueError("expected a whole number")
    return int(text)


def parse_real(text: str) -> float:
    """A finite number from a text. Raises `ValueError`."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError("expected a number")
    return value


def parse_integer_argument(keyword: str, text: str) -> int:
    """Parse `text`, the argument of `keyword`, as an integer. Raises a `DialectError` that names the keyword."""
    try:
        return parse_integer(text)
    except ValueError as error:
        raise DialectError(f"{keyword} {text}: {error}") from None


def parse_real_argument(keyword: str, text: str) -> float:
    """Parse `text`, the argument of `keyword`, as a number. Raises a `DialectError` that names the keyword."""
    try:
        return parse_real(text)
    except ValueError as error:
        raise DialectError(f"{keyword} {text}: {error}") from None


def _inverse(value: Any) -> float:
    found = parse_real(str(value))
    if found == 0:
        raise ValueError("must not be 0")
    return round_to_12_digits(1 / found)


def _size(value: Any) -> str:
    return str(round(value if isinstance(value, (int, float)) else parse_size(value)))


NUMBER = ValueKind(parse_real, lambda value: format_number(float(value)))
INTEGER = ValueKind(parse_integer, lambda value: str(round(value)))
PACKETS = ValueKind(
    lambda text: f"{parse_integer(text)}p", lambda value: str(round(float(str(value).removesuffix("p"))))
)
SIZE = ValueKind(lambda text: f"{parse_integer(text)}B", _size)
INVERSE = ValueKind(_inverse, lambda value: format_number(_inverse(value)))


def boolean_kind(true: Collection[str], false: Collection[str]) -> ValueKind:
    """The kind of a truth value, with the words that a program takes for each, in small letters."""

    def read(text: str) -> bool:
        if text.lower() in (*true, *false):
            return text.lower() in true
        raise ValueError("expected true or false")

    return ValueKind(read, lambda value: "true" if value else "false")
