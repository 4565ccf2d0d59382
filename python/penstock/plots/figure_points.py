"""The numbers of a finished figure and their places in its drawing, for tips, tables and CSV on pages."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedFormatter
from numpy.typing import NDArray

__all__ = ["FigurePoints", "figure_points"]

MOST_POINTS = 600
"""Maximum number of points of a figure on a page; larger figures keep only every second, third, ... point."""

NEAR = 0.5
"""Distance from a name on an axis within which a point belongs to it."""

Point = tuple[str, float, float]
"""Name of the series, x and y."""


@dataclass(frozen=True)
class FigurePoints:
    """The numbers of a figure as table rows; for each row its position in the drawing."""

    headers: tuple[str, ...]
    rows: list[list[str | float]]
    places: list[tuple[int, int] | None]
    """Position of each row in the drawing, in points; None for a row that is not visible."""


def figure_points(figure: Figure) -> FigurePoints:
    """The markers, lines and bars of all panels of a figure that was drawn, which determined the size of its axes."""
    panels = [(ax, list(_points(ax))) for ax in figure.axes]
    panels = [(ax, points) for ax, points in panels if points]
    step = max(1, math.ceil(sum(len(points) for _, points in panels) / MOST_POINTS))
    heads = (_head([ax.get_xlabel() or figure.get_supxlabel() for ax, _ in panels], "x"),
             _head([ax.get_ylabel() or figure.get_supylabel() for ax, _ in panels], "y"))  # fmt: skip
    named = any(name for _, points in panels for name, _, _ in points)
    rows: list[list[str | float]] = []
    places = []
    for number, (ax, points) in enumerate(panels):
        for name, x, y in points[::step]:
            panel = [ax.get_title() or f"panel {number + 1}"] if len(panels) > 1 else []
            rows.append([*panel, *([name] if named else []), _named(ax, x), _short(y)])
            places.append(_place(figure, ax, x, y))
    first = (["panel"] if len(panels) > 1 else []) + (["series"] if named else [])
    return FigurePoints((*first, *heads), rows, places)


def _points(ax: Axes) -> Iterator[Point]:
    names = {
        container[0]: str(container.get_label())
        for container in ax.containers
        if isinstance(container, ErrorbarContainer)
    }
    for line in ax.lines:
        name = names.get(line, str(line.get_label()))
        if line.get_transform() == ax.transData and (_has_markers(line) or not name.startswith("_")):
            yield from _finite(name, line.get_xdata(), line.get_ydata())
    for dots in ax.collections:
        if not str(dots.get_label()).startswith("_"):
            offsets: NDArray[np.float64] = np.ma.filled(np.ma.asarray(dots.get_offsets(), dtype=float), math.nan)
            yield from _finite(str(dots.get_label()), offsets[:, 0], offsets[:, 1])
    for bars in (container for container in ax.containers if isinstance(container, BarContainer)):
        shapes = bars.patches
        centres = [bar.get_x() + bar.get_width() / 2 for bar in shapes]
        yield from _finite(str(bars.get_label()), centres, [bar.get_y() + bar.get_height() for bar in shapes])


def _has_markers(line: Line2D) -> bool:
    return str(line.get_marker()) not in ("None", "none", "", " ")


def _finite(name: str, xs: object, ys: object) -> Iterator[Point]:
    label = "" if name.startswith("_") else name
    for x, y in zip(np.asarray(xs, dtype=float), np.asarray(ys, dtype=float), strict=True):
        if math.isfinite(x) and math.isfinite(y):
            yield label, float(x), float(y)


def _head(labels: Sequence[str], other: str) -> str:
    """The label of an axis, if all panels with a label have the same one."""
    titles = {" ".join(label.split()) for label in labels if label}
    return titles.pop() if len(titles) == 1 else other


def _named(ax: Axes, x: float) -> str | float:
    """A place on the x axis: its name, if it has names."""
    formatter = ax.xaxis.get_major_formatter()
    if not isinstance(formatter, FixedFormatter):
        return _short(x)
    ticks, texts = ax.get_xticks(), [text.get_text() for text in ax.get_xticklabels()]
    near = [(abs(x - tick), text) for tick, text in zip(ticks, texts, strict=True) if abs(x - tick) < NEAR]
    return min(near)[1] if near else _short(x)


def _short(value: float) -> float:
    short = float(f"{value:.4g}")
    return int(short) if short == int(short) and abs(short) < 1e15 else short


def _place(figure: Figure, ax: Axes, x: float, y: float) -> tuple[int, int] | None:
    """The place in the drawing in points, from its top left corner."""
    across, up = ax.transAxes.inverted().transform(ax.transData.transform((x, y)))
    if not (-0.01 <= across <= 1.01 and -0.01 <= up <= 1.01):
        return None
    right, top = ax.transData.transform((x, y)) * 72 / figure.dpi
    return round(float(right)), round(float(figure.get_figheight() * 72 - top))
