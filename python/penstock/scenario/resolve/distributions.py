"""Measured distributions: points of a distribution function, given in a scenario or a file, or by a known name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from penstock.errors import did_you_mean, toml_type_name
from penstock.scenario.resolve.columns import parse_decimal, read_rows
from penstock.units import UnitError, parse_probability

# Flow sizes in data centres, in a form widely used in simulations; not verified against the figures. The web
# search of M. Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010; the data mining of A. Greenberg et al., "VL2: A
# Scalable and Flexible Data Center Network", SIGCOMM 2009, in packets of 1460 bytes.
NAMED: Final[Mapping[str, tuple[tuple[str, float], ...]]] = {
    "web-search": (
        ("1B", 0), ("10kB", 0.15), ("20kB", 0.2), ("30kB", 0.3), ("50kB", 0.4), ("80kB", 0.53), ("200kB", 0.6),
        ("1MB", 0.7), ("2MB", 0.8), ("5MB", 0.9), ("10MB", 0.97), ("30MB", 1),
    ),
    "data-mining": (
        ("1460B", 0.5), ("2920B", 0.6), ("4380B", 0.7), ("10220B", 0.8), ("389820B", 0.9), ("3076220B", 0.95),
        ("97333820B", 0.99), ("973333820B", 1),
    ),
}  # fmt: skip

_SHAPE = 'points such as [["10kB", 0.15], ["20kB", 1]], each a value and the share of what is at most that'


def distribution_points(
    kind: str, value: Any, parse: Callable[[Any], int], unit: Any = None
) -> list[tuple[int, float]]:
    """Values and their cumulative probabilities, both in rising order; the last probability is 1.

    `kind`: whether `value` is a `file` or a `cdf`, which is a name or list of points. `unit` is the amount
    that the number 1 stands for in a file whose values have no unit.
    """
    points_ = _of_file(value, parse, unit) if kind == "file" else [_point(pair, parse) for pair in _pairs(value)]
    if not points_:
        raise UnitError(f"needs {_SHAPE}")
    if any(low[0] > high[0] or low[1] > high[1] for low, high in pairwise(points_)):
        raise UnitError("the values and the probabilities of a cdf must not fall from point to point")
    if points_[-1][1] != 1:
        raise UnitError(f"the last probability of a cdf is 1, not {points_[-1][1]!r}")
    return points_


def _pairs(value: Any) -> list[Any]:
    if isinstance(value, str):
        if value not in NAMED:
            raise UnitError(f"cdf must be one of {', '.join(NAMED)}{did_you_mean(value, NAMED)} or {_SHAPE}")
        return list(NAMED[value])
    if not isinstance(value, list):
        raise UnitError(f"cdf needs {_SHAPE}, not {toml_type_name(value)}")
    return value


def _point(pair: Any, parse: Callable[[Any], int]) -> tuple[int, float]:
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        raise UnitError(f"cdf needs {_SHAPE}")
    return parse(pair[0]), parse_probability(pair[1])


def _of_file(file: Any, parse: Callable[[Any], int], unit: Any) -> list[tuple[int, float]]:
    """The points in a file: a value and a cumulative probability per line, in ns-2's format a constant in between."""
    lines = [_line(number, columns) for number, columns in read_rows(file)]
    widths = {len(line.columns) for line in lines}
    if len(widths) > 1:
        raise UnitError("must be a file with the same number of columns in each line")
    if widths == {3} and len({parse_decimal(line.columns[1]) for line in lines}) > 1:
        raise UnitError("has three columns: expected a value, a constant such as 1, and the cumulative probability")
    # Files of data-centre papers may have percentages. This is unambiguous, as 100 is not a probability.
    shares = [line.share for line in lines]
    full = 100.0 if shares and shares[-1] == 100 else 1.0
    one = None if unit is None else parse(unit)
    return [(_amount(line, parse, one), parse_probability(line.share / full)) for line in lines]


@dataclass(frozen=True)
class _Line:
    """A line of a file, with its number."""

    number: int
    columns: list[str]
    share: float


def _line(number: int, columns: list[str]) -> _Line:
    try:
        if not 2 <= len(columns) <= 3:
            raise ValueError(columns)
        return _Line(number, columns, float(columns[-1]))
    except ValueError:
        raise UnitError(f"line {number} is not a value and a probability, such as 10kB,0.15") from None


def _amount(line: _Line, parse: Callable[[Any], int], one: int | None) -> int:
    """The value of a line: a multiple of `one` if that is not None."""
    text = line.columns[0]
    if one is not None:
        try:
            return round(parse_decimal(text) * one)
        except UnitError:
            raise UnitError(
                f'line {line.number}: unit is for values without a unit, and "{text}" is not a number'
            ) from None
    try:
        # Counts have no unit.
        return parse(int(text) if text.isascii() and text.isdigit() else text)
    except UnitError as error:
        if not _is_number(text):
            raise
        raise UnitError(
            f'line {line.number}: {error}; set the size of 1: unit = "1B" for bytes, unit = "1460B" for packets'
        ) from None


def _is_number(text: str) -> bool:
    try:
        parse_decimal(text)
    except UnitError:
        return False
    return True
