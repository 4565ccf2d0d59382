"""The numbers of a page's charts as its script reads them, in display units; intervals contain only possible values."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from penstock.report.view import short_labels
from penstock.results.comparison import Comparison
from penstock.results.display import DisplayUnit, round_to_digits, setting_text
from penstock.results.distribution import DistributionBin, first_distribution_value, is_distribution
from penstock.results.estimate import Estimate
from penstock.results.metrics import Metric, find_metric, in_catalogue_order
from penstock.results.quantity import as_numbers, axis_sort_key, needs_log_axis
from penstock.results.sweep import axis_title, horizontal_axis, swept_value_text

__all__ = ["SERIES_POINTS", "comparison_chart_data", "decimated_series", "run_chart_data", "with_unbroken_units"]

Json = Mapping[str, Any]

# Maximum number of points of a series on a page: more than a chart of the usual width can resolve.
SERIES_POINTS = 600

DRAWN_OVER_TIME = ("queue", "avg", "lq", "cq", "max_p")
"""The series of a link that a page draws."""

# A distribution on a page ends before the values that are all rarer than this.
SMALLEST_SHARE = 1e-3

AXES_OF_COUNTS = ("packets", "count")
"""Quantities that are whole numbers: their axes have no ticks between them."""


def comparison_chart_data(
    comparison: Comparison, units: Mapping[tuple[str, str], DisplayUnit], tables: Mapping[str, Sequence[Json]]
) -> dict[str, Any]:
    """The charts of a comparison without the courses over time, and the numbers of `metric_tables` by place."""
    path, _ = horizontal_axis(comparison.points)
    axes = _axes(comparison)
    paths = [axis_entry["path"] for axis_entry in axes]
    return {
        "kind": "compare",
        "schemes": [
            {"label": short, "full": s.label, "title": s.title}
            for s, short in zip(comparison.schemes, short_labels(comparison.schemes), strict=True)
        ],
        "runs": comparison.runs,
        "axes": [{key: value for key, value in axis_entry.items() if key != "values"} for axis_entry in axes],
        "axis": paths.index(path) if path is not None else None,
        "points": [
            {
                "label": point.words,
                "at": [axis_entry["values"].index(point.vary[axis_entry["path"]]) for axis_entry in axes],
            }
            for point in comparison.points
        ],
        "places": [
            {
                "name": place,
                "metrics": _metrics(comparison, units, place),
                "overAll": with_unbroken_units(comparison.conclusions_at(place).over_all),
                "says": [
                    with_unbroken_units(conclusion.text) for conclusion in comparison.conclusions_at(place).points
                ],
                "best": [list(conclusion.best) for conclusion in comparison.conclusions_at(place).points],
                "rows": [_table_row(row, comparison.runs) for group in tables[place] for row in group["rows"]],
                "distributions": _distributions(comparison, place),
            }
            for place in comparison.places
        ],
    }


def with_unbroken_units(text: str) -> str:
    r"""Text in which no line ends between a number and its unit.

    >>> with_unbroken_units("red (12 ms, 99 %)")
    'red (12\xa0ms, 99\xa0%)'
    """
    return re.sub(r"(?<=\d) (?=%|m?s\b|µs\b)", "\u00a0", text)


def run_chart_data(places: Mapping[str, Json]) -> dict[str, Any]:
    """The charts of a run without its series: the distributions of its links and traffic."""
    return {
        "kind": "run",
        "schemes": [{"label": "this run", "full": "this run", "title": "Queue"}],
        "runs": 1,
        "axes": [],
        "axis": None,
        "points": [{"label": "", "at": []}],
        "places": [
            {"name": place, "metrics": [], "rows": [], "distributions": _run_distributions(numbers)}
            for place, numbers in places.items()
        ],
    }


def decimated_series(series: Json, points: int = SERIES_POINTS) -> dict[str, Any]:
    """A series reduced to at most `points` points: minimum, mean and maximum of each group, times in seconds.

    A constant column is represented by its value.
    """
    times = series["t_ns"]
    step = max(1, math.ceil(len(times) / points))
    groups = [slice(i, i + step) for i in range(0, len(times), step)]
    columns: dict[str, Any] = {"t": [_short(times[g][0] / 1e9) for g in groups]}
    for name in DRAWN_OVER_TIME:
        values = series.get(name)
        if not isinstance(values, Mapping) or not values.get("mean"):
            continue
        columns[name] = {"mean": _column([_short(_mean(values["mean"][g]), 3) for g in groups])}
        if name == "queue":
            columns[name]["min"] = _column([_short(min(values["min"][g])) for g in groups])
            columns[name]["max"] = _column([_short(max(values["max"][g])) for g in groups])
    return columns


def _column(values: list[float | None]) -> list[float | None] | float:
    first = values[0]
    return first if first is not None and all(value == first for value in values) else values


def _axes(comparison: Comparison) -> list[dict[str, Any]]:
    """The swept paths with more than one value: numbers by size and in one unit, texts as they were given."""
    axes = []
    for path in dict.fromkeys(path for point in comparison.points for path in point.vary):
        all_values = [point.vary[path] for point in comparison.points if path in point.vary]
        distinct = [value for at, value in enumerate(all_values) if value not in all_values[:at]]
        if len(distinct) < 2:
            continue
        numbers = as_numbers(distinct)
        if numbers is not None:
            distinct.sort(key=axis_sort_key)
        amounts, unit = as_numbers(distinct) or (None, "")
        title = axis_title(path)
        axes.append({
            "path": path,
            "title": f"{title} ({unit})" if unit else title,
            "values": distinct,
            "labels": [f"{amount:.12g}" for amount in amounts] if amounts else list(map(setting_text, distinct)),
            "words": [swept_value_text(path, value) for value in distinct],
            "numbers": amounts,
            "log": amounts is not None and needs_log_axis(amounts),
        })  # fmt: skip
    return axes


def _metrics(comparison: Comparison, units: Mapping[tuple[str, str], DisplayUnit], place: str) -> list[dict[str, Any]]:
    """Means and ends of the intervals of a place's metrics, for each scheme a list over the points."""
    entries = []
    for name in comparison.metrics[place]:
        about, scale = find_metric(name), units[place, name]
        cells = [
            [comparison.cell(s, p, place, name) for p in range(len(comparison.points))]
            for s in range(len(comparison.schemes))
        ]
        if all(cell is None or cell.mean == 0 for row in cells for cell in row):
            continue
        possible = [[cell and _possible(cell, about) for cell in row] for row in cells]
        entries.append({
            "name": name, "title": about.title, "unit": scale.unit, "better": about.better, "key": about.key,
            "whole": about.quantity in AXES_OF_COUNTS,
            "top": about.range[1] * scale.factor if math.isfinite(about.range[1]) else None,
            "mean": [[c and _scaled(c.mean, scale) for c in row] for row in possible],
            "low": [[c and _scaled(c.low, scale) for c in row] for row in possible],
            "high": [[c and _scaled(c.high, scale) for c in row] for row in possible],
        })  # fmt: skip
    return entries


def _table_row(row: Json, runs: int) -> dict[str, Any]:
    """A row of a table for all points: texts of the cells, which of them lead, and numbers of runs that differ."""
    marks = {"": "0", "shared": "1", "best": "2"}
    entry: dict[str, Any] = {
        "name": row["metric"].name,
        "unit": row["unit"],
        "cells": [
            "|".join(c["text"] + (f"±{c['half']}" if c["half"] else "") for c in cells) for cells in row["points"]
        ],
        "leads": ["".join(marks[c["lead"]] for c in cells).rstrip("0") for cells in row["points"]],
    }
    if any(c["runs"] not in (0, runs) for cells in row["points"] for c in cells):
        entry["runs"] = [[c["runs"] for c in cells] for cells in row["points"]]
    return entry


def _distributions(comparison: Comparison, place: str) -> list[dict[str, Any]]:
    """Distributions in percent: for each scheme and point a list over the bins, with intervals and runs.

    A list ends where all further values are 0.
    """
    entries = []
    for name in in_catalogue_order({n for _, _, p, n in comparison.distributions if p == place}):
        parts = {k[:2]: v for k, v in comparison.distributions.items() if k[2:] == (place, name)}
        bins = _shown_bins(list(parts.values()))
        columns: dict[str, list[list[Any]]] = {"mean": [], "low": [], "high": [], "runs": []}
        for s in range(len(comparison.schemes)):
            row = [parts.get((s, p)) for p in range(len(comparison.points))]
            columns["mean"].append([r and _shares([r[b].mean if b in r else 0.0 for b in bins]) for r in row])
            columns["low"].append([r and _shares([_low(r.get(b)) for b in bins]) for r in row])
            columns["high"].append([r and _shares([_high(r.get(b)) for b in bins]) for r in row])
            columns["runs"].append([r and next(iter(r.values())).runs for r in row])
        entries.append({**_about(name), "first": bins[0].low, "width": bins[0].high - bins[0].low + 1, **columns})
    return entries


def _run_distributions(numbers: Json) -> list[dict[str, Any]]:
    entries = []
    for name in in_catalogue_order({name for name in numbers if is_distribution(name)}):
        shares = numbers[name]
        if isinstance(shares, list) and any(shares):
            last = max((k for k, share in enumerate(shares) if share >= SMALLEST_SHARE), default=0)
            column = [[_shares(shares[: last + 1])]]
            columns = {"mean": column, "low": column, "high": column, "runs": [[1]]}
            entries.append({**_about(name), "first": first_distribution_value(name), "width": 1, **columns})
    return entries


def _about(name: str) -> dict[str, str]:
    about = find_metric(name)
    return {"name": name, "title": about.title, "of": "waiting packets" if "length" in name else "packets"}


def _possible(cell: Estimate, about: Metric) -> Estimate:
    """The estimate, with its interval cut to the possible values."""
    return cell if cell.ci95 is None else replace(cell, ci95=about.possible(*cell.ci95))


def _shown_bins(parts: Sequence[Mapping[DistributionBin, Estimate]]) -> list[DistributionBin]:
    """The bins of a distribution, without those at the end that are rare for all schemes."""
    bins = sorted({b for shares in parts for b in shares}, key=lambda b: b.low)
    last = max((b.low for shares in parts for b, c in shares.items() if c.mean >= SMALLEST_SHARE), default=0)
    return [b for b in bins if b.low <= last] or bins[:1]


def _low(share: Estimate | None) -> float:
    return 0.0 if share is None else max(share.mean if share.low is None else share.low, 0.0)


def _high(share: Estimate | None) -> float:
    return 0.0 if share is None else min(share.mean if share.high is None else share.high, 1.0)


def _mean(values: Sequence[float | None]) -> float:
    finite = [v for v in values if v is not None]
    return sum(finite) / len(finite) if finite else math.nan


def _shares(values: Sequence[float]) -> list[float | None]:
    """Shares in percent, to a thousandth."""
    percents = [_short(round(share * 100, 3), 4) if share else 0 for share in values]
    while percents and percents[-1] == 0:
        percents.pop()
    return percents


def _scaled(value: float | None, scale: DisplayUnit) -> float | None:
    return None if value is None else _short(value * scale.factor)


def _short(value: float, digits: int = 5) -> float | None:
    """A number for a chart in few characters; None where JSON has no number."""
    if not math.isfinite(value):
        return None
    short = round_to_digits(value, digits)
    return int(short) if abs(short) < 1e15 and short == int(short) else short
