"""Labels of a claim that stand for several values: ranges, and readings of an ambiguous text."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Readings", "ValueRange", "above", "at_least", "at_most", "below", "label_text", "value_text", "within"]


@dataclass(frozen=True)
class ValueRange:
    """The values of an axis for which `contains` is true, in the axis' order; `text` names them, e.g. `>= 400`."""

    text: str
    contains: Callable[[Any], bool]

    def __call__(self, value: Any) -> bool:
        """Whether a value is in the range."""
        return self.contains(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ValueRange) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


def at_least(low: float) -> ValueRange:
    """A range of the values of an axis that are `low` or more."""
    return ValueRange(f">= {low:g}", lambda value: value >= low)


def at_most(high: float) -> ValueRange:
    """A range of the values of an axis that are `high` or less."""
    return ValueRange(f"<= {high:g}", lambda value: value <= high)


def above(low: float) -> ValueRange:
    """A range of the values of an axis that exceed `low`."""
    return ValueRange(f"> {low:g}", lambda value: value > low)


def below(high: float) -> ValueRange:
    """A range of the values of an axis that are less than `high`."""
    return ValueRange(f"< {high:g}", lambda value: value < high)


def within(low: float, high: float) -> ValueRange:
    """A range of the values of an axis from `low` to `high`, both included."""
    return ValueRange(f"from {low:g} to {high:g}", lambda value: low <= value <= high)


@dataclass(frozen=True, eq=False)
class Readings:
    """The readings of an ambiguous text as values of one label, each with a description; "" for the main reading.

    A claim with such a label is one claim for each value: `scheme=Readings({"DSDRR": "", "DSDRR-W": "W stays"})`.
    """

    words: Mapping[Any, str]


def value_text(axis: str, value: Any) -> str:
    """A value as text, with the name of its axis unless the value is a word: `Blue`, `buffer = 400`, `rtt = 40ms`."""
    return value if _is_word(value) else f"{axis} = {_plain(value)}"


def label_text(axis: str, label: Any) -> str:
    """A label as text: `RED, Blue`, `buffer = 100, 400`, `buffer >= 400`."""
    if isinstance(label, ValueRange):
        return f"{axis} {label.text}"
    if isinstance(label, Readings):
        return label_text(axis, next(iter(label.words)))
    if isinstance(label, (list, tuple)):
        values = [next(iter(value.words)) if isinstance(value, Readings) else value for value in label]
        words = ", ".join(map(_plain, values))
        return words if all(map(_is_word, values)) else f"{axis} = {words}"
    return value_text(axis, label)


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and not value[:1].isdigit()


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) and math.isfinite(value) else str(value)
