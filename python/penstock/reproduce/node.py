"""Trees of numbers and statements with labels, and their resolution in a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from penstock.reproduce.choice import Range, Readings, label_text
from penstock.results.sample import Sample
from penstock.results.table import Table

__all__ = [
    "Bound", "Curve", "Labels", "Node", "Point", "Scope", "Value", "Variable", "as_sample", "is_open", "lists_of",
]  # fmt: skip

Labels = Mapping[str, Any]
Variable = tuple[str, Any]
"""A variable of a statement: an axis, and the list or range of its values; `None` for all values."""
Point = Mapping[Variable, Any]
Value = Sample | float
Curve = Mapping[Any, Sample]
"""The samples along an axis, by the values of the axis."""


@dataclass(frozen=True)
class Scope:
    """A table, the labels of the nodes above, and the lists that open labels follow."""

    table: Table
    inherited: Labels = field(default_factory=dict)
    follows: Mapping[str, list[Any]] = field(default_factory=dict)

    def below(self, node: Node) -> Scope:
        """The scope of the children of a node."""
        return replace(self, inherited={**self.inherited, **node.labels})

    def variable(self, axis: str) -> Variable:
        """The variable of an axis that is left open, without a label or with a list or range of values."""
        if axis in self.inherited:
            return axis, _key(self.inherited[axis])
        keys = self.follows.get(axis, [])
        if len(keys) > 1:
            raise ValueError(f"{axis} is {' and '.join(map(repr, keys))} in one statement: give it to each number")
        return axis, keys[0] if keys else None


@dataclass(frozen=True, eq=False)
class Node:
    """A number or a statement: a tree whose leaves are metrics at labels.

    Attributes:
        template: its text, in which {} stands for each child.
        act: its evaluation, from the scope of the children and the children.
        labels: its own labels, for all leaves that leave them open.
        over: the axis along which it takes the curve of its child; empty for all other nodes.
        labelled: the template of its text ({0}) with its labels ({1}), where it has any.

    """

    template: str
    act: Callable[..., Any]
    children: tuple[Any, ...] = ()
    labels: Labels = field(default_factory=dict)
    over: str = ""
    labelled: str = "{1}: {0}"

    def __call__(self, **labels: Any) -> Self:
        """The same with these labels wherever they are left open."""
        return replace(self, labels={**labels, **self.labels})

    @property
    def text(self) -> str:
        """The number or statement in words."""
        text = self.template.format(*(child.text for child in self.children)) if self.children else self.template
        own = ", ".join(label_text(axis, label) for axis, label in self.labels.items())
        return self.labelled.format(text, own) if own else text

    def within(self, scope: Scope) -> Any:
        """Its evaluation in a table."""
        return self.act(scope.below(self), *self.children)

    def leaves(self, inherited: Labels) -> Iterator[Labels]:
        """All labels of each leaf, without axes along which a curve is taken; `inherited`: of the nodes above."""
        own = {**inherited, **self.labels}
        below = (labels for child in self.children for labels in child.leaves(own))
        for labels in below if self.children else [own]:
            yield {axis: label for axis, label in labels.items() if axis != self.over}

    def replaced(self, old: Readings, new: Any) -> Self:
        """The same with the value of one reading instead of the readings."""
        labels = {axis: _replaced(label, old, new) for axis, label in self.labels.items()}
        return replace(self, labels=labels, children=tuple(child.replaced(old, new) for child in self.children))

    def readings(self) -> list[Readings]:
        """All readings among its labels."""
        values = [value for label in self.labels.values() for value in (label if isinstance(label, list) else [label])]
        own = [value for value in values if isinstance(value, Readings)]
        return list(dict.fromkeys([*(reading for child in self.children for reading in child.readings()), *own]))


@dataclass(frozen=True)
class Bound:
    """A number in a table: its variables, and its value at a point; `None` if there is no such cell."""

    variables: Mapping[Variable, Sequence[Any]]
    at: Callable[[Point], Any]

    @classmethod
    def of(cls, act: Callable[..., Any], *parts: Bound) -> Bound:
        """A function of numbers."""
        variables: dict[Variable, Sequence[Any]] = {}
        for part in parts:
            variables |= {**part.variables, **variables}

        def at(point: Point) -> Any:
            values = []
            for part in parts:
                if (value := part.at(point)) is None:
                    return None
                values.append(value)
            return act(*values)

        return cls(variables, at)


def lists_of(nodes: Iterable[Node], inherited: Labels) -> dict[str, list[Any]]:
    """The lists and ranges in trees, by label."""
    lists: dict[str, list[Any]] = {}
    for node in nodes:
        for labels in node.leaves(inherited):
            for axis, label in labels.items():
                if is_open(label) and _key(label) not in lists.setdefault(axis, []):
                    lists[axis].append(_key(label))
    return lists


def is_open(label: Any) -> bool:
    """Whether a label stands for several values."""
    return isinstance(label, (list, tuple, Range))


def _key(label: Any) -> Any:
    """A label as part of a variable."""
    return tuple(label) if isinstance(label, list) else label


def _replaced(label: Any, old: Readings, new: Any) -> Any:
    if isinstance(label, list):
        return [_replaced(value, old, new) for value in label]
    return new if label is old else label


def as_sample(value: Value) -> Sample:
    """A value as a sample."""
    return value if isinstance(value, Sample) else Sample(float(value))
