"""Statements about numbers: on a table they become conditions in every cell that their labels select."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from penstock.reproduce.label_values import value_text
from penstock.reproduce.node import EvaluationScope, ExpressionNode, Point, Variable, to_sample
from penstock.results.condition import Condition, all_of, any_of, most_of
from penstock.results.sample import RunSample
from penstock.results.table import Table

__all__ = ["Statement", "StatementPart", "at_least_share", "every", "join_parts", "some", "table_statement"]


@dataclass(frozen=True)
class StatementPart:
    """One of the conditions of a statement, and the cell where it applies, as values of the variables.

    `about` names its numbers, to distinguish it from parts of other statements.
    """

    place: Point
    """The cell, as values of the variables."""
    condition: Condition
    about: str = ""
    """The part's numbers in words, to distinguish it from other parts."""


class Statement(ExpressionNode):
    """A statement about runs; in a table it becomes a list of `StatementPart`."""

    def possible(self, table: Table) -> Statement | None:
        """The parts of the statement that the table can decide; None if a cell that it names is missing."""
        return self._possible(EvaluationScope(table))

    def _possible(self, scope: EvaluationScope) -> Statement | None:
        if self.evaluate is _all_parts:
            children = [child._possible(scope.for_children_of(self)) for child in self.children]
            possible = [child for child in children if child is not None]
            return replace(every(*possible), labels=self.labels) if possible else None
        try:
            self.within(scope)
        except (KeyError, ValueError):
            return None
        return self

    def on_table(self, table: Table) -> Condition:
        """The condition that every part holds in this table."""
        parts = self.within(EvaluationScope(table))
        if not parts:
            raise ValueError(f"nothing to decide: no cell is left of {self.text}")
        variables = {variable for part in parts for variable in part.place}
        varied = {variable for variable in variables if len({part.place.get(variable) for part in parts}) > 1}
        return all_of(_labelled(parts, varied))

    def only_where(self, number: ExpressionNode, holds: Callable[[RunSample], bool]) -> Statement:
        """The statement restricted to cells where a measured number fulfils `holds`, e.g. a queue that is not empty."""
        return Statement("{}", partial(_where_it_holds, holds), (self, number), label_template="{0}")


def every(*statements: Statement) -> Statement:
    """The statement that all of these statements hold in all cells."""
    return Statement("; ".join("{}" for _ in statements), _all_parts, statements)


def join_parts(
    join: Callable[[list[Condition]], Condition], statement: Statement, *axes: str, text: str = "{}"
) -> Statement:
    """The parts of a statement joined by `join` to one condition, or to one for each cell left by dropping `axes`."""
    return Statement(text, partial(_gathered, join, axes), (statement,))


def some(statement: Statement, *axes: str) -> Statement:
    """The statement that at least one part holds: one of all, or one along `axes` for each remaining cell."""
    return join_parts(any_of, statement, *axes, text=f"{{}} for at least one {' and '.join(axes)}".rstrip())


def at_least_share(share: float, statement: Statement) -> Statement:
    """The statement that at least this share of the parts holds, from 0 to 1."""
    return join_parts(partial(most_of, share), statement, text=f"{{}} in {100 * share:g} % of the cells or more")


def table_statement(function: Callable[[Table], Condition], text: str) -> Statement:
    """The statement that `function` makes from the whole table, for claims that other functions cannot express."""
    return Statement(text, partial(_of_table, function), label_template="{0}")


def _labelled(parts: list[StatementPart], varied: set[Variable]) -> list[Condition]:
    """The conditions of parts, each labelled with its cell, and with its numbers if the parts differ in them."""
    several = len({part.about for part in parts}) > 1
    conditions = []
    for part in parts:
        named = [value_text(v[0], value) for v, value in part.place.items() if v in varied and value is not None]
        where = ", ".join([*named, part.about] if several and part.about else named)
        conditions.append(part.condition.at(where) if where else part.condition)
    return conditions


def _all_parts(scope: EvaluationScope, *statements: Statement) -> list[StatementPart]:
    return [part for statement in statements for part in statement.within(scope)]


def _gathered(
    join: Callable[[list[Condition]], Condition], axes: tuple[str, ...], scope: EvaluationScope, statement: Statement
) -> list[StatementPart]:
    groups: dict[tuple[Any, ...], list[StatementPart]] = {}
    for part in statement.within(scope):
        rest = tuple((v, value) for v, value in part.place.items() if axes and v[0] not in axes)
        groups.setdefault(rest, []).append(part)
    joined = []
    for rest, parts in groups.items():
        variables = {variable for part in parts for variable in part.place} - dict(rest).keys()
        joined.append(StatementPart(dict(rest), join(_labelled(parts, variables))))
    return joined


def _where_it_holds(
    holds: Callable[[RunSample], bool], scope: EvaluationScope, statement: Statement, number: ExpressionNode
) -> list[StatementPart]:
    parts = statement.within(scope)
    follows: dict[str, list[Any]] = {}
    for axis, key in dict.fromkeys(variable for part in parts for variable in part.place):
        follows.setdefault(axis, []).append(key)
    bound = number.within(replace(scope, label_lists=follows))
    if foreign := [axis for axis, _ in bound.variables if axis not in follows]:
        raise ValueError(f"{number.text}: which {' and '.join(foreign)}? The statement does not run through it")
    values = ((part, bound.at(part.place)) for part in parts)
    return [part for part, value in values if value is not None and holds(to_sample(value))]


def _of_table(function: Callable[[Table], Condition], scope: EvaluationScope) -> list[StatementPart]:
    return [StatementPart({}, function(scope.table.where(**scope.inherited) if scope.inherited else scope.table))]
