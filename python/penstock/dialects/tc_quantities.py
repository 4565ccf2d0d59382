"""Kinds of values in `tc`: how it reads them, and the nearest value that it can represent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from penstock.dialects.tc_units import RATE as RATE_UNITS
from penstock.dialects.tc_units import SIZE as SIZE_UNITS
from penstock.dialects.tc_units import TIME as TIME_UNITS
from penstock.dialects.tc_units import parse_whole
from penstock.dialects.value_kinds import ValueKind, format_number, parse_real, round_to_12_digits
from penstock.units import parse_signed_size, parse_time

__all__ = [
    "BANDWIDTH",
    "COUNT",
    "GAIN",
    "MILLISECONDS",
    "NUMBER",
    "OCTETS",
    "PACKETS",
    "PERCENT",
    "PER_SECOND",
    "PROBABILITY",
    "RATE",
    "SECONDS",
    "SIGNED_SIZE",
    "SIXTEENTHS",
    "SIZE",
    "TIME",
    "WHOLE_PERCENT",
    "Quantity",
]

MOST_PROBABILITY = 0.999999
"""tc stores a probability in 32 bits: 1 overflows to 0."""

GAIN_STEPS = 256
"""Unit of the gains of dualpi2: the kernel's interface has 1/256 Hz (linux/pkt_sched.h)."""


@dataclass(frozen=True)
class Quantity(ValueKind):
    """A kind of value of tc, such as a rate or a time: its unit, and the values that tc can represent.

    Attributes:
        unit: as the manual pages call it.
        representable_values: the values that tc can represent, after "tc has"; empty where it represents all.
        json: what follows the bare number of `tc -json` in tc's own words: rates are in bytes per second there.

    """

    unit: str
    representable_values: str = ""
    json: str = ""


def _count(text: str) -> int:
    return parse_whole(text.removesuffix("p"))


def _packets_text(value: Any) -> str:
    return str(round(float(str(value).removesuffix("p"))))


def _signed_size(text: str) -> str:
    sign, octets = ("-", text[1:]) if text.startswith("-") else ("", text)
    return f"{sign}{parse_whole(octets.removesuffix('b'))}B"


def _signed_text(value: Any) -> str:
    return str(round(parse_signed_size(value) if isinstance(value, str) else value))


def _milliseconds(text: str) -> Any:
    return TIME_UNITS.read(f"{text}ms" if text.isdigit() else text)


def _scaled(steps: int) -> tuple[Callable[[str], float], Callable[[Any], str]]:
    """Whole multiples of 1 / steps, written as that number of steps."""
    return lambda text: parse_whole(text) / steps, lambda value: str(round(steps * float(value)))


def _gain_text(value: Any) -> str:
    return format_number(round(GAIN_STEPS * float(value)) / GAIN_STEPS)


def _share(text: str) -> float:
    return round_to_12_digits(parse_real(text.removesuffix("%")) / 100)


COUNT = Quantity(_count, lambda value: str(round(value)), "number", "whole numbers")
PACKETS = Quantity(lambda text: f"{_count(text)}p", _packets_text, "packets", "whole packets")
SIZE = Quantity(SIZE_UNITS.read, SIZE_UNITS.write, "bytes", "whole bytes")
SIGNED_SIZE = Quantity(_signed_size, _signed_text, "bytes", "whole bytes")
OCTETS = Quantity(lambda text: f"{parse_whole(text.removesuffix('b'))}B", SIZE_UNITS.write, "bytes", "whole bytes")
"""A size that tc accepts without a unit."""
TIME = Quantity(TIME_UNITS.read, TIME_UNITS.write, "time", "whole microseconds")
RATE = Quantity(RATE_UNITS.read, RATE_UNITS.write, "rate", "whole bit/s", json="bps")
BANDWIDTH = Quantity(
    lambda text: None if text == "unlimited" else RATE.read(text),
    RATE.write,
    RATE.unit,
    RATE.representable_values,
    RATE.json,
)
NUMBER = Quantity(parse_real, lambda value: f"{float(value):.16f}".rstrip("0").rstrip(".") or "0", "number")
PROBABILITY = Quantity(
    parse_real, lambda value: format_number(min(float(value), MOST_PROBABILITY)), "probability", "numbers below 1"
)
SIXTEENTHS = Quantity(*_scaled(16), "sixteenths of 1/s", "whole numbers")
GAIN = Quantity(parse_real, _gain_text, "Hz", "multiples of 1/256 Hz")
PER_SECOND = Quantity(
    lambda text: parse_real(text.removesuffix("pps")),
    lambda value: str(round(value)),
    "packets per second",
    "whole numbers",
)
SECONDS = Quantity(
    lambda text: f"{parse_whole(text.removesuffix('sec'))}s",
    lambda value: str(round(parse_time(value) / 1e9)),
    "seconds",
    "whole seconds",
)
MILLISECONDS = Quantity(
    _milliseconds, lambda value: str(round(parse_time(value) / 1e6)), "milliseconds", "whole milliseconds"
)
"""Read as a bare number of milliseconds, tc-sfb(8), and printed with a unit."""
PERCENT = Quantity(_share, lambda value: f"{min(100, round(100 * float(value)))}%", "percent", "whole percents")
WHOLE_PERCENT = Quantity(
    _share, lambda value: str(min(99, round(100 * float(value)))), "percent", "whole percents below 100"
)
