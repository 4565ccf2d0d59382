"""Kinds of values: how a dialect writes them, and what they are in a scenario."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.dialects.conversion import Conversion, DialectError
from penstock.units import UnitError, parse_size, parse_time

__all__ = [
    "FLAG",
    "INTEGER",
    "INVERSE",
    "LENGTH",
    "NUMBER",
    "PACKETS",
    "SIZE",
    "TIME",
    "Kind",
    "Option",
    "number",
    "option_texts",
    "plain",
    "time_text",
]


@dataclass(frozen=True)
class Kind:
    """A kind of value: from a dialect's text, and to it."""

    read: Callable[[str], Any]
    write: Callable[[Any], str]


@dataclass(frozen=True)
class Option:
    """A word of a dialect, the parameter that it sets, the kind of its value, and the dialect's unit in ours."""

    word: str
    parameter: str
    kind: Kind
    scale: float = 1.0

    def value(self, text: str) -> Any:
        """The parameter's value for a text. Raises `DialectError`."""
        try:
            found = self.kind.read(text)
        except (ValueError, UnitError) as error:
            raise DialectError(f"{self.word} {text}: {error}") from None
        return found if self.scale == 1.0 else number(found * self.scale)

    def text(self, value: Any) -> str:
        """The text for a parameter's value."""
        return self.kind.write(value if self.scale == 1.0 else number(value / self.scale))


def number(value: float) -> float:
    """A number without the noise of a division: twelve significant digits."""
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


def _integer(text: str) -> int:
    if not re.fullmatch(r"\d+", text):
        raise ValueError("expected a whole number")
    return int(text)


def _inverse(value: Any) -> float:
    return number(1 / float(value))


def _packets(value: Any) -> str:
    text = str(value).removesuffix("p")
    return str(round(float(text)))


def _size(value: Any) -> str:
    return str(round(value if isinstance(value, (int, float)) else parse_size(value)))


TIME = Kind(time_text, time_text)
NUMBER = Kind(float, lambda value: plain(float(value)))
INTEGER = Kind(_integer, lambda value: str(round(value)))
PACKETS = Kind(lambda text: f"{_integer(text.removesuffix('p'))}p", _packets)
SIZE = Kind(lambda text: f"{_integer(text)}B", _size)
LENGTH = Kind(lambda text: number(float(text)), lambda value: plain(float(str(value).removesuffix("p"))))
INVERSE = Kind(_inverse, lambda value: plain(_inverse(value)))
FLAG = Kind(lambda text: text.lower() in ("true", "1", "on"), lambda value: "true" if value else "false")


def option_texts(
    options: Sequence[Option], conversion: Conversion, said: set[str] | None = None
) -> list[tuple[Option, str]]:
    """Options with their texts for the parameters that are given; those without a word are listed as missing."""
    known = {option.parameter for option in options} | (said or set())
    conversion.missing += [f"{name} = {value}" for name, value in conversion.parameters.items() if name not in known]
    given = conversion.parameters
    return [(option, option.text(given[option.parameter])) for option in options if option.parameter in given]
