"""Numbers of an experiment as expressions, written before there is a table, and statements about them.

A number is a metric with labels. A label that is not given is left open: a comparison of two numbers is a statement
about every cell that the open labels select, with the same cell in both numbers. So the comparison is the claim.

>>> from penstock.reproduce.label_values import at_most
>>> from penstock.results.sample import RunSample
>>> from penstock.results.table import Table
>>> goodput = metric("goodput", "%")
>>> claim = goodput(scheme=["RED", "Blue"]).matches_printed(150, 135, 160)(buffer=at_most(400))
>>> claim.text
'buffer <= 400: goodput (RED, Blue) is 150 (135 to 160) %'
>>> places = [{"scheme": scheme, "buffer": buffer} for scheme in ("RED", "Blue") for buffer in (100, 400)]
>>> cells = [(labels, {"goodput": RunSample([145.0] * 5)}) for labels in places]
>>> claim.on_table(Table(cells)).decide().why
'4 of 4 confirmed; buffer = 100, RED: 145, printed 150 (135 to 160)'

Labels
======

* One value fixes the label: `g(scheme="RED")`.
* A list selects each of its values, in its order: `g(scheme=["RED", "Blue"])`. Equal lists in one statement
  take the same value; different lists are combined, each value with each: `g(scheme=NEW) > g(scheme=OLD)`.
* A range (`at_least`, `at_most`, `above`, `below`, `within`) selects the values of the axis in the range.
* A number without this label takes the values of the only list or range of the label in its statement.
* `Readings` make one claim each (`penstock.reproduce.claim`).

Labels may be given to a number, to an expression or to a whole statement: `(a / b)(buffer=above(1000)) <= 1.2`. A
label nearer to the metric takes precedence. A single value and each value of a list must be in the table (`KeyError`).
"""

from __future__ import annotations

import inspect
import itertools
import math
import operator
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from penstock.reproduce.curve import largest, mean, smallest
from penstock.reproduce.label_values import ValueRange
from penstock.reproduce.node import (
    BoundNumber,
    Curve,
    EvaluationScope,
    ExpressionNode,
    Labels,
    Point,
    Value,
    has_several_values,
    label_lists,
    to_sample,
)
from penstock.reproduce.statement import Statement, StatementPart
from penstock.results.condition import Condition
from penstock.results.sample import RunSample, per_run
from penstock.results.table import Table

__all__ = ["Number", "formula", "function_of_samples", "function_per_run", "judged_statement", "metric"]


_AVERAGES = (mean, largest, smallest)
"""Functions of a curve that return the level of a flat curve."""


@dataclass(frozen=True, eq=False)
class Number(ExpressionNode):
    """A number of each run in every cell that its labels leave open; arithmetic works as on `RunSample`.

    Attributes:
        unit: its unit; "" for a ratio or a number without unit.
        level: from the value that all measured numbers of a kind have, and the children: the value of this number, or
            None if it is unknown. A kind is a unit, or the name of a metric without a unit.
        is_sum: whether it is in parentheses as a part of another number.
        is_constant: whether it is a plain number.

    """

    label_template: str = "({0} at {1})"
    unit: str = ""
    level: Callable[..., float | None] = lambda *_: None
    is_sum: bool = False
    is_constant: bool = False

    def value_if_equal(self, value: Callable[[str], float]) -> float | None:
        """The value of this number if all measured numbers of a kind have the given value; None if unknown."""
        return self.level(value, *self.children)

    @property
    def neutral(self) -> float | None:
        """The value that means no difference: 0 for a difference, 1 for a ratio; None for other numbers.

        The number has this value whenever all measured numbers of one kind are equal.
        """
        first, second = (self.value_if_equal(partial(_probe, number)) for number in ("one", "other"))
        if first is None or second is None or not math.isfinite(first):
            return None
        return first if math.isclose(first, second, abs_tol=1e-9) else None

    def __add__(self, other: Number | float) -> Number:
        return _arithmetic("+", operator.add, self, other)

    def __radd__(self, other: float) -> Number:
        return _arithmetic("+", operator.add, other, self)

    def __sub__(self, other: Number | float) -> Number:
        return _arithmetic("-", operator.sub, self, other)

    def __rsub__(self, other: float) -> Number:
        return _arithmetic("-", operator.sub, other, self)

    def __mul__(self, other: Number | float) -> Number:
        return _arithmetic("*", operator.mul, self, other)

    def __rmul__(self, other: float) -> Number:
        return _arithmetic("*", operator.mul, other, self)

    def __truediv__(self, other: Number | float) -> Number:
        return _arithmetic("/", operator.truediv, self, other)

    def __rtruediv__(self, other: float) -> Number:
        return _arithmetic("/", operator.truediv, other, self)

    def __abs__(self) -> Number:
        return function_of_samples(abs, self, text="|{}|", plain=True)

    def __le__(self, other: Number | float) -> Statement:
        return self._compared(operator.le, "<=", other)

    def __lt__(self, other: Number | float) -> Statement:
        return self._compared(operator.lt, "<", other)

    def __ge__(self, other: Number | float) -> Statement:
        return self._compared(operator.ge, ">=", other)

    def __gt__(self, other: Number | float) -> Statement:
        return self._compared(operator.gt, ">", other)

    def _compared(self, act: Callable[..., Condition], sign: str, other: Number | float) -> Statement:
        unit = "" if isinstance(other, Number) else self._unit
        return judged_statement(act, self, other, text=f"{{}} {sign} {{}}{unit}")

    def between(self, low: float, high: float) -> Statement:
        """The statement that the number is at least `low` and at most `high`."""
        text = f"{{}} is between {low:.4g} and {high:.4g}{self._unit}"
        return judged_statement(lambda sample: sample.between(low, high), self, text=text)

    def matches_printed(
        self, printed: float, low: float | None = None, high: float | None = None, *, share: float = 0.0
    ) -> Statement:
        """The statement that the number is from `low` to `high`, or within a `share` of `printed` (as for samples)."""
        lowest = printed - abs(printed) * share if low is None else low
        highest = printed + abs(printed) * share if high is None else high
        text = f"{{}} is {printed:.4g} ({lowest:.4g} to {highest:.4g}){self._unit}"
        return judged_statement(
            lambda sample: sample.matches_printed(printed, low=low, high=high, share=share), self, text=text
        )

    @property
    def _unit(self) -> str:
        return f" {self.unit}" if self.unit else ""

    def along(
        self,
        axis: str,
        act: Callable[[Curve], Value],
        text: str = "",
        unit: str | None = None,
        neutral: float | None = None,
    ) -> Number:
        """One number of the curve along an axis: `act`, e.g. `mean`, gets the samples by the values of the axis.

        `unit` is by default the unit of the samples; `neutral` is the number of a flat curve.
        """
        return Number(
            f"{text or getattr(act, '__name__', '').replace('_', ' ')} over {axis} of {{}}",
            partial(_along, axis, act),
            (self,),
            over=axis,
            unit=self.unit if unit is None else unit,
            level=lambda value, curve: curve.value_if_equal(value) if act in _AVERAGES else neutral,
        )

    def at_next_value(self, axis: str) -> Number:
        """The number at the next value of an axis, among the values that the statement selects."""
        template = f"{{}} at the next {axis}"
        return Number(
            template,
            partial(_next, axis),
            (self,),
            unit=self.unit,
            level=lambda value, number: number.value_if_equal(value),
        )


def metric(name: str, unit: str = "", says: str = "") -> Number:
    """A number that the table has under `name`; `says` is its name in texts if that differs."""
    return Number(
        says or name,
        partial(_measured, name),
        label_template="{0} ({1})",
        unit=unit,
        level=lambda value: value(unit or name),
    )


def formula(function: Callable[..., Value], says: str = "") -> Number:
    """A number computed by a function of labels, its arguments by name: a model to compare with measurements."""
    return Number(says or function.__name__.replace("_", " "), partial(_computed, function))


def function_of_samples(
    function: Callable[..., Any], *numbers: Number | float, text: str, plain: bool = False
) -> Number:
    """The number that a function computes from samples; {} in `text` stands for each. `plain`: or plain numbers."""
    children = tuple(map(_number, numbers))
    units = {child.unit for child in children}
    number = Number(text, partial(_of_cells, function), children, unit=units.pop() if len(units) == 1 else "")
    return replace(number, level=partial(_level, function)) if plain else number


def function_per_run(function: Callable[..., float], *numbers: Number | float, text: str) -> Number:
    """The number that a function computes from other numbers, run by run; in `text`, {} stands for each."""
    return function_of_samples(partial(per_run, function), *numbers, text=text)


def judged_statement(judge: Callable[..., Condition], *numbers: Number | float, text: str) -> Statement:
    """The statement decided by `judge`, which gets the samples of a cell; in `text`, {} stands for each number."""
    return Statement(text, partial(_judged, judge), tuple(map(_number, numbers)))


def _number(value: Number | float) -> Number:
    if isinstance(value, Number):
        return value
    constant = float(value)
    return Number(
        f"{constant:.4g}", lambda _: BoundNumber({}, lambda _: constant), level=lambda _: constant, is_constant=True
    )


def _arithmetic(sign: str, act: Callable[..., Any], *operands: Number | float) -> Number:
    children = tuple(map(_number, operands))
    text = f" {sign} ".join("({})" if child.is_sum else "{}" for child in children)
    number = function_of_samples(act, *children, text=text, plain=True)
    return replace(number, unit="" if sign == "/" else number.unit, is_sum=sign in "+-")


def _level(function: Callable[..., Any], value: Callable[[str], float], *children: Number) -> float | None:
    """The level of a function of numbers."""
    levels = [child.value_if_equal(value) for child in children]
    if None in levels:
        return None
    with np.errstate(all="ignore"):
        return float(function(*map(np.float64, levels)))


def _probe(number: str, kind: str) -> float:
    """A value for all measured numbers of a kind, from 1 to 2."""
    return 1 + zlib.crc32(f"{number} {kind}".encode()) / 2**32


# ---- evaluation in a table: the scope has the labels of the number and of all nodes above it ------------------------


def _measured(name: str, scope: EvaluationScope) -> BoundNumber:
    labels = scope.inherited
    cells = [cell for cell in scope.table.cells if all(_fits(cell[0].get(a), label) for a, label in labels.items())]
    _check_values(cells, labels, scope.table)
    own = dict.fromkeys(axis for at, _ in cells for axis, value in at.items() if value is not None)
    named = [axis for axis, label in labels.items() if has_several_values(label)]
    axes = [*named, *(axis for axis in own if axis not in labels)]
    of_axis = [scope.variable_of_axis(axis) for axis in axes]
    variables = {
        variable: _values(cells, axis, labels.get(axis))
        for axis, variable in zip(axes, of_axis, strict=True)
        if axis in labels or variable[1] is None
    }
    index: dict[tuple[Any, ...], Mapping[str, RunSample]] = {}
    for at, samples in cells:
        key = tuple(at.get(axis) for axis in axes)
        if key in index:
            raise KeyError(f"two cells have {dict(zip(axes, key, strict=True))} and {labels}")
        index[key] = samples

    def value(point: Point) -> Value | None:
        samples = index.get(tuple(point[variable] for variable in of_axis))
        if samples is not None and name not in samples:
            raise KeyError(f"no {name} was measured; available: {', '.join(samples)}")
        return None if samples is None else samples[name]

    return BoundNumber(variables, value)


def _fits(value: Any, label: Any) -> bool:
    if isinstance(label, ValueRange):
        return value is not None and label(value)
    return value in label if isinstance(label, (list, tuple)) else bool(value == label)


def _values(cells: Sequence[tuple[Labels, Any]], axis: str, label: Any) -> list[Any]:
    if isinstance(label, (list, tuple)):
        return list(label)
    return list(dict.fromkeys(at.get(axis) for at, _ in cells))


def _check_values(cells: Sequence[tuple[Labels, Any]], labels: Labels, table: Table) -> None:
    """Raise `KeyError` unless every named value is in the table."""
    for axis, label in labels.items():
        lacking = set(label).difference(_values(cells, axis, None)) if isinstance(label, (list, tuple)) else ()
        if lacking:
            raise KeyError(f"no cell has {axis} {', '.join(map(str, lacking))} and {labels}; axes: {table.axes()}")
    if not cells:
        raise KeyError(f"no cell has {labels}; the axes are {table.axes()}")


def _computed(function: Callable[..., Value], scope: EvaluationScope) -> BoundNumber:
    parameters = inspect.signature(function).parameters
    fixed = {
        axis: scope.inherited[axis]
        for axis in parameters
        if axis in scope.inherited and not has_several_values(scope.inherited[axis])
    }
    free = {axis: scope.variable_of_axis(axis) for axis in parameters if axis not in fixed}
    return BoundNumber(
        {}, lambda point: function(**fixed, **{axis: point[variable] for axis, variable in free.items()})
    )


def _of_cells(function: Callable[..., Any], scope: EvaluationScope, *numbers: Number) -> BoundNumber:
    return BoundNumber.combined(function, *(number.within(scope) for number in numbers))


def _along(axis: str, act: Callable[[Curve], Value], scope: EvaluationScope, number: Number) -> BoundNumber:
    keys = label_lists([number], scope.inherited).get(axis, [])
    bound = number.within(replace(scope, label_lists={**scope.label_lists, axis: keys}))
    ours = [variable for variable in bound.variables if variable[0] == axis]
    if len(ours) != 1:
        raise ValueError(f"{number.text}: {len(ours)} lists of {axis} where there must be one")
    (variable,) = ours

    def value(point: Point) -> Value | None:
        values = {at: bound.at({**point, variable: at}) for at in bound.variables[variable]}
        curve = {at: to_sample(number) for at, number in values.items() if number is not None}
        return act(curve) if curve else None

    return BoundNumber({own: values for own, values in bound.variables.items() if own != variable}, value)


def _next(axis: str, scope: EvaluationScope, number: Number) -> BoundNumber:
    bound = number.within(scope)
    (variable,) = [variable for variable in bound.variables if variable[0] == axis]
    values = list(bound.variables[variable])
    after = dict(itertools.pairwise(values))
    return BoundNumber(
        bound.variables,
        lambda point: bound.at({**point, variable: after[point[variable]]}) if point[variable] in after else None,
    )


def _judged(judge: Callable[..., Condition], scope: EvaluationScope, *numbers: Number) -> list[StatementPart]:
    """The conditions on the numbers, which know the neutral value."""

    def of_cell(*values: Value) -> Condition:
        pairs = zip(numbers, values, strict=True)
        return judge(*(v.about(n.neutral) if isinstance(v, RunSample) else v for n, v in pairs))

    scope = replace(scope, label_lists=label_lists(numbers, scope.inherited))
    bound = BoundNumber.combined(of_cell, *(number.within(scope) for number in numbers))
    about = " and ".join(number.text for number in numbers if not number.is_constant)
    points = (dict(zip(bound.variables, at, strict=True)) for at in itertools.product(*bound.variables.values()))
    conditions = ((point, bound.at(point)) for point in points)
    parts = [StatementPart(point, condition, about) for point, condition in conditions if condition is not None]
    if not parts:
        names = ", ".join(number.text for number in numbers)
        raise KeyError(f"no cell of {scope.table.axes()} has all of {names}")
    return parts
