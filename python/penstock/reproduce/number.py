"""Numbers of an experiment as expressions, written before there is a table, and statements about them.

A number is a metric with labels. A label that is not given is left open: a comparison of two numbers is a statement
about every cell that the open labels select, the same cell on both sides. So the comparison is the claim.

>>> from penstock.reproduce.choice import at_most
>>> from penstock.results.sample import Sample
>>> from penstock.results.table import Table
>>> goodput = metric("goodput", "%")
>>> claim = goodput(scheme=["RED", "Blue"]).reads(150, 135, 160)(buffer=at_most(400))
>>> claim.text
'buffer <= 400: goodput (RED, Blue) 150 (135 to 160) %'
>>> places = [{"scheme": scheme, "buffer": buffer} for scheme in ("RED", "Blue") for buffer in (100, 400)]
>>> cells = [(labels, {"goodput": Sample([145.0] * 5)}) for labels in places]
>>> claim.on(Table(cells)).decide().why
'4 of 4 hold; buffer = 100, RED: 145, printed 150 (135 to 160)'

Labels
======

* One value fixes the label: `g(scheme="RED")`.
* A list selects each of its values, in its order: `g(scheme=["RED", "Blue"])`. Equal lists in one statement
  take the same value; different lists are combined, each value with each: `g(scheme=NEW) > g(scheme=OLD)`.
* A range (`at_least`, `at_most`, `above`, `below`, `within`) selects the values of the axis in the range.
* A number without a label takes the values of the only list or range of this label in its statement.
* `Readings` make one claim each (`penstock.reproduce.claim`).

Labels may be given to a number, to an expression or to a whole statement: `(a / b)(buffer=above(1000)) <= 1.2`. A
label nearer to the metric takes precedence. A single value and each value of a list must be in the table (`KeyError`).
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from penstock.reproduce.choice import Range, label_text
from penstock.reproduce.curve import largest, mean, smallest
from penstock.reproduce.node import (
    Bound,
    Curve,
    Labels,
    Node,
    Point,
    Quantity,
    Scope,
    Value,
    Variable,
    applied,
    as_sample,
    is_open,
    key_of,
    lists_of,
    merged,
)
from penstock.reproduce.statement import Judged, Statement
from penstock.results.condition import Condition
from penstock.results.sample import Sample, per_run
from penstock.results.table import Table

__all__ = ["Number", "each_run", "formula", "judged", "metric", "of_samples"]


_AVERAGES = (mean, largest, smallest)
"""Functions of a curve that give the level of a flat one."""


class Number(Quantity):
    """A number of each run in every cell that its labels select; arithmetic works as on `Sample`."""

    def _of(self, text: str) -> str:
        own = ", ".join(label_text(axis, label) for axis, label in self.labels.items())
        return f"({text} at {own})" if own else text

    @property
    def unit(self) -> str:
        """The unit; "" for a ratio or a number without unit."""
        return ""

    def _with(self, sign: str, act: Callable[..., Any], *operands: Number | float) -> Number:
        return _Combined(tuple(map(_number, operands)), act, sign, plain=True)

    def __add__(self, other: Number | float) -> Number:
        return self._with("+", operator.add, self, other)

    def __radd__(self, other: float) -> Number:
        return self._with("+", operator.add, other, self)

    def __sub__(self, other: Number | float) -> Number:
        return self._with("-", operator.sub, self, other)

    def __rsub__(self, other: float) -> Number:
        return self._with("-", operator.sub, other, self)

    def __mul__(self, other: Number | float) -> Number:
        return self._with("*", operator.mul, self, other)

    def __rmul__(self, other: float) -> Number:
        return self._with("*", operator.mul, other, self)

    def __truediv__(self, other: Number | float) -> Number:
        return self._with("/", operator.truediv, self, other)

    def __rtruediv__(self, other: float) -> Number:
        return self._with("/", operator.truediv, other, self)

    def __abs__(self) -> Number:
        return self._with("|{}|", abs, self)

    def __le__(self, other: Number | float) -> Statement:
        return self._compared(operator.le, "<=", other)

    def __lt__(self, other: Number | float) -> Statement:
        return self._compared(operator.lt, "<", other)

    def __ge__(self, other: Number | float) -> Statement:
        return self._compared(operator.ge, ">=", other)

    def __gt__(self, other: Number | float) -> Statement:
        return self._compared(operator.gt, ">", other)

    def _compared(self, act: Callable[..., Condition], sign: str, other: Number | float) -> Statement:
        unit = "" if isinstance(other, Number) else self._unit()
        return judged(act, self, other, text=f"{{}} {sign} {{}}{unit}")

    def between(self, low: float, high: float) -> Statement:
        """At least `low` and at most `high`."""
        text = f"{{}} from {low:.4g} to {high:.4g}{self._unit()}"
        return judged(lambda sample: sample.between(low, high), self, text=text)

    def reads(
        self, printed: float, low: float | None = None, high: float | None = None, *, share: float = 0.0
    ) -> Statement:
        """Agreement with a printed number, from `low` to `high` or within a `share` of it (`Sample.reads`)."""
        least = printed - abs(printed) * share if low is None else low
        most = printed + abs(printed) * share if high is None else high
        text = f"{{}} {printed:.4g} ({least:.4g} to {most:.4g}){self._unit()}"
        return judged(lambda sample: sample.reads(printed, low=low, high=high, share=share), self, text=text)

    def along(
        self,
        axis: str,
        act: Callable[[Curve], Value],
        text: str = "",
        unit: str | None = None,
        neutral: float | None = None,
    ) -> Number:
        """One number of the curve along an axis: `act`, e.g. `mean`, gets the samples by the values of the axis.

        `unit` is by default that of the samples; `neutral` is the number of a flat curve.
        """
        named = text or getattr(act, "__name__", "").replace("_", " ")
        return _Along((self,), axis, act, named, self.unit if unit is None else unit, neutral)

    def next(self, axis: str) -> Number:
        """The number at the next value of an axis, among the values that the statement selects."""
        return _Next((self,), axis)

    def _unit(self) -> str:
        return f" {self.unit}" if self.unit else ""


@dataclass(frozen=True, eq=False)
class _Metric(Number):
    """A metric with labels."""

    name: str
    said: str
    measured_in: str = ""
    labels: Labels = field(default_factory=dict)
    children: Sequence[Node] = ()

    @property
    def text(self) -> str:
        own = ", ".join(label_text(axis, label) for axis, label in self.labels.items())
        return f"{self.said} ({own})" if own else self.said

    @property
    def unit(self) -> str:
        return self.measured_in

    def of_equals(self, value: Callable[[str], float]) -> float | None:
        return value(self.measured_in or self.name)

    def bind(self, scope: Scope) -> Bound:
        labels = {**scope.given, **self.labels}
        cells = [cell for cell in scope.table.cells if all(_fits(cell[0].get(a), label) for a, label in labels.items())]
        names = dict.fromkeys([*(a for a, label in labels.items() if is_open(label)), *_names(cells)])
        axes = [axis for axis in names if axis not in labels or is_open(labels[axis])]
        _check_values(cells, labels, scope.table)
        variables: dict[Variable, Sequence[Any]] = {}
        of_axis = []
        for axis in axes:
            label = labels.get(axis)
            variable = (axis, key_of(label)) if label is not None else scope.variable(axis)
            of_axis.append(variable)
            if label is not None or variable[1] is None:
                variables[variable] = _values(cells, axis, label)
        index: dict[tuple[Any, ...], Mapping[str, Sample]] = {}
        for own, samples in cells:
            key = tuple(own.get(axis) for axis in axes)
            if key in index:
                raise KeyError(f"two cells have {dict(zip(axes, key, strict=True))} and {labels}")
            index[key] = samples

        def at(point: Point) -> Value | None:
            samples = index.get(tuple(point[variable] for variable in of_axis))
            if samples is None:
                return None
            if self.name not in samples:
                raise KeyError(f"no {self.name} was measured; there are: {', '.join(samples)}")
            return samples[self.name]

        return Bound(variables, at)


def _fits(value: Any, label: Any) -> bool:
    if isinstance(label, Range):
        return value is not None and label(value)
    return value in label if isinstance(label, (list, tuple)) else bool(value == label)


def _names(cells: Sequence[tuple[Labels, Any]]) -> dict[str, None]:
    return dict.fromkeys(axis for own, _ in cells for axis, value in own.items() if value is not None)


def _values(cells: Sequence[tuple[Labels, Any]], axis: str, label: Any) -> list[Any]:
    if isinstance(label, (list, tuple)):
        return list(label)
    return list(dict.fromkeys(own.get(axis) for own, _ in cells))


def _check_values(cells: Sequence[tuple[Labels, Any]], labels: Labels, table: Table) -> None:
    """Raise `KeyError` unless every named value is in the table."""
    for axis, label in labels.items():
        lacking = [value for value in label if value not in _values(cells, axis, None)] if _listed(label) else []
        if lacking:
            raise KeyError(f"no cell has {axis} {', '.join(map(str, lacking))} and {labels}; axes: {table.axes()}")
    if not cells:
        raise KeyError(f"no cell has {labels}; the axes are {table.axes()}")


def _listed(label: Any) -> bool:
    return isinstance(label, (list, tuple))


@dataclass(frozen=True, eq=False)
class _Constant(Number):
    """A plain number."""

    value: float
    fixed = True
    labels: Labels = field(default_factory=dict)
    children: Sequence[Node] = ()

    @property
    def text(self) -> str:
        return f"{self.value:.4g}"

    def of_equals(self, value: Callable[[str], float]) -> float | None:
        return self.value

    def bind(self, scope: Scope) -> Bound:
        return Bound({}, lambda _: self.value)


@dataclass(frozen=True, eq=False)
class _Formula(Number):
    """A function of the labels of a cell."""

    function: Callable[..., Value]
    said: str
    labels: Labels = field(default_factory=dict)
    children: Sequence[Node] = ()

    @property
    def text(self) -> str:
        return self._of(self.said)

    def bind(self, scope: Scope) -> Bound:
        labels = {**scope.given, **self.labels}
        wanted: dict[str, Variable | None] = {}
        for axis in inspect.signature(self.function).parameters:
            label = labels.get(axis)
            wanted[axis] = (axis, key_of(label)) if is_open(label) else None if axis in labels else scope.variable(axis)

        def at(point: Point) -> Value | None:
            values = {axis: labels[axis] if v is None else point[v] for axis, v in wanted.items()}
            return self.function(**values)

        return Bound({}, at)


@dataclass(frozen=True, eq=False)
class _Combined(Number):
    """Arithmetic on numbers, or a function of them."""

    children: tuple[Number, ...]
    act: Callable[..., Any]
    sign: str
    plain: bool = False  # whether `act` also takes plain numbers
    labels: Labels = field(default_factory=dict)

    @property
    def text(self) -> str:
        parts = [f"({one.text})" if getattr(one, "sign", "") in ("+", "-") else one.text for one in self.children]
        if "{" in self.sign:
            return self._of(self.sign.format(*(one.text for one in self.children)))
        return self._of(f" {self.sign} ".join(parts))

    @property
    def unit(self) -> str:
        units = {one.unit for one in self.children}
        return units.pop() if self.sign != "/" and len(units) == 1 else ""

    def of_equals(self, value: Callable[[str], float]) -> float | None:
        values = [one.of_equals(value) for one in self.children]
        if not self.plain or None in values:
            return None
        with np.errstate(all="ignore"):
            return float(self.act(*map(np.float64, values)))

    def bind(self, scope: Scope) -> Bound:
        bound = [one.bind(scope.of(self)) for one in self.children]
        return Bound(merged(bound), partial(applied, self.act, bound))


@dataclass(frozen=True, eq=False)
class _Along(Number):
    """One number of the curve along an axis."""

    children: tuple[Number]
    axis: str
    act: Callable[[Curve], Value]
    said: str
    measured_in: str
    of_flat: float | None = None
    labels: Labels = field(default_factory=dict)

    @property
    def text(self) -> str:
        return self._of(f"{self.said} over {self.axis} of {self.children[0].text}")

    @property
    def unit(self) -> str:
        return self.measured_in

    def of_equals(self, value: Callable[[str], float]) -> float | None:
        return self.children[0].of_equals(value) if self.act in _AVERAGES else self.of_flat

    def leaves(self, given: Labels) -> Iterator[tuple[Node, Labels]]:
        for leaf, labels in super().leaves(given):
            yield leaf, {axis: label for axis, label in labels.items() if axis != self.axis}

    def bind(self, scope: Scope) -> Bound:
        inner = scope.of(self)
        own = lists_of(self.children[0], inner.given).get(self.axis, [])
        bound = self.children[0].bind(replace(inner, follows={**inner.follows, self.axis: own}))
        ours = [variable for variable in bound.variables if variable[0] == self.axis]
        if len(ours) != 1:
            raise ValueError(f"{self.text}: {len(ours)} lists of {self.axis} where there must be one")
        (variable,) = ours
        values = bound.variables[variable]

        def at(point: Point) -> Value | None:
            found = ((value, bound.at({**point, variable: value})) for value in values)
            curve = {value: as_sample(number) for value, number in found if number is not None}
            return self.act(curve) if curve else None

        return Bound({own: values for own, values in bound.variables.items() if own != variable}, at)


@dataclass(frozen=True, eq=False)
class _Next(Number):
    """A number at the next value of an axis."""

    children: tuple[Number]
    axis: str
    labels: Labels = field(default_factory=dict)

    @property
    def text(self) -> str:
        return self._of(f"{self.children[0].text} at the next {self.axis}")

    @property
    def unit(self) -> str:
        return self.children[0].unit

    def of_equals(self, value: Callable[[str], float]) -> float | None:
        return self.children[0].of_equals(value)

    def bind(self, scope: Scope) -> Bound:
        bound = self.children[0].bind(scope.of(self))
        (variable,) = [variable for variable in bound.variables if variable[0] == self.axis]
        values = list(bound.variables[variable])

        def at(point: Point) -> Value | None:
            following = values.index(point[variable]) + 1
            return bound.at({**point, variable: values[following]}) if following < len(values) else None

        return Bound(bound.variables, at)


def metric(name: str, unit: str = "", says: str = "") -> Number:
    """A measured number: its name in the table, its unit, and its name in texts if that differs."""
    return _Metric(name, says or name, unit)


def formula(function: Callable[..., Value], says: str = "") -> Number:
    """A function of labels, which are its arguments by name: a model to compare with measurements."""
    return _Formula(function, says or function.__name__.replace("_", " "))


def of_samples(function: Callable[..., Sample], *numbers: Number | float, text: str) -> Number:
    """A function of samples; in `text`, {} stands for each number."""
    return _Combined(tuple(map(_number, numbers)), function, text)


def each_run(function: Callable[..., float], *numbers: Number | float, text: str) -> Number:
    """A function of numbers, run by run; in `text`, {} stands for each."""
    return of_samples(partial(per_run, function), *numbers, text=text)


def _number(value: Number | float) -> Number:
    return value if isinstance(value, Number) else _Constant(float(value))


def judged(judge: Callable[..., Condition], *numbers: Number | float, text: str) -> Statement:
    """A condition made by a function: `judge` gets the samples of a cell; in `text`, {} stands for each number."""
    return Judged(tuple(map(_number, numbers)), judge, text)
