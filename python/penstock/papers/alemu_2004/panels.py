"""Several panels of curves in one figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from matplotlib.figure import Figure

from penstock.plots import style
from penstock.results.summary_table import SummaryTable

NAMES = {
    "AQS": "mean queue (packets)", "VQS": "variance of the queue", "PLR": "loss (%)", "PLRBC": "loss before (%)",
    "empty": "P(X=0) (%)", "LU": "utilization (%)", "F": "Jain's index", "flows": "flows",
    "max_th": "Max (packets)", "min_th": "Min (packets)", "high": "largest max_p", "k": "data packets k",
}  # fmt: skip


@dataclass(frozen=True)
class Panel:
    """`y` against `x`, a line for each value of `by`."""

    x: str
    y: str
    by: str
    where: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""


def of(*panels: Panel, columns: int = 2) -> Callable[[SummaryTable], Figure]:
    """The figure of these panels."""
    return partial(draw, panels=panels, columns=columns)


def for_each_load(x: str, y: str, by: str) -> Callable[[SummaryTable], Figure]:
    """The figure with a panel for each number of flows."""
    return lambda shown: draw(shown, [Panel(x, y, by, {"flows": n}, f"{n} flows") for n in shown.axis("flows")])


def draw(shown: SummaryTable, panels: Sequence[Panel], columns: int = 2) -> Figure:
    """The panels, row by row; those without points are left out."""
    full = [panel for panel in panels if shown.where(**panel.where).along(panel.x, panel.y)]
    columns = min(columns, len(full))
    rows = -(-len(full) // columns)
    with style.styled():
        figure = Figure(figsize=(style.WIDTH * columns, 1.9 * rows + 0.3), layout="constrained")
        axes = list(figure.subplots(rows, columns, squeeze=False).flat)
        for ax in axes[len(full) :]:
            ax.set_axis_off()
        lines: dict[str, Any] = {}
        for ax, panel in zip(axes, full, strict=False):
            part = shown.where(**panel.where)
            for index, value in enumerate(shown.axis(panel.by)):
                points = [(x, p) for x, p in part.along(panel.x, panel.y, **{panel.by: value}) if p.mean == p.mean]
                if points:
                    lines[str(value)] = ax.errorbar(
                        [x for x, _ in points], [p.mean for _, p in points], [p.half_width or 0.0 for _, p in points],
                        elinewidth=0.6, **style.line(index),
                    )  # fmt: skip
            ax.set_title(panel.title, size=7)
            ax.set_xlabel(NAMES.get(panel.x, panel.x))
            ax.set_ylabel(NAMES.get(panel.y, panel.y))
        named_by = ", ".join(dict.fromkeys(NAMES.get(panel.by, panel.by) for panel in full))
        note = "".join(style.lines_are(named_by, lines)) or None
        style.legend(figure, 4 * columns, lines, title=note, title_fontsize=6.5)
    return figure
