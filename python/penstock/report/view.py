"""The tables and the small inline pictures of a page, ready for the template."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from markupsafe import Markup

from penstock.results.best_candidate import common_decimals
from penstock.results.comparison import Comparison
from penstock.results.display import DisplayUnit, display_unit, format_number
from penstock.results.estimate import Estimate
from penstock.results.metrics import Metric, find_metric, in_catalogue_order
from penstock.results.palette import LIGHT
from penstock.results.schemes import ComparedScheme

# Marker shapes in the order of the schemes: the same in tables, charts and legends. Centre (0, 0), radius about 1.
SHAPES: tuple[str, ...] = (
    "M1 0A1 1 0 1 1-1 0A1 1 0 1 1 1 0Z",
    "M-.9-.9H.9V.9H-.9Z",
    "M0-1.15 1.1.85H-1.1Z",
    "M0-1.25 1.25 0 0 1.25-1.25 0Z",
    "M0 1.15 1.1-.85H-1.1Z",
    "M-.4-1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4Z",
    "M0-1.3.38-.4 1.24-.4.55.15.8 1.05 0 .5-.8 1.05-.55.15-1.24-.4-.38-.4Z",
    "M-1-.5-.5-1 0-.5.5-1 1-.5.5 0 1 .5.5 1 0 .5-.5 1-1 .5-.5 0Z",
)

LONGEST_LABEL = 20
"""Maximum length of a scheme's label in charts and table heads; a longer label is abbreviated and listed in a key."""


def marker_definitions() -> Markup:
    """The shapes of markers, defined once for all uses; they are invisible here."""
    symbol = Markup('<symbol id="mk{}" viewBox="-1.5 -1.5 3 3"><path d="{}"/></symbol>')
    symbols = Markup("").join(symbol.format(at, shape) for at, shape in enumerate(SHAPES))
    return Markup('<svg class="markers" width="0" height="0" aria-hidden="true">{}</svg>').format(symbols)


def marker_shape_index(index: int) -> int:
    """The index of a scheme's marker shape; schemes with the same colour have different shapes.

    >>> [marker_shape_index(index) for index in (0, 7, 8, 9, 16)]
    [0, 7, 3, 4, 6]
    """
    return (index + 3 * (index // len(SHAPES))) % len(SHAPES)


def marker_svg(index: int) -> Markup:
    """The marker of scheme `index` within text: a use of one of `marker_definitions`."""
    return Markup('<svg class="mk c{}" aria-hidden="true"><use href="#mk{}"/></svg>').format(
        index % len(LIGHT), marker_shape_index(index)
    )


def short_labels(schemes: Sequence[ComparedScheme]) -> list[str]:
    """A short label for each scheme: its label or, if that is long, its name with a letter, as in `red A`."""
    letters = (f"{ascii_uppercase[at % 26]}{at // 26 or ''}" for at in itertools.count())
    return [s.label if len(s.label) <= LONGEST_LABEL else f"{s.name} {next(letters)}" for s in schemes]


def display_scales(comparison: Comparison) -> dict[tuple[str, str], DisplayUnit]:
    """One unit per (place, metric) for all swept values, so that tables can be compared."""
    values: dict[tuple[str, str], list[float]] = {}
    for (_, _, place, name), cell in comparison.cells.items():
        values.setdefault((place, name), []).append(cell.mean)
    return {key: display_unit(find_metric(key[1]).quantity, numbers) for key, numbers in values.items()}


def metric_tables(
    comparison: Comparison, units: Mapping[tuple[str, str], DisplayUnit], place: str
) -> list[dict[str, Any]]:
    """Groups of rows of a place: a row for each metric, with a list of the schemes' cells for each point."""
    rows = []
    for name in comparison.metrics[place]:
        about, scale = find_metric(name), units[place, name]
        points = [comparison.row(point, place, name) for point in range(len(comparison.points))]
        if all(cell is None for cells in points for cell in cells):
            continue
        flat = all(cell is None or cell.mean == 0 for cells in points for cell in cells)
        rows.append({
            "metric": about, "unit": scale.unit, "key": about.key and not flat,
            "points": [
                _cells(about, cells, scale, comparison.leading_schemes(at, place, name))
                for at, cells in enumerate(points)
            ],
        })  # fmt: skip
    return _grouped(rows)


def run_metric_table(columns: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Groups of rows of a single run, with one row per metric and one cell per link or group of flows."""
    names = {n for values in columns.values() for n, v in values.items() if isinstance(v, int | float)}
    rows = []
    for name in in_catalogue_order(names):
        about = find_metric(name)
        values = [columns[c].get(name) for c in columns]
        scale = display_unit(about.quantity, [v for v in values if v is not None])
        single = [None if v is None else Estimate(v, None, None, 1) for v in values]
        cells = _cells(about, single, scale, [""] * len(values))
        key = about.key and any(values)
        rows.append({"metric": about, "unit": scale.unit, "key": key, "points": [cells]})
    return _grouped(rows)


def leading_schemes_summary(comparison: Comparison, place: str) -> list[dict[str, Any]]:
    """For each key metric with a direction, the leading schemes at each swept value, and their cost in utilization."""
    rows = []
    for name in comparison.metrics[place]:
        about = find_metric(name)
        if not about.key or not about.better:
            continue
        cells = []
        for point in range(len(comparison.points)):
            leads = comparison.leading_schemes(point, place, name)
            front = [i for i, m in enumerate(leads) if m]
            others = [i for i, m in enumerate(leads) if not m] if len(front) > len(leads) / 2 else []
            lost = _lost(comparison.row(point, place, "utilization"), comparison.margin)
            costs = [
                (scheme, f"{100 * lost[scheme]:.1f}") for scheme in front if scheme in lost and len(lost) < len(leads)
            ]
            kind = "shared" if costs else next((m for m in leads if m), "")
            cells.append({"kind": kind, "schemes": front, "others": others, "costs": dict(costs)})
        if any(c["kind"] for c in cells):
            rows.append({"metric": about, "cells": cells, **_counts(cells, len(comparison.schemes))})
    return rows


def _lost(utilizations: Sequence[Estimate | None], margin: float) -> dict[int, float]:
    """How much the utilization of schemes is below the highest one, by index, if by more than `margin`."""
    utilization = {number: cell.mean for number, cell in enumerate(utilizations) if cell is not None}
    top = max(utilization.values(), default=0.0)
    return {number: top - mean for number, mean in utilization.items() if top - mean > margin}


def _counts(cells: Sequence[dict[str, Any]], schemes: int) -> dict[str, Any]:
    """The number of swept values at which each scheme is best, alone or together with others, in descending order.

    If no scheme is best, or more than half of them are best together, there is no clear best. `cost` is the largest
    loss of utilization, in percentage points, of a scheme where it is best.
    """
    fronts = [cell["schemes"] for cell in cells if cell["kind"] and not cell["others"]]
    counts: list[dict[str, Any]] = []
    for scheme in range(schemes):
        sizes = [len(front) for front in fronts if scheme in front]
        costs = [float(cell["costs"][scheme]) for cell in cells if scheme in cell["costs"]]
        cost = f"{max(costs):.1f}" if costs else ""
        if sizes:
            counts.append({"scheme": scheme, "alone": sizes.count(1), "all": len(sizes), "cost": cost})
    counts.sort(key=lambda entry: (-entry["all"], -entry["alone"]))
    return {"counts": counts, "unclear": len(cells) - len(fronts)}


def _cells(
    about: Metric, cells: Sequence[Estimate | None], scale: DisplayUnit, leads: Sequence[str]
) -> list[dict[str, Any]]:
    """The cells of one row, all with the same decimals."""
    places = common_decimals(cells, scale.factor)
    return [_cell(about, c, scale, places, lead) for c, lead in zip(cells, leads, strict=True)]


def _cell(about: Metric, cell: Estimate | None, scale: DisplayUnit, places: int, lead: str) -> dict[str, Any]:
    if cell is None:
        return {"text": "", "half": "", "lead": "", "tip": "this scheme has no such number", "runs": 0}
    mean = format_number(cell.mean * scale.factor, places + 1)
    if cell.low is None or cell.high is None or cell.half_width is None:
        half, interval = "", "n = 1, no interval"
    else:
        half = format_number(cell.half_width * scale.factor, places)
        ends = [format_number(end * scale.factor, places + 1) for end in about.possible(cell.low, cell.high)]
        interval = f"95 % interval {ends[0]} to {ends[1]}; n = {cell.runs}"
    text = format_number(cell.mean * scale.factor, places)
    tip = f"{mean} {scale.unit}".strip() + f"; {interval}"
    return {"text": text, "half": half, "lead": lead, "tip": tip, "runs": cell.runs}


def _grouped(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        about: Metric = row["metric"]
        groups.setdefault(about.group, []).append(row)
    return [{"name": name, "rows": members, "key": any(r["key"] for r in members)} for name, members in groups.items()]
