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
    "Kind",
    "flag",
    "integer",
    "integer_of",
    "number",
    "plain",
    "rate_text",
    "real",
    "real_of",
    "time_text",
]


@dataclass(frozen=True)
class Kind:
    """A kind of value: conversions from and to a dialect's text."""

    read: Callable[[str], Any]
    write: Callable[[Any], str]


def number(value: float) -> float:
    """A number rounded to twelve significant digits, to remove the rounding errors of a division."""
    return float(f"{value:.12g}")


def plain(value: float) -> str:
    """A number as a person writes it: no exponent above 1e-6, no trailing zeros.

    >>> plain(15000.0), plain(0.002), plain(1 / 3)
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
            return f"{plain(nanos / size)}{unit}"
    return f"{nanos}ns"


def rate_text(value: float) -> str:
    """A rate in bit/s as a text, of at least 1 bit/s."""
    return format_rate(max(1, round(value)))


def integer(text: str) -> int:
    """A whole number without a sign. Raises `ValueError`."""
    if not re.fullmatch(r"[0-9]{1,19}", text):
        raise ValueError("expected a whole number")
    return int(text)


def real(text: str) -> float:
    """A finite number. Raises `ValueError`."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError("expected a number")
    return value


def integer_of(word: str, text: str) -> int:
    """The whole number after a word. Raises `DialectError`."""
    try:
        return integer(text)
    except ValueError as error:
        raise DialectError(f"{word} {text}: {error}") from None


def real_of(word: str, text: str) -> float:
    """The number after a word. Raises `DialectError`."""
    try:
        return real(text)
    except ValueError as error:
        raise DialectError(f"{word} {text}: {error}") from None


def _inverse(value: Any) -> float:
    found = real(str(value))
    if found == 0:
        raise ValueError("must not be 0")
    return number(1 / found)


def _size(value: Any) -> str:
    return str(round(value if isinstance(value, (int, float)) else parse_size(value)))


NUMBER = Kind(real, lambda value: plain(float(value)))
INTEGER = Kind(integer, lambda value: str(round(value)))
PACKETS = Kind(lambda text: f"{integer(text)}p", lambda value: str(round(float(str(value).removesuffix("p")))))
SIZE = Kind(lambda text: f"{integer(text)}B", _size)
INVERSE = Kind(_inverse, lambda value: plain(_inverse(value)))


def flag(true: Collection[str], false: Collection[str]) -> Kind:
    """The kind of a truth value, with the words that a program takes for each, in small letters."""

    def read(text: str) -> bool:
        if text.lower() in (*true, *false):
            return text.lower() in true
        raise ValueError("expected true or false")

    return Kind(read, lambda value: "true" if value else "false")
