"""Trees of numbers and statements with labels, and their resolution in a table."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

from penstock.reproduce.choice import Range, Readings, label_text
from penstock.results.sample import Sample
from penstock.results.table import Table

__all__ = [
    "Bound",
    "Curve",
    "Labels",
    "Node",
    "Point",
    "Quantity",
    "Scope",
    "Value",
    "Variable",
    "applied",
    "as_sample",
    "is_open",
    "key_of",
    "lists_of",
    "merged",
]

Labels = Mapping[str, Any]
Variable = tuple[str, Any]
"""A variable of a statement: an axis, and the list or range of its values; `None` for all values."""
Point = Mapping[Variable, Any]
Value = Sample | float
Curve = Mapping[Any, Sample]
"""The samples along an axis, by the values of the axis."""


class Node:
    """A number or a statement: a tree whose leaves are metrics at labels."""

    labels: Labels
    children: Sequence[Node]

    def __call__(self, **labels: Any) -> Self:
        """The same with these labels wherever they are left open."""
        return replace(self, labels={**labels, **self.labels})  # type: ignore[type-var]

    def leaves(self, given: Labels) -> Iterator[tuple[Node, Labels]]:
        """The leaves with all their labels; `given` are those of the nodes above."""
        own = {**given, **self.labels}
        if not self.children:
            yield self, own
        for child in self.children:
            yield from child.leaves(own)

    def replaced(self, old: Readings, new: Any) -> Self:
        """The same with the value of one reading in place of the readings."""
        labels = {axis: _replaced(label, old, new) for axis, label in self.labels.items()}
        children = tuple(child.replaced(old, new) for child in self.children)
        return replace(self, labels=labels, **({"children": children} if children else {}))  # type: ignore[type-var]

    def readings(self) -> list[Readings]:
        """All readings among its labels."""
        own = [one for label in self.labels.values() for one in (label if isinstance(label, list) else [label])]
        found = [one for one in own if isinstance(one, Readings)]
        return list(dict.fromkeys([*(one for child in self.children for one in child.readings()), *found]))

    def _of(self, text: str) -> str:
        """The text with the labels of this node in front."""
        own = ", ".join(label_text(axis, label) for axis, label in self.labels.items())
        return f"{own}: {text}" if own else text


@dataclass(frozen=True)
class Scope:
    """A table, the labels of the nodes above, and the lists that open labels follow."""

    table: Table
    given: Labels
    follows: Mapping[str, list[Any]]

    def of(self, node: Node) -> Scope:
        """The scope of the children of a node."""
        return replace(self, given={**self.given, **node.labels})

    def variable(self, axis: str) -> Variable:
        """The variable of a number without the label."""
        keys = self.follows.get(axis, [])
        if len(keys) > 1:
            raise ValueError(f"{axis} is {' and '.join(map(repr, keys))} in one statement: give it to each number")
        return axis, keys[0] if keys else None


def lists_of(node: Node, given: Labels) -> dict[str, list[Any]]:
    """The lists and ranges in a tree, by label."""
    found: dict[str, list[Any]] = {}
    for _, labels in node.leaves(given):
        for axis, label in labels.items():
            if is_open(label) and key_of(label) not in found.setdefault(axis, []):
                found[axis].append(key_of(label))
    return found


def is_open(label: Any) -> bool:
    """Whether a label stands for several values."""
    return isinstance(label, (list, tuple, Range))


def key_of(label: Any) -> Any:
    """A label as part of a variable."""
    return tuple(label) if isinstance(label, list) else label


def _replaced(label: Any, old: Readings, new: Any) -> Any:
    if isinstance(label, list):
        return [_replaced(value, old, new) for value in label]
    return new if label is old else label


@dataclass(frozen=True)
class Bound:
    """A number in a table: its variables, and its value at a point; `None` if there is no such cell."""

    variables: Mapping[Variable, Sequence[Any]]
    at: Callable[[Point], Value | None]


class Quantity(Node):
    """A number of each run in every cell that its labels leave open."""

    fixed = False
    """Whether it is a plain number."""

    def bind(self, scope: Scope) -> Bound:
        """The number in a table."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """The number in words."""
        raise NotImplementedError

    def of_equals(self, value: Callable[[str], float]) -> float | None:
        """The number if all measured numbers of one kind were equal; None if that cannot be told.

        `value` gives that of a kind: the unit, or the name of a metric without a unit.
        """
        return None

    @property
    def neutral(self) -> float | None:
        """The value that stands for no difference, such as 0 of a difference and 1 of a ratio; None without one.

        It is what the number comes to, whatever the measured numbers are, as long as those of one kind are equal.
        """
        first, second = (self.of_equals(partial(_probe, number)) for number in ("one", "other"))
        if first is None or second is None or not math.isfinite(first):
            return None
        return first if math.isclose(first, second, abs_tol=1e-9) else None


def _probe(number: str, kind: str) -> float:
    """A value for all measured numbers of a kind, from 1 to 2."""
    return 1 + zlib.crc32(f"{number} {kind}".encode()) / 2**32


def applied(act: Callable[..., Any], bound: Sequence[Bound], point: Point) -> Any:
    """A function of numbers at a point; `None` if one of them is `None`."""
    values = []
    for one in bound:
        value = one.at(point)
        if value is None:
            return None
        values.append(value)
    return act(*values)


def merged(bound: Sequence[Bound]) -> dict[Variable, Sequence[Any]]:
    """The variables of several numbers."""
    found: dict[Variable, Sequence[Any]] = {}
    for one in bound:
        for variable, values in one.variables.items():
            found.setdefault(variable, values)
    return found


def as_sample(value: Value) -> Sample:
    """A value as a sample."""
    return value if isinstance(value, Sample) else Sample(float(value))
