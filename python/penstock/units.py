"""Parsing and formatting of quantities: `1.5Mbit`, `20ms`, `35p`, `64KiB`, `2BDP`, `1/50`.

Every parser returns a whole number in the canonical unit (bit/s, ns, bytes), exactly rounded from the decimal text, and
raises a `UnitError` that names the allowed forms. A number without a unit is refused where it would be ambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache, wraps
from typing import Final, Literal, TypeVar

__all__ = [
    "Length",
    "UnitError",
    "format_length",
    "format_number",
    "format_percent",
    "format_rate",
    "format_size",
    "format_time",
    "parse_length",
    "parse_probability",
    "parse_rate",
    "parse_signed_size",
    "parse_size",
    "parse_time",
]


class UnitError(ValueError):
    """A text that is not a valid quantity; the message names the allowed forms."""


NS_PER_S: Final = 1_000_000_000

_TIME: Final = {"ns": 1, "us": 1_000, "µs": 1_000, "μs": 1_000, "ms": 1_000_000, "s": NS_PER_S}
_SIZE: Final = {
    "B": 1,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
}
_PREFIX: Final = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_RATE: Final = (
    {f"{prefix}bit": factor for prefix, factor in _PREFIX.items()}
    | {f"{prefix.lower()}bit": factor for prefix, factor in _PREFIX.items()}  # spellings of tc
    | {f"{prefix}bit/s": factor for prefix, factor in _PREFIX.items()}
    | {f"{prefix}b/s": factor for prefix, factor in _PREFIX.items()}
    | {f"{prefix}bps": factor for prefix, factor in _PREFIX.items() if prefix not in ("", "k")}
    | {f"{unit}/s": 8 * factor for unit, factor in _SIZE.items()}
)
_PACKETS: Final = ("p", "pkt", "pkts", "packet", "packets")

_RATE_HELP: Final = 'write a rate with its unit, such as "1.5Mbit", "10Gbit/s" or "2MB/s" (bytes)'
_TIME_HELP: Final = 'write a time with its unit (ns, us, ms, s), such as "20ms"'
_SIZE_HELP: Final = 'write a size with its unit, such as "1500B", "64kB" (1000) or "64KiB" (1024)'
_LENGTH_HELP: Final = (
    'write packets ("35p" or 35), a size ("50kB"), a time at link rate ("100ms"), "50%" of the buffer or "2BDP"'
)
_PROBABILITY_HELP: Final = 'write a number from 0 to 1, "2%" or "1/50"'

# Larger values are certainly mistakes. The limits also keep every product of two quantities within 64 bits, or the 53
# bits of a float.
_MOST_RATE: Final = 10**15
_MOST_TIME: Final = 10**9 * NS_PER_S
_MOST_SIZE: Final = 10**15
_MOST_PACKETS: Final = 2**32 - 1

_NUMBER_UNIT: Final = re.compile(r"([+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*)", re.ASCII)


T = TypeVar("T")

KEPT: Final = 4096
"""Number of texts whose values are kept, for each parser and formatter."""


def _cached(parse: Callable[[object], T]) -> Callable[[object], T]:
    """A parser that parses each text once; cells of a study repeat the same texts. Errors are not kept."""
    parse_cached = lru_cache(KEPT)(parse)

    @wraps(parse)
    def parse_once(value: object) -> T:
        # Other values may be unhashable, and 1, 1.0 and true are equal as keys.
        return parse_cached(value) if type(value) is str else parse(value)

    return parse_once


@_cached
def parse_rate(value: object) -> int:
    """Bits per second of a rate such as `10Mbit`, `10mbit`, `10Mb/s`, `10Mbps` (powers of 1000) or `2MB/s` (bytes)."""
    number, unit = _split(value, _RATE_HELP)
    if unit not in _RATE:
        raise UnitError(_wrong_rate_unit(unit))
    return _scaled(number, _RATE[unit], "rate", _MOST_RATE, format_rate, positive=True)


@_cached
def parse_time(value: object) -> int:
    """Nanoseconds of a time such as `20ms`, `15us`, `1.5s`, `100ns`."""
    number, unit = _split(value, _TIME_HELP)
    if unit not in _TIME:
        raise UnitError(f'unknown unit "{unit}"; {_TIME_HELP}')
    return _scaled(number, _TIME[unit], "time", _MOST_TIME, format_time)


@_cached
def parse_size(value: object) -> int:
    """Bytes of a size such as `1500B`, `150kB` (1000), `64KiB` (1024)."""
    number, unit = _split(value, _SIZE_HELP)
    if unit not in _SIZE:
        raise UnitError(_wrong_size_unit(unit))
    return _scaled(number, _SIZE[unit], "size", _MOST_SIZE, format_size)


def parse_signed_size(value: object) -> int:
    """Bytes of a size that may be below 0, such as `-14B`."""
    if isinstance(value, str) and value.startswith("-"):
        return -parse_size(value[1:])
    return parse_size(value)


@dataclass(frozen=True)
class Length:
    """A queue length as written: packets, bytes, ns at link rate, a fraction of the buffer, or round trips (bdp)."""

    unit: Literal["packets", "bytes", "ns", "buffer", "bdp"]
    amount: float


@_cached
def parse_length(value: object) -> Length:
    """A queue or threshold: `25p` or 25 (packets), `50kB`, `100ms` (at link rate), `50%` (of the buffer), `2BDP`."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        number, unit = _decimal(value, _LENGTH_HELP), "p"
    else:
        number, unit = _split(value, _LENGTH_HELP)
    if unit in _PACKETS:
        if number > _MOST_PACKETS:
            raise UnitError(f"too large; the maximum is {_MOST_PACKETS} packets")
        return Length("packets", _plain(_not_negative(number, "length")))
    if unit in _SIZE:
        return Length("bytes", _scaled(number, _SIZE[unit], "size", _MOST_SIZE, format_size))
    if unit in _TIME:
        return Length("ns", _scaled(number, _TIME[unit], "time", _MOST_TIME, format_time))
    if unit == "%":
        if not 0 <= number <= 100:
            raise UnitError("a share of the buffer lies between 0% and 100%")
        return Length("buffer", float(number / 100))
    if unit == "BDP":
        if number > 10**6:
            raise UnitError("too large; the maximum is 1000000BDP")
        return Length("bdp", float(_not_negative(number, "length")))
    raise UnitError(f'unknown unit "{unit}"; {_LENGTH_HELP}')


@_cached
def parse_probability(value: object) -> float:
    """A probability: `0.02`, `2%` or `1/50`."""
    if isinstance(value, str) and "/" in value:
        try:
            share = Fraction(value.replace(" ", ""))
        except (ValueError, ZeroDivisionError):
            raise UnitError(_PROBABILITY_HELP) from None
        number, unit = Decimal(share.numerator) / Decimal(share.denominator), ""
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        number, unit = _decimal(value, _PROBABILITY_HELP), ""
    else:
        number, unit = _split(value, _PROBABILITY_HELP)
    if unit == "%":
        number /= 100
    elif unit:
        raise UnitError(f'unknown unit "{unit}"; {_PROBABILITY_HELP}')
    if not 0 <= number <= 1:
        raise UnitError(f"a probability lies between 0 and 1; {_PROBABILITY_HELP}")
    return float(number)


@lru_cache(KEPT, typed=True)
def format_rate(bits: float) -> str:
    """The canonical text of a rate in bit/s: `1.5Mbit`."""
    return _largest(bits, (("Tbit", 10**12), ("Gbit", 10**9), ("Mbit", 10**6), ("kbit", 10**3), ("bit", 1)))


@lru_cache(KEPT, typed=True)
def format_time(nanos: float) -> str:
    """The canonical text of a time in ns: `20ms`."""
    return _largest(nanos, (("s", NS_PER_S), ("ms", 10**6), ("us", 10**3), ("ns", 1)), zero="0s")


@lru_cache(KEPT, typed=True)
def format_size(size: float) -> str:
    """The canonical text of a size in bytes: `1500B`, `150kB`; prefixes only from 10 kB on."""
    if size < 10_000:
        return f"{format_number(size)}B"
    return _largest(size, (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3), ("B", 1)))


@lru_cache(KEPT, typed=True)
def format_length(length: Length) -> str:
    """The canonical text of a queue length: `35p`, `50kB`, `100ms`, `50%`, `2BDP`."""
    match length.unit:
        case "packets":
            return f"{format_number(length.amount)}p"
        case "bytes":
            return format_size(length.amount)
        case "ns":
            return format_time(length.amount)
        case "buffer":
            return format_percent(length.amount)
        case "bdp":
            return f"{format_number(length.amount)}BDP"


def format_percent(share: float) -> str:
    """The exact text of a share: 0.999 is `99.9%`."""
    return f"{format_number(float(Decimal(repr(share)) * 100))}%"


@lru_cache(KEPT, typed=True)
def format_number(number: float) -> str:
    """The exact text of a number, without a needless `.0` or exponent: 5.0 is `5`, 1e-4 is `0.0001`."""
    return format(Decimal(repr(_plain(Decimal(repr(number))))), "f")


def _split(value: object, advice: str) -> tuple[Decimal, str]:
    """The number and the unit in a text; a number without a unit is refused."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise UnitError(advice)
    if not isinstance(value, str):
        raise UnitError(f"a bare number has no unit; {advice}")
    match = _NUMBER_UNIT.fullmatch(value.strip())
    if match is None:
        raise UnitError(advice)
    if not match[2]:
        raise UnitError(f"a bare number has no unit; {advice}")
    return _decimal(match[1], advice), match[2]


def _decimal(number: object, advice: str) -> Decimal:
    try:
        exact = Decimal(str(number))
    except InvalidOperation:
        raise UnitError(advice) from None
    if not exact.is_finite():
        raise UnitError(f"must be a finite number; {advice}")
    if exact.adjusted() > 40:
        raise UnitError("too large")
    return exact if exact.adjusted() > -40 else Decimal(0)


def _scaled(
    number: Decimal, factor: int, what: str, most: int, show: Callable[[float], str], *, positive: bool = False
) -> int:
    """The whole number of canonical units nearest to `number * factor`."""
    _not_negative(number, what)
    if number * factor > most:
        raise UnitError(f"too large; the maximum is {show(most)}")
    whole = round(Fraction(number) * factor)
    if positive and whole == 0:
        raise UnitError(f"a {what} must be above 0")
    return whole


def _not_negative(number: Decimal, what: str) -> Decimal:
    if number < 0:
        raise UnitError(f"a {what} cannot be negative")
    return number


def _plain(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else float(number)


def _largest(amount: float, units: tuple[tuple[str, int], ...], zero: str | None = None) -> str:
    """`amount` in the largest unit that is not above it; exact, because decimal units only shift the point."""
    if amount == 0:
        return zero or f"0{units[-1][0]}"
    exact = Decimal(repr(amount))
    for name, factor in units:
        if exact >= factor:
            return f"{_plain_text(exact / factor)}{name}"
    name, factor = units[-1]
    return f"{_plain_text(exact / factor)}{name}"


def _plain_text(number: Decimal) -> str:
    return format(number.normalize(), "f")


def _wrong_rate_unit(unit: str) -> str:
    if unit.lower() in ("bps", "kbps", "mbps", "gbps", "tbps"):
        prefix = unit[:-3]
        bits, size = (
            (f"{prefix.upper()}bit", f"{prefix.upper()}B/s")
            if prefix not in ("", "k")
            else (f"{prefix}bit", f"{prefix}B/s")
        )
        return (
            f'"{unit}" is ambiguous, because tc reads it as bytes per second: '
            f'write "{bits}" for bits or "{size}" for bytes'
        )
    for valid_unit in _RATE:
        if valid_unit.lower() == unit.lower():
            return f'unknown unit "{unit}"; did you mean "{valid_unit}"? Capitals matter'
    if unit in _SIZE:
        return f'"{unit}" is a size; did you mean "{unit}/s"?'
    return f'unknown unit "{unit}"; {_RATE_HELP}'


def _wrong_size_unit(unit: str) -> str:
    if unit in ("KB", "K"):
        return f'unknown unit "{unit}"; write "kB" (1000 bytes) or "KiB" (1024 bytes)'
    if unit in _PACKETS:
        return f"a size is needed here, not packets; {_SIZE_HELP}"
    for valid_unit in _SIZE:
        if valid_unit.lower() == unit.lower():
            return f'unknown unit "{unit}"; did you mean "{valid_unit}"? Capitals matter'
    return f'unknown unit "{unit}"; {_SIZE_HELP}'
