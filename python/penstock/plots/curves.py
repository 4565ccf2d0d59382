"""Figures of reproduced experiments: a number against an axis with theory and printed points; lines over time."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from penstock.files import read_text
from penstock.plots import style
from penstock.results.summary_table import SummaryPoint, SummaryTable

__all__ = ["CurveFigure", "PrintedValue", "draw_over_time", "read_printed_points", "time_course"]

Labels = Mapping[str, Any]
PrintedValue = tuple[str, float | None, float | None]
"""A printed value: the name of its line, "" for none; x and y, of which a paper may print only one."""

_LINE, _HEIGHT = "line", "height"


@dataclass(frozen=True)
class CurveFigure:
    """A figure as data: `y` times `scale` against `x`, with intervals; a line for each value of `by`, or a single line.

    Attributes:
        x: label on the horizontal axis.
        y: metric on the vertical axis; or a function of a cell's labels that gives the metric of each line through
            this cell, by the name of the line.
        by: label with a line for each value, unless `y` is a function; if the values are plain numbers, the legend
            names the label.
        labels: names of the axes, with units.
        scale: factor from the metric to the figure.
        where: labels that select the drawn cells.
        theory: function of (value of `by` or name of the line, x) in units of the metric, drawn as a thin line; the
            value is `None` for one line.
        log: the logarithmic axes: "x", "y" or "xy".
        limits: lower and upper end of the vertical axis; `None` for an end that depends on the points.
        functions: further lines, black and without markers: their points by their names, in the units of the figure.

    """

    x: str
    y: str | Callable[[Labels], Mapping[str, str]]
    by: str | None = None
    labels: tuple[str, str] = ("", "")
    scale: float = 1.0
    where: Mapping[str, Any] = field(default_factory=dict)
    theory: Callable[[Any, float], float] | None = None
    log: str = ""
    limits: tuple[float | None, float | None] = (None, None)
    functions: Mapping[str, Sequence[tuple[float, float]]] = field(default_factory=dict)

    def __call__(self, table: SummaryTable, expected: Sequence[PrintedValue] = ()) -> Figure:
        """Draw it; `expected` are printed values in the units of the figure.

        Printed points are crosses. Where only x or y is printed, it is a dotted line across the figure.
        """
        part = table.where(**self.where)
        if callable(self.y):
            lines = SummaryTable(_on_lines(part, self.x, self.y))
            return replace(self, y=_HEIGHT, by=_LINE, where={})(lines, expected)
        with style.figure_style():
            figure, ax = style.single_panel(height=2.5)
            values = [None] if self.by is None else part.axis(self.by)
            at_names = _names(part.axis(self.x))
            for index, value in enumerate(values):
                self._line(
                    ax, part, index, value, {n: style.side_by_side_position(x, index, len(values)) for x, n in at_names}
                )
                _add_printed(
                    ax, [(x, y) for name, x, y in expected if name == str(value)], style.line_style(index)["color"]
                )
            _add_printed(ax, [(x, y) for name, x, y in expected if not name], "black")
            for name, points in self.functions.items():
                ax.plot(*zip(*points, strict=True), color="black", label=name)
            self._axes(ax)
            if at_names:
                style.set_name_axis(ax, [name for _, name in at_names])
            notes = [] if self.by in (None, _LINE) else style.line_quantity_note(str(self.by), values)
            notes += [*(["thin: theory"] if self.theory else []), *_notes_on(expected)]
            style.add_legend(figure, 4, title=", ".join(notes) or None, title_fontsize=6.5)
        return figure

    def _line(self, ax: Axes, part: SummaryTable, index: int, value: Any, places: Mapping[str, float]) -> None:
        """A line; on an axis of names, whose places are given, unconnected points."""
        assert isinstance(self.y, str)
        chosen = {} if self.by is None else {self.by: value}
        points = [(at, point) for at, point in part.along(self.x, self.y, **chosen) if point.mean == point.mean]
        xs = [places.get(at, at) for at, _ in points]
        style.draw_with_intervals(
            ax,
            xs,
            [point.mean * self.scale for _, point in points],
            [(point.half_width or 0.0) * self.scale for _, point in points],
            style.possible_range(self.labels[1]),
            label="simulated" if self.by is None else str(value),
            **style.line_style(index) | ({"linestyle": "none"} if places else {}),
        )
        if self.theory is not None:
            curve = [self.theory(value, at) * self.scale for at in xs]
            ax.plot(xs, curve, color=style.COLOURS[index % len(style.COLOURS)], linewidth=0.5, zorder=1)

    def _axes(self, ax: Axes) -> None:
        if "x" in self.log:
            style.set_log_x_axis(ax)
        if "y" in self.log:
            ax.set_yscale("log")
        elif ax.lines:
            style.limit_y_axis(ax, style.possible_range(self.labels[1]))
        ax.set_ylim(*(end if given is None else given for given, end in zip(self.limits, ax.get_ylim(), strict=True)))
        ax.set_xlabel(self.labels[0])
        ax.set_ylabel(self.labels[1])


def _on_lines(
    table: SummaryTable, x: str, metrics: Callable[[Labels], Mapping[str, str]]
) -> Iterator[tuple[dict[str, Any], dict[str, SummaryPoint]]]:
    """A cell for each point of each line; none where the metric of a line was not recorded."""
    for labels, points in table.cells:
        for line, metric in metrics(labels).items():
            if metric in points:
                yield {_LINE: line, x: labels[x]}, {_HEIGHT: points[metric]}


def _add_printed(ax: Axes, values: Sequence[tuple[float | None, float | None]], colour: str) -> None:
    """Crosses at printed points, dotted lines where only x or only y is printed, in the colour of their line."""
    points = [(x, y) for x, y in values if x is not None and y is not None]
    if points:
        ax.plot(*zip(*points, strict=True), linestyle="", marker="x", markersize=7, color=colour, zorder=5)
    look: dict[str, Any] = {"color": colour, "linestyle": ":", "linewidth": 1.0, "zorder": 1}
    for x, y in values:
        if x is None and y is not None:
            ax.axhline(y, **look)
        elif y is None and x is not None:
            ax.axvline(x, **look)


def _notes_on(expected: Sequence[PrintedValue]) -> list[str]:
    """The note of the legend on printed values."""
    kinds = {"dotted" if x is None or y is None else "x" for _, x, y in expected}
    return [f"{', '.join(sorted(kinds, reverse=True))}: printed"] if kinds else []


def _names(values: Sequence[Any]) -> list[tuple[int, str]]:
    """The names on an axis with their places; empty for an axis of numbers."""
    return list(enumerate(values)) if values and all(isinstance(value, str) for value in values) else []


def time_course(table: SummaryTable, name: str, **labels: Any) -> list[tuple[float, float]]:
    """The (seconds, value) pairs of numbers measured as `NAME@TIME`, in the one cell with these labels."""
    (cell,) = table.where(**labels).cells
    points = [(float(key.partition("@")[2]), cell[1][key].mean) for key in cell[1] if key.startswith(f"{name}@")]
    return [(at, value) for at, value in sorted(points) if value == value]


def draw_over_time(
    lines: Mapping[str, Sequence[tuple[float, float]]], label: str, *, levels: Sequence[float] = ()
) -> Figure:
    """Draw lines of (seconds, value) by their names; `levels` are thin horizontal lines, e.g. thresholds."""
    with style.figure_style():
        figure, ax = style.single_panel(height=2.2)
        for index, (name, points) in enumerate(lines.items()):
            ax.plot(
                *zip(*points, strict=True),
                label=name,
                color=style.COLOURS[(index + 1) % len(style.COLOURS)],
                linewidth=0.8,
            )
        for level in levels:
            ax.axhline(level, color="black", linewidth=0.4)
        ax.set_xlabel("time (s)")
        ax.set_ylabel(label)
        ax.set_ylim(bottom=0)
        ax.margins(x=0)
        style.add_legend(figure, 4)
    return figure


def read_printed_points(file: Path) -> list[PrintedValue]:
    """Read printed values from a file with the columns line, x, y, where; line, and either x or y, may be empty."""
    rows = csv.DictReader(read_text(file).splitlines())
    return [(row["line"], _number(row["x"]), _number(row["y"])) for row in rows]


def _number(text: str) -> float | None:
    return float(text) if text else None
