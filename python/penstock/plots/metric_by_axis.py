"""A metric against an axis of a study: a curve for each value of another axis, a panel for each value of a third."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from penstock.errors import PenstockError
from penstock.plots import panels, style
from penstock.results.display import DisplayUnit, display_unit, setting_text, with_spaced_unit
from penstock.results.metrics import find_metric
from penstock.results.quantity import as_numbers, axis_sort_key, needs_log_axis
from penstock.results.summary_table import SummaryPoint, SummaryTable
from penstock.results.sweep import axis_title, swept_value_text

__all__ = ["WIDTHS", "Width", "draw"]

Width = Literal["single", "double"]

WIDTHS: dict[Width, float] = {"single": 3.5, "double": 7.2}
"""Widths in inches: a column and the page of a journal."""

MAX_CURVES = 24
"""Maximum number of lines that differ in colour, marker or dash."""
MAX_PANELS = 12
MAX_TICKS = 8
"""Maximum number of values of x that are labelled one by one."""

ONE_CURVE = "mean"
"""Name of the curve if there is only one."""


def draw(
    table: SummaryTable,
    x: str,
    y: str,
    by: str | None = None,
    panel: str | None = None,
    *,
    width: Width = "single",
    note: str = "",
) -> Figure:
    """Draw means with 95 % intervals.

    Args:
        table: the cells, with the metric `y`.
        x: axis of the study on the horizontal axis; to scale, logarithmic if its values are geometric.
        y: path of the metric.
        by: axis with a curve for each value; None for one curve.
        panel: axis with a panel for each value; None for one panel.
        width: of the figure: see `WIDTHS`.
        note: above the legend, such as the number of runs.

    Raises `PenstockError` if several cells belong to one point, or the figure has more curves or panels than can be
    distinguished.
    """
    labelled = [(labels, cell[y]) for labels, cell in table.cells if y in cell and labels.get(x) is not None]
    points = [(labels, point) for labels, point in labelled if math.isfinite(point.mean)]
    if not points:
        raise PenstockError(f"no run has both {x} and {y}")
    _check_complete([labels for labels, _ in points], [name for name in (x, by, panel) if name is not None])
    axis = _XAxis.of(x, _values(points, x))
    curve = by or ONE_CURVE
    curves = _values(points, by) if by else [None]
    parts = _panels(points, x, y, curve, panel)
    _check_number("curves", len(curves), MAX_CURVES, by)
    _check_number("panels", len(parts), MAX_PANELS, panel)
    about = find_metric(y.rpartition(".")[2])
    scale = display_unit(about.quantity, [point.mean for _, point in points])
    cells = []
    for number, value in enumerate(curves):
        own = [(labels, point) for labels, point in points if by is None or labels[by] == value]
        name = ONE_CURVE if by is None else _value_text(value)
        for labels, point in sorted(own, key=lambda item: axis_sort_key(item[0][x])):
            at = axis.place(labels[x], number, len(curves))
            cells.append(({**labels, x: at, curve: name}, {y: _scaled(point, scale)}))
    names = {x: axis.title, y: _y_title(y, scale), curve: axis_title(curve)}
    columns, size = _size(len(parts), width)
    figure = panels.draw(
        SummaryTable(cells), parts, columns, names, size=size, one_y_axis=True, connected=axis.unit is not None,
        note=note, possible=(about.range[0] * scale.factor, about.range[1] * scale.factor),
    )  # fmt: skip
    with style.figure_style():
        drawn = figure.axes[: len(parts)]
        for ax in drawn:
            axis.apply(ax)
        left, right = (choose(ax.get_xlim()[end] for ax in drawn) for end, choose in ((0, min), (1, max)))
        for ax in drawn:
            ax.set_xlim(left, right)
        style.limit_y_axis(figure.axes[0], (about.range[0] * scale.factor, about.range[1] * scale.factor))
        if _shows_zero([point for _, point in points]):
            figure.axes[0].set_ylim(bottom=0)
    return figure


@dataclass(frozen=True)
class _XAxis:
    """The values of the horizontal axis, their places on it, and their unit; None if they are names."""

    path: str
    values: Sequence[Any]
    places: Sequence[float]
    unit: str | None

    @classmethod
    def of(cls, path: str, values: Sequence[Any]) -> _XAxis:
        places, unit = as_numbers(values) or (list(map(float, range(len(values)))), None)
        return cls(path, values, places, unit)

    @property
    def title(self) -> str:
        return f"{axis_title(self.path)} ({self.unit})" if self.unit else axis_title(self.path)

    def place(self, value: Any, curve: int, curves: int) -> float:
        """The place of a value; on an axis of names, the points of several curves lie side by side."""
        place = self.places[self.values.index(value)]
        return place if self.unit is not None else style.side_by_side_position(place, curve, curves)

    def apply(self, ax: Axes) -> None:
        """Set scale and ticks; few values get a tick each."""
        if self.unit is None:
            style.set_name_axis(ax, [_value_text(value) for value in self.values])
        elif needs_log_axis(self.places):
            style.set_log_x_axis(ax, (1.0,) if max(self.places) / min(self.places) > 1e3 else (1.0, 2.0, 5.0))
        elif len(self.places) <= MAX_TICKS and _are_apart(self.places):
            ax.set_xticks(self.places, [f"{value:g}" for value in self.places])
        elif all(float(place).is_integer() for place in self.places):
            ax.xaxis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True))


def _values(points: Sequence[tuple[Any, SummaryPoint]], name: str) -> list[Any]:
    """The values of an axis: numbers by size, names in the order in which they appear."""
    return sorted(dict.fromkeys(labels.get(name) for labels, _ in points), key=lambda value: axis_sort_key(value)[:3])


def _shows_zero(points: Sequence[SummaryPoint]) -> bool:
    """Whether the y axis starts at 0, so that heights can be compared: unless all values lie close together."""
    lows = [point.mean - (point.half_width or 0.0) for point in points]
    return min(lows) >= 0 and min(lows) < max(point.mean for point in points) / 2


def _panels(
    points: Sequence[tuple[Any, SummaryPoint]], x: str, y: str, by: str, panel: str | None
) -> list[panels.Panel]:
    if panel is None:
        return [panels.Panel(x, y, by)]
    titled = [(value, swept_value_text(panel, value)) for value in _values(points, panel)]
    return [panels.Panel(x, y, by, {panel: value}, title) for value, title in titled]


def _check_complete(cells: Sequence[Any], named: Sequence[str]) -> None:
    """Refuse several cells at one point: their mean would hide an axis."""
    values: dict[tuple[Any, ...], Any] = {}
    for labels in cells:
        other = values.setdefault(tuple(labels.get(name) for name in named), labels)
        if other is not labels:
            open_axes = [name for name in labels if labels[name] != other.get(name)]
            listed = "; ".join(f"{name}: {_some([cell.get(name) for cell in cells])}" for name in open_axes)
            raise PenstockError(
                "several cells at one point; draw the axis with by or panel (options --by, --panel), or choose one "
                f"of its values with where (option --where): {listed}"
            )


def _check_number(what: str, number: int, most: int, axis: str | None) -> None:
    if number > most:
        raise PenstockError(
            f"{axis} has {number} values; a figure has at most {most} {what}; choose fewer with where (option --where)"
        )


def _some(values: Sequence[Any]) -> str:
    distinct = sorted(dict.fromkeys(values), key=axis_sort_key)
    return ", ".join(map(_value_text, distinct[:8])) + (", ..." if len(distinct) > 8 else "")


def _value_text(value: Any) -> str:
    return "–" if value is None else with_spaced_unit(setting_text(value))


def _scaled(point: SummaryPoint, scale: DisplayUnit) -> SummaryPoint:
    half = point.half_width
    return SummaryPoint(point.mean * scale.factor, None if half is None else half * scale.factor)


def _y_title(path: str, scale: DisplayUnit) -> str:
    about = find_metric(path.rpartition(".")[2])
    return f"{about.title} ({scale.unit})" if scale.unit else about.title


def _size(number: int, width: Width) -> tuple[int, tuple[float, float]]:
    """The number of columns, and the width of the figure with the height of a row in inches."""
    columns = 1 if width == "single" else min(number, 2 if number in (2, 4) else 3)
    height = 2.2 if columns == 1 else 1.9
    return columns, (WIDTHS[width], height)


def _are_apart(xs: Sequence[float]) -> bool:
    """Whether labels at these values do not overlap."""
    ordered = sorted(xs)
    span = ordered[-1] - ordered[0]
    return all(after - before >= span / 10 for before, after in pairwise(ordered))
