"""A metric against the swept value: a line for each scheme, with bands of 95 % intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from penstock.errors import nearest
from penstock.plots import style
from penstock.results.cell import Cell, drawn
from penstock.results.comparison import Comparison
from penstock.results.display import scale_for, setting
from penstock.results.metrics import metric as describe
from penstock.results.quantity import logarithmic, numeric
from penstock.results.sweep import SweepPoint, axis, axis_title


def draw(
    result: Comparison | Mapping[str, Any],
    metric: str,
    place: str | None = None,
    at: Mapping[str, Any] | None = None,
) -> Figure:
    """Draw `metric` of a comparison, or of its JSON, at `place` (default: the first) against its swept value.

    In a grid of several swept paths `at` gives the values of all paths but the one on the axis, by path or by its
    last part. Raises `ValueError` if nothing is swept, there is no such number, or other paths are left open.
    """
    found = result if isinstance(result, Comparison) else Comparison(result)
    place = found.places[0] if place is None else place
    path, lines = axis([point for point in found.points if _fits(point, at or {})])
    if path is None:
        raise ValueError("nothing was swept in this result; use compare --vary")
    if len(lines) > 1:
        settings = "; ".join(label for label, _ in lines)
        raise ValueError(f"{len(lines)} settings of the other swept paths, name one with at: {settings}")
    if metric not in found.metrics.get(place, ()):
        raise ValueError(f"no {metric} at {place} in this result{nearest(metric, found.metrics.get(place, ()))}")
    about = describe(metric)
    scale = scale_for(about.quantity, (c.mean for (_, _, p, m), c in found.cells.items() if (p, m) == (place, metric)))
    with style.styled():
        figure, ax = style.axes(height=2.5)
        points = [i for i, point in enumerate(found.points) if _fits(point, at or {})]
        values = [found.points[p].vary[path] for p in points]
        xs, unit = numeric(values) or (list(map(float, range(len(values)))), None)
        order = sorted(range(len(points)), key=lambda i: xs[i])
        for index, scheme in enumerate(found.schemes):
            at_names = [style.beside(x, index, len(found.schemes)) for x in xs] if unit is None else xs
            cells = [(at_names[i], found.cell(index, points[i], place, metric)) for i in order]
            known = [(x, drawn(c, about)) for x, c in cells if c is not None]
            look = style.line(index) | ({"linestyle": "none"} if unit is None else {})
            ax.plot([x for x, _ in known], [c.mean * scale.factor for _, c in known], label=scheme.label, **look)
            colour = style.COLOURS[index % len(style.COLOURS)]
            _intervals(ax, known, scale.factor, colour, band=unit is not None)
        if unit is None:
            style.names(ax, list(map(setting, values)))
        elif logarithmic(xs):
            style.log_x(ax)
        style.end_within(ax, (about.range[0] * scale.factor, about.range[1] * scale.factor))
        ax.set_xlabel(f"{axis_title(path)} ({unit})" if unit else axis_title(path))
        ax.set_ylabel(f"{about.title} ({scale.unit})" if scale.unit else about.title)
        n = f"95 % intervals, n = {found.runs}" if found.runs > 1 else "n = 1: no interval"
        style.legend(figure, 3, title=n, title_fontsize=6.5)
    return figure


def _intervals(ax: Axes, known: Sequence[tuple[float, Cell]], factor: float, colour: str, *, band: bool) -> None:
    """The intervals of a line, as a band or as a stroke at each point."""
    ends = [(x, c.low * factor, c.high * factor) for x, c in known if c.low is not None and c.high is not None]
    if not ends:
        return
    places, low, high = zip(*ends, strict=True)
    if band:
        ax.fill_between(places, low, high, color=colour, alpha=0.16, linewidth=0)
    else:
        ax.vlines(places, low, high, color=colour, linewidth=0.8)


def _fits(point: SweepPoint, at: Mapping[str, Any]) -> bool:
    """Whether a point has these values. Raises `ValueError` for a path that was not swept."""
    values = {name: value for path, value in point.vary.items() for name in (path, path.rsplit(".", 1)[-1])}
    unknown = [key for key in at if key not in values]
    if unknown:
        raise ValueError(f"{unknown[0]} was not swept{nearest(unknown[0], values)}")
    return all(values[key] == value for key, value in at.items())
