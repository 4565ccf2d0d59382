"""A metric against the swept value: a line for each scheme, with bands of 95 % intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from penstock.plots import style
from penstock.results.comparison import Comparison, axis, axis_title
from penstock.results.display import scale_for
from penstock.results.metrics import metric as describe


def draw(result: Mapping[str, Any], metric: str, place: str | None = None) -> Figure:
    """Draw ``metric`` of a ``compare`` result at ``place`` (default: the first), against its swept value.

    Raises ``ValueError`` where the result sweeps nothing or has no such number.
    """
    found = Comparison(result)
    place = found.places[0] if place is None else place
    path, lines = axis(found.points)
    if path is None:
        raise ValueError("nothing was swept in this result; use compare --vary")
    if metric not in found.metrics.get(place, ()):
        raise ValueError(f"no {metric} at {place} in this result")
    about = describe(metric)
    scale = scale_for(about.quantity, (c.mean for (_, _, p, m), c in found.cells.items() if (p, m) == (place, metric)))
    with style.styled():
        figure, ax = style.axes(height=2.5)
        points = lines[0][1]
        numeric = all(isinstance(found.points[p].vary[path], int | float) for p in points)
        xs = [found.points[p].vary[path] if numeric else i for i, p in enumerate(points)]
        for index, scheme in enumerate(found.schemes):
            cells = [(x, found.cell(index, p, place, metric)) for x, p in zip(xs, points, strict=True)]
            known = [(x, c) for x, c in cells if c is not None]
            ax.plot(
                [x for x, _ in known],
                [c.mean * scale.factor for _, c in known],
                label=scheme.label,
                **style.line(index),
            )
            bands = [
                (x, c.low * scale.factor, c.high * scale.factor)
                for x, c in known
                if c.low is not None and c.high is not None
            ]
            if bands:
                ax.fill_between(
                    *zip(*bands, strict=True), color=style.COLOURS[index % len(style.COLOURS)], alpha=0.16, linewidth=0
                )
        if not numeric:
            ax.set_xticks(xs, [str(found.points[p].vary[path]) for p in points])
        ax.set_xlabel(axis_title(path))
        ax.set_ylabel(f"{about.title} ({scale.unit})" if scale.unit else about.title)
        n = f"95 % intervals, n = {found.runs}" if found.runs > 1 else "n = 1: no interval"
        style.legend(figure, 3, title=n, title_fontsize=6.5)
    return figure
