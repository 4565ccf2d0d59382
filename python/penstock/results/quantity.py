"""The values of an axis as numbers, for their order and for figures: `10ms`, `1.5Mbit`, `35p`, `2BDP`, `25`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from penstock.results.display import DisplayUnit, display_unit, is_number
from penstock.units import UnitError, parse_length, parse_rate, parse_size, parse_time

__all__ = ["Quantity", "as_numbers", "axis_sort_key", "needs_log_axis", "parse_quantity"]

LOG_SPAN = 100.0
"""Ratio of the largest to the smallest number above which an axis is logarithmic."""

GEOMETRIC_SPAN = 8.0
"""The same limit for numbers whose ratios are more even than their differences."""

EVEN = 0.45
"""Numbers are evenly spaced if their smallest gap is at least this fraction of the largest."""


@dataclass(frozen=True)
class Quantity:
    """An amount in the base unit of its kind: s, bit/s, bytes; packets, BDP, parts of the buffer; or without a unit."""

    kind: str
    amount: float


def parse_quantity(value: Any) -> Quantity | None:
    """A value of an axis as a quantity, if it is one.

    >>> parse_quantity("20ms"), parse_quantity("1Mbit"), parse_quantity(25), parse_quantity("red")
    (Quantity(kind='time', amount=0.02), Quantity(kind='rate', amount=1000000), Quantity(kind='', amount=25), None)
    """
    if is_number(value):
        return Quantity("", value)
    if not isinstance(value, str):
        return None
    for kind, parse, factor in (("time", parse_time, 1e9), ("rate", parse_rate, 1), ("bytes", parse_size, 1)):
        try:
            return Quantity(kind, parse(value) / factor if factor > 1 else parse(value))
        except UnitError:
            continue
    try:
        length = parse_length(value)
    except UnitError:
        return None
    return Quantity(length.unit, length.amount)


def as_numbers(values: Sequence[Any]) -> tuple[list[float], str] | None:
    """The values as numbers in one unit, and the unit; None if they are not all quantities of one kind.

    >>> as_numbers(["10ms", "1s"]), as_numbers([25, 50]), as_numbers(["10ms", "35p"])
    (([10.0, 1000.0], 'ms'), ([25.0, 50.0], ''), None)
    """
    quantities = [parse_quantity(value) for value in values]
    kinds = {item.kind if item is not None else None for item in quantities}
    if len(kinds) != 1 or None in kinds:
        return None
    amounts = [float(item.amount) for item in quantities if item is not None]
    scale = _scale(next(iter(kinds)) or "", amounts)
    return [amount * scale.factor for amount in amounts], scale.unit


def needs_log_axis(amounts: Sequence[float]) -> bool:
    """Whether numbers need a logarithmic axis: they span two decades, or three doublings in geometric steps.

    >>> needs_log_axis([1, 2, 4, 8]), needs_log_axis([10, 25, 50, 100])
    (True, True)
    >>> needs_log_axis([10, 20, 30]), needs_log_axis([0, 1, 1000])
    (False, False)
    """
    ordered = sorted(set(amounts))
    if len(ordered) < 2 or ordered[0] <= 0:
        return False
    span, geometric = ordered[-1] / ordered[0], _evenness(list(map(math.log, ordered)))
    return span > LOG_SPAN or (span >= GEOMETRIC_SPAN and geometric > max(_evenness(ordered), EVEN))


def _evenness(ordered: Sequence[float]) -> float:
    gaps = [after - before for before, after in pairwise(ordered)]
    return min(gaps) / max(gaps)


def axis_sort_key(value: Any) -> tuple[int, str, float, str]:
    """The key that sorts values of an axis: numbers by size, quantities by kind and size, then other texts."""
    parsed = parse_quantity(value)
    if value is None:
        return (3, "", 0.0, "")
    if parsed is None:
        return (2, "", 0.0, str(value))
    return (1 if parsed.kind else 0, parsed.kind, float(parsed.amount), "")


def _scale(kind: str, amounts: Sequence[float]) -> DisplayUnit:
    match kind:
        case "time":
            return display_unit("time", amounts)
        case "rate":
            return display_unit("rate", amounts)
        case "bytes":
            return display_unit("bytes", amounts)
        case "packets":
            return DisplayUnit(1.0, "packets")
        case "buffer":
            return DisplayUnit(100.0, "% of the buffer")
        case "bdp":
            return DisplayUnit(1.0, "BDP")
    return DisplayUnit(1.0, "")
