"""The tables and the small inline pictures of a page, ready for the template."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from markupsafe import Markup

from penstock.results.cell import Cell, drawn
from penstock.results.comparison import ComparedScheme, Comparison
from penstock.results.display import Scale, decimals, number, scale_for
from penstock.results.metrics import Metric, metric, order
from penstock.results.svg_chart import SHAPES
from penstock.results.trade_off import costly

COLOURS = 8

LONGEST_LABEL = 20
"""Characters of a scheme's label in charts and heads of tables; a longer one is replaced by a letter, with a key."""


def marker(index: int) -> Markup:
    """The marker of scheme `index` within text."""
    return Markup('<svg class="mk c{}" viewBox="-1.5 -1.5 3 3" aria-hidden="true"><path d="{}"/></svg>').format(
        index % COLOURS, SHAPES[index % len(SHAPES)]
    )


def short_labels(schemes: Sequence[ComparedScheme]) -> list[str]:
    """A short label for each scheme: its own, or its name with a letter where its own is long: `red A`."""
    letters = (f"{ascii_uppercase[at % 26]}{at // 26 or ''}" for at in itertools.count())
    return [s.label if len(s.label) <= LONGEST_LABEL else f"{s.name} {next(letters)}" for s in schemes]


def scales(found: Comparison) -> dict[tuple[str, str], Scale]:
    """One unit per (place, metric) for all swept values, so that tables can be compared."""
    values: dict[tuple[str, str], list[float]] = {}
    for (_, _, place, name), cell in found.cells.items():
        values.setdefault((place, name), []).append(cell.mean)
    return {key: scale_for(metric(key[1]).quantity, numbers) for key, numbers in values.items()}


def table(found: Comparison, units: Mapping[tuple[str, str], Scale], place: str, point: int) -> list[dict[str, Any]]:
    """Groups of rows, with one row per metric and one cell per scheme."""
    rows = []
    for name in found.metrics[place]:
        cells = found.row(point, place, name)
        if all(c is None for c in cells):
            continue
        about, scale = metric(name), units[place, name]
        leads = found.leads(point, place, name)
        flat = all(c is None or c.mean == 0 for c in cells)
        rows.append({
            "metric": about, "unit": scale.unit, "key": about.key and not flat,
            "cells": _cells(about, cells, scale, leads),
            "strip": strip(about, cells, scale),
        })  # fmt: skip
    return _grouped(rows)


def run_table(columns: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Groups of rows of a single run, with one row per metric and one cell per link or group of flows."""
    names = {n for values in columns.values() for n, v in values.items() if isinstance(v, int | float)}
    rows = []
    for name in order(names):
        about = metric(name)
        values = [columns[c].get(name) for c in columns]
        scale = scale_for(about.quantity, [v for v in values if v is not None])
        single = [None if v is None else Cell(v, None, None, 1) for v in values]
        cells = _cells(about, single, scale, [""] * len(values))
        key = about.key and any(values)
        rows.append({"metric": about, "unit": scale.unit, "key": key, "cells": cells, "strip": None})
    return _grouped(rows)


def summary(found: Comparison, place: str) -> list[dict[str, Any]]:
    """For each key metric with a direction, the leading schemes at each swept value, and what they cost the link."""
    rows = []
    for name in found.metrics[place]:
        about = metric(name)
        if not about.key or not about.better:
            continue
        cells = []
        for point in range(len(found.points)):
            leads = found.leads(point, place, name)
            front = [i for i, m in enumerate(leads) if m]
            others = [i for i, m in enumerate(leads) if not m] if len(front) > len(leads) / 2 else []
            lost = costly(found.row(point, place, "utilization"))
            costs = [
                (scheme, f"{100 * lost[scheme]:.1f}") for scheme in front if scheme in lost and len(lost) < len(leads)
            ]
            kind = "shared" if costs else next((m for m in leads if m), "")
            cells.append({"kind": kind, "schemes": front, "others": others, "costs": dict(costs)})
        if any(c["kind"] for c in cells):
            rows.append({"metric": about, "cells": cells})
    return rows


def strip(about: Metric, cells: Sequence[Cell | None], scale: Scale, width: int = 132, lane: int = 5) -> Markup | None:
    """All schemes of one row on one scale: in each lane a marker for the mean and a line for the interval."""
    known = [(i, drawn(c, about)) for i, c in enumerate(cells) if c is not None and math.isfinite(c.mean)]
    if len(known) < 2:
        return None
    low = min(c.mean if c.low is None else c.low for _, c in known)
    high = max(c.mean if c.high is None else c.high for _, c in known)
    if high - low <= 1e-12 * max(abs(high), abs(low), 1e-300):
        return None
    height, pad = lane * len(cells) + 2, 5.0

    def at(value: float) -> float:
        return round(pad + (value - low) / (high - low) * (width - 2 * pad), 1)

    parts = []
    for i, c in known:
        y = lane * (i + 0.5) + 1
        if c.low is not None and c.high is not None and at(c.high) - at(c.low) > 0.5:
            parts.append(f'<path class="whisker" d="M{at(c.low)} {y:g}H{at(c.high)}"/>')
        shape = SHAPES[i % len(SHAPES)]
        parts.append(f'<path class="c{i % COLOURS}" transform="translate({at(c.mean)} {y:g})scale(2.6)" d="{shape}"/>')
    ends = [number(end * scale.factor, decimals([high * scale.factor])) for end in (low, high)]
    words = f"from {ends[0]} to {ends[1]} {scale.unit}".strip()
    svg = '<svg class="strip" viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}">{}</svg>'
    return Markup(svg).format(
        width, height, width, height, words, Markup("".join(parts))
    )  # fmt: skip


def _cells(about: Metric, cells: Sequence[Cell | None], scale: Scale, leads: Sequence[str]) -> list[dict[str, Any]]:
    """The cells of one row, all with the same decimals."""
    known = [c for c in cells if c is not None]
    places = decimals(
        (c.mean * scale.factor for c in known), (c.half_width * scale.factor for c in known if c.half_width is not None)
    )
    return [_cell(about, c, scale, places, lead) for c, lead in zip(cells, leads, strict=True)]


def _cell(about: Metric, cell: Cell | None, scale: Scale, places: int, lead: str) -> dict[str, Any]:
    if cell is None:
        return {"text": "–", "half": "", "lead": "", "tip": "this scheme has no such number"}
    mean = number(cell.mean * scale.factor, places + 1)
    if cell.low is None or cell.high is None or cell.half_width is None:
        half, interval = "", "n = 1, no interval"
    else:
        half = number(cell.half_width * scale.factor, places)
        ends = [number(end * scale.factor, places + 1) for end in about.possible(cell.low, cell.high)]
        interval = f"95 % interval {ends[0]} to {ends[1]}; n = {cell.runs}"
    text = number(cell.mean * scale.factor, places)
    return {"text": text, "half": half, "lead": lead, "tip": f"{mean} {scale.unit}".strip() + f"; {interval}"}


def _grouped(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        about: Metric = row["metric"]
        groups.setdefault(about.group, []).append(row)
    return [{"name": name, "rows": found, "key": any(r["key"] for r in found)} for name, found in groups.items()]
