"""Trees of numbers and statements with labels, and their resolution in a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from penstock.reproduce.label_values import Readings, ValueRange, label_text
from penstock.results.sample import RunSample
from penstock.results.table import Table

__all__ = [
    "BoundNumber",
    "Curve",
    "EvaluationScope",
    "ExpressionNode",
    "Labels",
    "Point",
    "Value",
    "Variable",
    "has_several_values",
    "label_lists",
    "to_sample",
]  # fmt: skip

Labels = Mapping[str, Any]
Variable = tuple[str, Any]
"""A variable of a statement: an axis, and the list or range of its values; `None` for all values."""
Point = Mapping[Variable, Any]
Value = RunSample | float
Curve = Mapping[Any, RunSample]
"""The samples along an axis, by the values of the axis."""


@dataclass(frozen=True)
class EvaluationScope:
    """Where a number or statement is evaluated: a table, labels of the nodes above, and values of open labels."""

    table: Table
    inherited: Labels = field(default_factory=dict)
    """Labels of the nodes above, by axis."""
    label_lists: Mapping[str, list[Any]] = field(default_factory=dict)
    """By axis, the lists and ranges that occur; a label that is left open takes their values."""

    def for_children_of(self, node: ExpressionNode) -> EvaluationScope:
        """The scope of the children of a node."""
        return replace(self, inherited={**self.inherited, **node.labels})

    def variable_of_axis(self, axis: str) -> Variable:
        """The variable of an axis that is left open, without a label or with a list or range of values."""
        if axis in self.inherited:
            return axis, _key(self.inherited[axis])
        keys = self.label_lists.get(axis, [])
        if len(keys) > 1:
            raise ValueError(f"{axis} is {' and '.join(map(repr, keys))} in one statement: give it to each number")
        return axis, keys[0] if keys else None


@dataclass(frozen=True, eq=False)
class ExpressionNode:
    """A number or a statement: a tree whose leaves are metrics at labels.

    Attributes:
        template: its text, in which {} stands for each child.
        evaluate: its evaluation, from the scope of the children and the children.
        labels: its own labels, for all leaves that leave them open.
        over: the axis along which it takes the curve of its child; empty for all other nodes.
        label_template: the template of its text ({0}) with its labels ({1}), where it has any.

    """

    template: str
    evaluate: Callable[..., Any]
    children: tuple[Any, ...] = ()
    labels: Labels = field(default_factory=dict)
    over: str = ""
    label_template: str = "{1}: {0}"

    def __call__(self, **labels: Any) -> Self:
        """The same with these labels wherever they are left open."""
        return replace(self, labels={**labels, **self.labels})

    @property
    def text(self) -> str:
        """The number or statement in words, with its labels."""
        text = self.template.format(*(child.text for child in self.children)) if self.children else self.template
        own = ", ".join(label_text(axis, label) for axis, label in self.labels.items())
        return self.label_template.format(text, own) if own else text

    def within(self, scope: EvaluationScope) -> Any:
        """The node evaluated in a table: a `BoundNumber`, or the parts of a statement."""
        return self.evaluate(scope.for_children_of(self), *self.children)

    def leaf_labels(self, inherited: Labels) -> Iterator[Labels]:
        """All labels of each leaf, without axes along which a curve is taken; `inherited`: of the nodes above."""
        own = {**inherited, **self.labels}
        below = (labels for child in self.children for labels in child.leaf_labels(own))
        for labels in below if self.children else [own]:
            yield {axis: label for axis, label in labels.items() if axis != self.over}

    def with_reading_replaced(self, old: Readings, new: Any) -> Self:
        """The tree with `new` in place of the label value `old`, which stands for several readings."""
        labels = {axis: _replaced(label, old, new) for axis, label in self.labels.items()}
        return replace(
            self, labels=labels, children=tuple(child.with_reading_replaced(old, new) for child in self.children)
        )

    def readings(self) -> list[Readings]:
        """All labels of the tree that stand for several readings."""
        values = [value for label in self.labels.values() for value in (label if isinstance(label, list) else [label])]
        own = [value for value in values if isinstance(value, Readings)]
        return list(dict.fromkeys([*(reading for child in self.children for reading in child.readings()), *own]))

    def axes_with(self, readings: Readings) -> set[str]:
        """The names of the axes whose label is this value with several readings."""
        own = {
            axis for axis, label in self.labels.items() if readings in (label if isinstance(label, list) else [label])
        }
        return own.union(*(child.axes_with(readings) for child in self.children))


@dataclass(frozen=True)
class BoundNumber:
    """A number in a table: its variables, and its value at a point; `None` if there is no such cell."""

    variables: Mapping[Variable, Sequence[Any]]
    at: Callable[[Point], Any]

    @classmethod
    def combined(cls, act: Callable[..., Any], *parts: BoundNumber) -> BoundNumber:
        """The number that `act` computes from the values of other numbers, cell by cell."""
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


def label_lists(nodes: Iterable[ExpressionNode], inherited: Labels) -> dict[str, list[Any]]:
    """By axis, the distinct labels in these trees that stand for several values: lists and ranges."""
    lists: dict[str, list[Any]] = {}
    for node in nodes:
        for labels in node.leaf_labels(inherited):
            for axis, label in labels.items():
                if has_several_values(label) and _key(label) not in lists.setdefault(axis, []):
                    lists[axis].append(_key(label))
    return lists


def has_several_values(label: Any) -> bool:
    """Whether a label stands for several values."""
    return isinstance(label, (list, tuple, ValueRange))


def _key(label: Any) -> Any:
    """A label as part of a variable."""
    return tuple(label) if isinstance(label, list) else label


def _replaced(label: Any, old: Readings, new: Any) -> Any:
    if isinstance(label, list):
        return [_replaced(value, old, new) for value in label]
    return new if label is old else label


def to_sample(value: Value) -> RunSample:
    """The value as a sample: a plain number becomes a constant sample."""
    return value if isinstance(value, RunSample) else RunSample(float(value))
