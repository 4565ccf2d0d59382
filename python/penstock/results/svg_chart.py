"""Small charts of a comparison as SVG for notebooks, drawn without further packages or scripts."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

from penstock.results.cell import Cell
from penstock.results.display import Scale, decimals, number
from penstock.results.quantity import logarithmic

__all__ = ["SHAPES", "interval_panel", "legend", "line_panel", "shape_of"]

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

# Colours that are legible on white and on black.
INKS = ("#7b8494", "#2f8fd0", "#e8743b", "#1a9c7c", "#c76aa8", "#cf9518", "#5cb5e8", "#a58350")

WIDTH, PAD = 196, 8


def shape_of(index: int) -> int:
    """The index of a scheme's marker shape: where colours repeat, another shape of the same colour.

    >>> [shape_of(index) for index in (0, 7, 8, 9, 16)]
    [0, 7, 3, 4, 6]
    """
    return (index + 3 * (index // len(SHAPES))) % len(SHAPES)


def marker(index: int, x: float, y: float) -> str:
    """The marker of a scheme at a point of a chart."""
    shape, ink = SHAPES[shape_of(index)], INKS[index % len(INKS)]
    return f'<path transform="translate({x:.1f} {y:.1f})scale(3.4)" fill="{ink}" d="{shape}"/>'


def legend(labels: Sequence[str]) -> str:
    """The legend: the markers with the names of the schemes."""
    items = (
        f'<span style="white-space:nowrap;margin-right:12px"><svg width="12" height="12" viewBox="-5 -5 10 10">'
        f"{marker(i, 0, 0)}</svg> {html.escape(label)}</span>"
        for i, label in enumerate(labels)
    )
    return f"<div>{''.join(items)}</div>"


def interval_panel(title: str, cells: Sequence[Cell | None], scale: Scale) -> str:
    """Means with their 95 % intervals, one lane per scheme. Empty if there are no numbers."""
    known = {i: cell for i, cell in enumerate(cells) if cell is not None}
    low, high = _range(list(known.values()))
    if not known:
        return ""
    bottom = 22 + 13 * len(cells)

    def at(value: float) -> float:
        return PAD + (value - low) / ((high - low) or 1.0) * (WIDTH - 2 * PAD)

    parts = []
    for i, cell in known.items():
        y, ink = 25 + 13 * i, INKS[i % len(INKS)]
        if cell.low is not None and cell.high is not None:
            parts.append(f'<path stroke="{ink}" d="M{at(cell.low):.1f} {y}H{at(cell.high):.1f}"/>')
        parts.append(marker(i, at(cell.mean), y))
    ends = f'<text x="{PAD}" y="{bottom + 14}">{_end(low, high, scale)}</text>'
    ends += f'<text x="{WIDTH - PAD}" y="{bottom + 14}" text-anchor="end">{_end(high, low, scale)}</text>'
    return _panel(title, scale, bottom + 20, f'<path stroke="#8886" d="M{PAD} {bottom}H{WIDTH - PAD}"/>{ends}', parts)


def line_panel(title: str, xs: Sequence[float], rows: Sequence[Sequence[Cell | None]], scale: Scale) -> str:
    """Means with their 95 % intervals against a swept number, one line per scheme. Empty if there are no numbers."""
    low, high = _range([cell for row in rows for cell in row if cell is not None])
    if not any(cell is not None for row in rows for cell in row):
        return ""
    start, top, bottom, left, right = 48, 24.0, 124.0, min(xs), max(xs)
    place = math.log if logarithmic(xs) else float

    def across(x: float) -> float:
        return start + (place(x) - place(left)) / ((place(right) - place(left)) or 1.0) * (WIDTH - PAD - start)

    def up(y: float) -> float:
        return bottom - (y - low) / ((high - low) or 1.0) * (bottom - top)

    parts = []
    for i, row in enumerate(rows):
        points = sorted(((x, c) for x, c in zip(xs, row, strict=True) if c is not None), key=lambda point: point[0])
        ink = INKS[i % len(INKS)]
        track = " ".join(f"{across(x):.1f},{up(cell.mean):.1f}" for x, cell in points)
        parts.append(f'<polyline fill="none" stroke="{ink}" points="{track}"/>')
        for x, cell in points:
            if cell.low is not None and cell.high is not None:
                parts.append(f'<path stroke="{ink}" d="M{across(x):.1f} {up(cell.low):.1f}V{up(cell.high):.1f}"/>')
            parts.append(marker(i, across(x), up(cell.mean)))
    frame = f'<path stroke="#8886" d="M{start} {bottom + 6}H{WIDTH - PAD}"/>'
    for x, y, anchor, text in (
        (start - 6, top + 4, "end", _end(high, low, scale)),
        (start - 6, bottom + 3, "end", _end(low, high, scale)),
        (start, 142, "start", f"{left:g}"),
        (WIDTH - PAD, 142, "end", f"{right:g}"),
    ):
        frame += f'<text x="{x}" y="{y}" text-anchor="{anchor}" opacity=".7">{text}</text>'
    return _panel(title, scale, 146, frame, parts)


def _range(cells: Sequence[Cell]) -> tuple[float, float]:
    lows = [cell.mean if cell.low is None else cell.low for cell in cells]
    highs = [cell.mean if cell.high is None else cell.high for cell in cells]
    return min(lows, default=0.0), max(highs, default=0.0)


def _end(value: float, other: float, scale: Scale) -> str:
    return number(value * scale.factor, min(decimals([value * scale.factor, other * scale.factor]), 3))


def _panel(title: str, scale: Scale, height: int, frame: str, parts: Sequence[str]) -> str:
    unit = f" ({scale.unit})" if scale.unit else ""
    words = html.escape(f"{title}{unit}")
    return (
        f'<svg width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{words}"'
        f' font-size="10.5" fill="currentColor"><text x="{PAD}" y="12">{words}</text>{frame}{"".join(parts)}</svg>'
    )
