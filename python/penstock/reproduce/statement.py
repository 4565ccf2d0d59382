"""Statements about numbers: on a table they become conditions in every cell that their labels select."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from penstock.reproduce.choice import value_text
from penstock.reproduce.node import (
    Labels,
    Node,
    Point,
    Quantity,
    Scope,
    Value,
    Variable,
    applied,
    as_sample,
    lists_of,
    merged,
)
from penstock.results.condition import Condition, all_of, any_of, most_of
from penstock.results.sample import Sample
from penstock.results.table import Table

__all__ = ["Judged", "Part", "Statement", "by_table", "every", "gather", "most", "some"]


@dataclass(frozen=True)
class Part:
    """One of the conditions of a statement, and the cell where it applies, as values of the variables.

    `about` names its numbers, to distinguish it from parts of other statements.
    """

    place: Point
    condition: Condition
    about: str = ""


class Statement(Node):
    """A statement about runs; on a table it becomes a condition, made of `parts`."""

    text: str

    def parts(self, scope: Scope) -> list[Part]:
        """The conditions that it consists of in a table."""
        raise NotImplementedError

    def possible(self, scope: Scope) -> Statement | None:
        """What of it a table can decide; None if a cell that it names is lacking."""
        try:
            self.parts(scope)
        except (KeyError, ValueError):
            return None
        return self

    def on(self, table: Table) -> Condition:
        """The condition in a table that every part holds."""
        parts = self.parts(Scope(table, {}, {}))
        if not parts:
            raise ValueError(f"nothing to decide: no cell is left of {self.text}")
        varied = {v for part in parts for v in part.place if len({other.place.get(v) for other in parts}) > 1}
        return all_of(_told(parts, varied))

    def given(self, number: Quantity, holds: Callable[[Sample], bool]) -> Statement:
        """The statement only in cells where a measured number fulfils a condition, e.g. a queue that is not empty."""
        return _Given((self, number), holds, self.text)


def _told(parts: list[Part], varied: set[Variable]) -> list[Condition]:
    """The conditions of parts, each labelled with its cell, and with its numbers if the parts differ in these."""
    several = len({part.about for part in parts}) > 1
    found = []
    for part in parts:
        where = ", ".join(filter(None, [_where(part, varied), part.about if several else ""]))
        found.append(part.condition.at(where) if where else part.condition)
    return found


def _where(part: Part, varied: set[Variable]) -> str:
    return ", ".join(value_text(v[0], value) for v, value in part.place.items() if v in varied and value is not None)


@dataclass(frozen=True, eq=False)
class Judged(Statement):
    """A condition on numbers in every cell that their labels select."""

    children: tuple[Quantity, ...]
    judge: Callable[..., Condition]
    said: str
    labels: Labels = field(default_factory=dict)

    @property
    def text(self) -> str:  # type: ignore[override]
        """The statement in words."""
        return self._of(self.said.format(*(number.text for number in self.children)))

    def parts(self, scope: Scope) -> list[Part]:
        """The conditions that it consists of in a table."""
        scope = replace(scope.of(self), follows=lists_of(self, scope.given))
        bound = [number.bind(scope) for number in self.children]
        variables = merged(bound)
        about = " and ".join(number.text for number in self.children if not number.fixed)
        found = []
        for values in itertools.product(*variables.values()):
            point = dict(zip(variables, values, strict=True))
            condition = applied(self._judged, bound, point)
            if condition is not None:
                found.append(Part(point, condition, about))
        if not found:
            raise KeyError(f"no cell of {scope.table.axes()} has all of {self.text}")
        return found

    def _judged(self, *values: Value) -> Condition:
        """The condition on the values of its numbers, which know what stands for no difference."""
        known = zip(self.children, values, strict=True)
        return self.judge(*(v.about(n.neutral) if isinstance(v, Sample) else v for n, v in known))


@dataclass(frozen=True, eq=False)
class _Every(Statement):
    """Several statements: the parts of all of them."""

    children: tuple[Statement, ...]
    labels: Labels = field(default_factory=dict)

    @property
    def text(self) -> str:  # type: ignore[override]
        return self._of("; ".join(one.text for one in self.children))

    def parts(self, scope: Scope) -> list[Part]:
        return [part for one in self.children for part in one.parts(scope.of(self))]

    def possible(self, scope: Scope) -> Statement | None:
        found = [one.possible(scope.of(self)) for one in self.children]
        kept = tuple(one for one in found if one is not None)
        return replace(self, children=kept) if kept else None


@dataclass(frozen=True, eq=False)
class _Gathered(Statement):
    """The parts of a statement joined into one, all of them or those along some axes."""

    children: tuple[Statement]
    join: Callable[[list[Condition]], Condition]
    axes: Sequence[str]
    said: str
    labels: Labels = field(default_factory=dict)

    @property
    def text(self) -> str:  # type: ignore[override]
        return self._of(self.said.format(self.children[0].text))

    def parts(self, scope: Scope) -> list[Part]:
        found: dict[tuple[Any, ...], list[Part]] = {}
        for part in self.children[0].parts(scope.of(self)):
            rest = tuple((v, value) for v, value in part.place.items() if self.axes and v[0] not in self.axes)
            found.setdefault(rest, []).append(part)
        return [Part(dict(rest), self._joined(rest, parts)) for rest, parts in found.items()]

    def _joined(self, rest: tuple[Any, ...], parts: list[Part]) -> Condition:
        left = {variable for part in parts for variable in part.place} - {variable for variable, _ in rest}
        return self.join(_told(parts, left))


@dataclass(frozen=True, eq=False)
class _Given(Statement):
    """A statement in the cells where a number fulfils a condition."""

    children: tuple[Statement, Quantity]
    holds: Callable[[Sample], bool]
    text: str
    labels: Labels = field(default_factory=dict)

    def parts(self, scope: Scope) -> list[Part]:
        statement, number = self.children
        inner = scope.of(self)
        parts = statement.parts(inner)
        variables = dict.fromkeys(variable for part in parts for variable in part.place)
        follows: dict[str, list[Any]] = {}
        for axis, key in variables:
            follows.setdefault(axis, []).append(key)
        bound = number.bind(replace(inner, follows=follows))
        if foreign := [axis for axis, _ in bound.variables if axis not in follows]:
            raise ValueError(f"{number.text}: which {' and '.join(foreign)}? The statement does not run through it")
        found = []
        for part in parts:
            value = bound.at(part.place)
            if value is not None and self.holds(as_sample(value)):
                found.append(part)
        return found


@dataclass(frozen=True, eq=False)
class _ByTable(Statement):
    """A condition that a function makes from the whole table."""

    function: Callable[[Table], Condition]
    text: str
    labels: Labels = field(default_factory=dict)
    children: Sequence[Node] = ()

    def parts(self, scope: Scope) -> list[Part]:
        labels = {**scope.given, **self.labels}
        return [Part({}, self.function(scope.table.where(**labels) if labels else scope.table))]


def every(*statements: Statement) -> Statement:
    """Every part of every statement holds."""
    return _Every(statements)


def gather(
    join: Callable[[list[Condition]], Condition], statement: Statement, *axes: str, text: str = "{}"
) -> Statement:
    """The parts of a statement as one condition, all of them, or for each cell those along some axes."""
    return _Gathered((statement,), join, axes, text)


def some(statement: Statement, *axes: str) -> Statement:
    """At least one part holds, of all or of those along some axes."""
    return gather(any_of, statement, *axes, text=f"{{}} for at least one {' and '.join(axes)}".rstrip())


def most(share: float, statement: Statement) -> Statement:
    """At least this share of the parts holds, from 0 to 1."""
    return gather(partial(most_of, share), statement, text=f"{{}} in {100 * share:g} % of the cells or more")


def by_table(function: Callable[[Table], Condition], text: str) -> Statement:
    """A condition on the whole table, for claims that the other functions cannot express."""
    return _ByTable(function, text)
