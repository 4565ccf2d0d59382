"""Figures of reproduced experiments: a number against an axis with theory and printed points; lines over time."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from penstock.files import read_text
from penstock.plots import style
from penstock.results.summary_table import SummaryTable

__all__ = ["CurveFigure", "draw_over_time", "read_printed_points", "time_course"]


@dataclass(frozen=True)
class CurveFigure:
    """A figure as data: `y` times `scale` against `x`, with intervals; a line for each value of `by`, or a single line.

    Attributes:
        x: label on the horizontal axis.
        y: metric on the vertical axis.
        by: label with a line for each value; if these are plain numbers, the legend names the label.
        labels: names of the axes, with units.
        scale: factor from the metric to the figure.
        where: labels that select the drawn cells.
        theory: function of (value of `by`, x) in units of the metric, drawn as a thin line; the value is `None` for
            one line.
        log: the logarithmic axes: "x", "y" or "xy".

    """

    x: str
    y: str
    by: str | None = None
    labels: tuple[str, str] = ("", "")
    scale: float = 1.0
    where: Mapping[str, Any] = field(default_factory=dict)
    theory: Callable[[Any, float], float] | None = None
    log: str = ""

    def __call__(self, table: SummaryTable, expected: Sequence[tuple[str, float, float]] = ()) -> Figure:
        """Draw it; `expected` are printed points as (name of the line, x, y) in the units of the figure."""
        part = table.where(**self.where)
        with style.figure_style():
            figure, ax = style.single_panel(height=2.5)
            values = [None] if self.by is None else part.axis(self.by)
            at_names = _names(part.axis(self.x))
            for index, value in enumerate(values):
                self._line(
                    ax, part, index, value, {n: style.side_by_side_position(x, index, len(values)) for x, n in at_names}
                )
                own = [(at, number) for name, at, number in expected if name == str(value)]
                if own:
                    ax.plot(*zip(*own, strict=True), linestyle="", marker="x", color="black", zorder=5)
            self._axes(ax)
            if at_names:
                style.set_name_axis(ax, [name for _, name in at_names])
            notes = [] if self.by is None else style.line_quantity_note(self.by, values)
            notes += [*(["thin: theory"] if self.theory else []), *(["x: printed"] if len(expected) else [])]
            style.add_legend(figure, 4, title=", ".join(notes) or None, title_fontsize=6.5)
        return figure

    def _line(self, ax: Axes, part: SummaryTable, index: int, value: Any, places: Mapping[str, float]) -> None:
        """A line; on an axis of names, whose places are given, unconnected points."""
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
        ax.set_xlabel(self.labels[0])
        ax.set_ylabel(self.labels[1])


def _names(values: Sequence[Any]) -> list[tuple[int, str]]:
    """The names on an axis with their places; empty for an axis of numbers."""
    return list(enumerate(values)) if values and all(isinstance(value, str) for value in values) else []


def time_course(table: SummaryTable, name: str, **labels: Any) -> list[tuple[float, float]]:
    """The (time, value) pairs of numbers measured as `NAME@TIME`, in the one cell with these labels."""
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


def read_printed_points(file: Path) -> list[tuple[str, float, float]]:
    """Read printed points from a file with the columns line, x, y, where."""
    rows = csv.DictReader(read_text(file).splitlines())
    return [(row["line"], float(row["x"]), float(row["y"])) for row in rows]
