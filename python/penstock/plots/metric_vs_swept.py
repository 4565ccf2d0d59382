"""A metric against the swept value: a line for each scheme, with 95 % intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from penstock.errors import did_you_mean
from penstock.plots import metric_by_axis, style
from penstock.results.comparison import Comparison
from penstock.results.run_table import RunTable
from penstock.results.summary_table import SummaryTable
from penstock.results.sweep import SweepPoint, horizontal_axis


def draw(
    result: RunTable | Mapping[str, Any],
    metric: str,
    place: str | None = None,
    at: Mapping[str, Any] | None = None,
) -> Figure:
    """Draw `metric` of runs, or of their JSON, at `place` (default: the first) against its swept value.

    In a grid of several swept paths, `at` gives the values of all paths except the one on the axis, by path or by its
    last part. Raises `ValueError` if nothing is swept, if there is no such number, or if other paths have no value.
    """
    comparison = Comparison.from_runs(result) if isinstance(result, RunTable) else Comparison(result)
    place = comparison.places[0] if place is None else place
    path, lines = horizontal_axis([point for point in comparison.points if _fits(point, at or {})])
    if path is None:
        raise ValueError("nothing was swept in this result: repeat the comparison with vary (option --vary)")
    if len(lines) > 1:
        settings = "; ".join(label for label, _ in lines)
        raise ValueError(f"{len(lines)} settings of the other swept paths, name one with at: {settings}")
    if metric not in comparison.metrics.get(place, ()):
        raise ValueError(
            f"no {metric} at {place} in this result{did_you_mean(metric, comparison.metrics.get(place, ()))}"
        )
    rows = [
        row
        for row in comparison.rows
        if (row["place"], row["metric"]) == (place, metric) and _fits(SweepPoint(row["vary"]), at or {})
    ]
    labels = {scheme.argument: scheme.label for scheme in comparison.schemes}
    cells = SummaryTable.from_rows(rows, metric).cells
    table = SummaryTable(({**own, "scheme": labels[own["scheme"]]}, numbers) for own, numbers in cells)
    note = f"95 % intervals, n = {comparison.runs}" if comparison.runs > 1 else "n = 1: no interval"
    figure = metric_by_axis.draw(table, path, metric, "scheme", note=note)
    figure.set_figwidth(style.WIDTH)
    return figure


def _fits(point: SweepPoint, at: Mapping[str, Any]) -> bool:
    """Whether a point has these values. Raises `ValueError` for a path that was not swept."""
    values = {name: value for path, value in point.vary.items() for name in (path, path.rsplit(".", 1)[-1])}
    unknown = [key for key in at if key not in values]
    if unknown:
        raise ValueError(f"{unknown[0]} was not swept{did_you_mean(unknown[0], values)}")
    return all(values[key] == value for key, value in at.items())
