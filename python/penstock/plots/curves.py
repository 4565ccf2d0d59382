"""A number against an axis of a reproduced experiment, a line for each value of another; theory and print."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from penstock.plots import style
from penstock.results.summary_table import Shown

__all__ = ["course", "curves", "over_time", "printed"]


def curves(
    shown: Shown,
    x: str,
    y: str,
    by: str | None = None,
    *,
    labels: tuple[str, str],
    scale: float = 1.0,
    where: Mapping[str, Any] | None = None,
    theory: Callable[[Any, float], float] | None = None,
    expected: Sequence[tuple[str, float, float]] = (),
    log: str = "",
) -> Figure:
    """Draw `y` times `scale` against `x`, a line with intervals for each value of `by`, or one line.

    `labels` name the axes, `theory(by, x)` is drawn as a thin line where it is given (`by` is None for one line),
    `expected` are printed points as (name of the line, x, y) in the units of the figure, and `log` names axes that are
    logarithmic: "x", "y", "xy". Where the values of `by` are only numbers, the legend says of what.
    """
    with style.styled():
        figure, ax = style.axes(height=2.5)
        part = shown.where(**(where or {}))
        for index, value in enumerate([None] if by is None else part.axis(by)):
            chosen = {} if by is None else {by: value}
            points = [(at, point) for at, point in part.along(x, y, **chosen) if point.mean == point.mean]
            xs = [at for at, _ in points]
            ax.errorbar(
                xs,
                [point.mean * scale for _, point in points],
                [(point.half or 0.0) * scale for _, point in points],
                label="simulated" if by is None else str(value),
                elinewidth=0.6,
                **style.line(index),
            )
            if theory is not None:
                curve = [theory(value, at) * scale for at in xs]
                ax.plot(xs, curve, color=style.COLOURS[index % len(style.COLOURS)], linewidth=0.5, zorder=1)
            own = [(at, number) for name, at, number in expected if name == str(value)]
            if own:
                ax.plot(*zip(*own, strict=True), linestyle="", marker="x", color="black", zorder=5)
        if "x" in log:
            ax.set_xscale("log")
            ax.xaxis.set_minor_formatter(NullFormatter())  # labels between the decades would cover each other
            ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        if "y" in log:
            ax.set_yscale("log")
        ax.set_xlabel(labels[0])
        ax.set_ylabel(labels[1])
        notes = [] if by is None else style.lines_are(by, part.axis(by))
        notes += [*(["thin: theory"] if theory else []), *(["x: printed"] if len(expected) else [])]
        style.legend(figure, 4, title=", ".join(notes) or None, title_fontsize=6.5)
    return figure


def course(shown: Shown, name: str, **labels: Any) -> list[tuple[float, float]]:
    """(time, value) of a number that was measured as `NAME@TIME`, in the one cell with these labels."""
    (cell,) = shown.where(**labels).cells
    found = [(float(key.partition("@")[2]), cell[1][key].mean) for key in cell[1] if key.startswith(f"{name}@")]
    return [(at, value) for at, value in sorted(found) if value == value]


def over_time(
    lines: Mapping[str, Sequence[tuple[float, float]]], label: str, *, levels: Sequence[float] = ()
) -> Figure:
    """Draw lines of (seconds, value) with their names; `levels` are thin lines across, such as thresholds."""
    with style.styled():
        figure, ax = style.axes(height=2.2)
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
        style.legend(figure, 4)
    return figure


def printed(module_file: str, name: str) -> list[tuple[str, float, float]]:
    """The printed points of a figure, from `expected/NAME.csv` beside the module: line, x, y, where it stands."""
    file = Path(module_file).parent / "expected" / f"{name}.csv"
    with file.open(encoding="utf-8", newline="") as rows:
        return [(row["line"], float(row["x"]), float(row["y"])) for row in csv.DictReader(rows)]
