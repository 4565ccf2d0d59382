"""Several panels of curves in one figure, with one legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from penstock.plots import style
from penstock.results.metrics import Range
from penstock.results.summary_table import SummaryTable

__all__ = ["Panel", "draw"]


@dataclass(frozen=True)
class Panel:
    """A panel: `y` against `x` with intervals, a line for each value of `by`, in the cells with the labels `where`."""

    x: str
    y: str
    by: str
    where: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""


def draw(
    table: SummaryTable,
    panels: Sequence[Panel],
    columns: int = 2,
    names: Mapping[str, str] | None = None,
    *,
    size: tuple[float, float] | None = None,
    one_y_axis: bool = False,
    connected: bool = True,
    note: str = "",
    possible: Range | None = None,
) -> Figure:
    """Draw the panels row by row, without those that have no points.

    Args:
        table: the cells.
        panels: what each panel shows.
        columns: largest number of panels beside each other.
        names: names of axes, with units.
        size: width of the figure and height of a row of panels in inches; by default panels of a column's width.
        one_y_axis: whether all panels have the same range of y, with numbers on the left only.
        connected: whether lines connect the points, as between numbers, or not, as between names.
        note: a further note above the legend.
        possible: the range within which intervals are drawn; by default that of the name of each panel's `y`.
    """
    full = [panel for panel in panels if table.where(**panel.where).along(panel.x, panel.y)]
    titles = names or {}
    columns = min(columns, len(full))
    rows = -(-len(full) // columns)
    width, height = size or (style.WIDTH * columns, 1.9)
    with style.figure_style():
        figure = Figure(figsize=(width, height * rows + 0.3), layout="constrained")
        axes = list(figure.subplots(rows, columns, squeeze=False, sharey=one_y_axis).flat)
        for ax in axes[len(full) :]:
            ax.set_axis_off()
        lines: dict[str, Any] = {}
        for number, (ax, panel) in enumerate(zip(axes, full, strict=False)):
            within = possible or style.possible_range(titles.get(panel.y, panel.y))
            lines |= _lines(ax, table, panel, within, connected=connected)
            if not one_y_axis:
                style.limit_y_axis(ax, within)
            ax.set_title(panel.title, size=7)
            ax.set_xlabel(titles.get(panel.x, panel.x))
            if not (one_y_axis and number % columns):
                ax.set_ylabel(titles.get(panel.y, panel.y))
        named_by = ", ".join(dict.fromkeys(titles.get(panel.by, panel.by) for panel in full))
        notes = [*style.line_quantity_note(named_by, lines, connected=connected), *([note] if note else [])]
        title = "; ".join(notes) or None
        style.add_legend(figure, 4 * columns, lines, title=title, title_fontsize=6.5)
    return figure


def _lines(ax: Axes, table: SummaryTable, panel: Panel, possible: Range, *, connected: bool) -> dict[str, Any]:
    """Draw the lines of a panel; they have the same colours in all panels."""
    part, lines = table.where(**panel.where), {}
    for index, value in enumerate(table.axis(panel.by)):
        points = [(x, p) for x, p in part.along(panel.x, panel.y, **{panel.by: value}) if p.mean == p.mean]
        if points:
            lines[str(value)] = style.draw_with_intervals(
                ax, [x for x, _ in points], [p.mean for _, p in points], [p.half_width or 0.0 for _, p in points],
                possible,
                **style.line_style(index) | ({} if connected else {"linestyle": "none"}),
            )  # fmt: skip
    return lines
