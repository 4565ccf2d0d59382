"""Figures in the ways of the thesis: panels of curves, queues over time, networks, rows of boxes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from matplotlib.figure import Figure

import penstock as ps
from penstock.plots import curves, panels, style
from penstock.plots.panels import Panel
from penstock.results.summary_table import SummaryTable
from penstock.scenario.network_drawing import topology_lines

from .setup import BUFFER, KT

__all__ = ["Panel", "draw", "draw_queues_over_time", "figure_per_load", "network", "panel_figure", "strips"]

NAMES = {
    "AQS": "mean queue (packets)", "VQS": "variance of the queue", "PLR": "loss (%)", "PLRBC": "loss before (%)",
    "empty": "P(X=0) (%)", "LU": "utilization (%)", "F": "Jain's index", "flows": "flows",
    "max_th": "Max (packets)", "min_th": "Min (packets)", "high": "largest max_p", "k": "data packets k",
    **{f"LRL{i}": f"LRL({i}) (% of loss runs)" for i in (1, 2, 3)},
    **{f"{low} to {high}": f"P({low}<X<={high}) (%)" for low, high in ((5, 15), (8, 11), (20, 35), (25, 35))},
}  # fmt: skip
draw = partial(panels.draw, names=NAMES)
GREY = "#d9dde5"
COURSES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "IQS": ("instantaneous queue", {"color": "#8a92a0", "linewidth": 0.4}),
    "WAQS": ("weighted average", {"color": style.COLOURS[1], "linewidth": 1.1}),
}
"""Legend and look of the quantities over time."""


def panel_figure(*panels: Panel, columns: int = 2) -> Callable[[SummaryTable], Figure]:
    """The figure of these panels."""
    return partial(draw, panels=panels, columns=columns)


def figure_per_load(x: str, y: str, by: str) -> Callable[[SummaryTable], Figure]:
    """The figure with a panel for each number of flows."""
    return lambda summary: draw(summary, [Panel(x, y, by, {"flows": n}, f"{n} flows") for n in summary.axis("flows")])


def draw_queues_over_time(
    summary: SummaryTable, cells: Mapping[str, Mapping[str, Any]], printed: Mapping[str, float] | None = None
) -> Figure:
    """A panel for each cell: instantaneous queue, its weighted average if recorded, and the target, over time.

    Args:
        summary: cells with numbers of `measures.course`.
        cells: the labels of each panel's cell, by the name of the panel.
        printed: levels of the average that the text has for the end of the course, by the name of the panel.
    """
    columns = min(2, len(cells))
    rows = -(-len(cells) // columns)
    with style.figure_style():
        figure = Figure(figsize=(style.WIDTH * columns, 1.5 * rows + 0.4), layout="constrained")
        axes = list(figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flat)
        lines: dict[str, Any] = {}
        for letter, ax, (name, labels) in zip("abcdef", axes, cells.items(), strict=False):
            for quantity, (label, look) in COURSES.items():
                if points := curves.time_course(summary, quantity, **labels):
                    (lines[label],) = ax.plot(*zip(*points, strict=True), **look)
            lines["target"] = ax.axhline(KT, color="black", linewidth=0.4)
            if name in (printed or {}):
                (lines["printed average"],) = ax.plot([60, 100], 2 * [(printed or {})[name]], "k--", linewidth=1)
            ax.set_title(f"({letter}) {name}" if len(cells) > 1 else name)
            ax.set_ylim(0, BUFFER + 1)
            ax.set_xlim(*map(round, ax.dataLim.intervalx))
        for ax in axes[len(cells) :]:
            ax.set_axis_off()
        figure.supxlabel("time (s)", size=8)
        figure.supylabel("queue (packets)", size=8)
        style.add_legend(figure, 2 * columns, lines)
    return figure


def network(scenario: ps.Scenario) -> Figure:
    """Figure of the network of a scenario, as `penstock check` draws it."""
    lines = topology_lines(scenario.resolve().readable)
    with style.figure_style():
        figure = Figure(figsize=(0.057 * max(map(len, lines)) + 0.1, 0.11 * len(lines) + 0.1))
        figure.text(0.01, 0.5, "\n".join(lines), family="DejaVu Sans Mono", size=6.5, va="center")
    return figure


def strips(rows: Mapping[str, Sequence[str]], columns: Sequence[str], x: str, filled: str = "1") -> Figure:
    """Figure with a row of boxes under each name; boxes whose text begins with `filled` are shaded."""
    with style.figure_style():
        figure, ax = style.single_panel(height=0.22 * len(rows) + 0.5)
        for y, texts in enumerate(rows.values()):
            colours = [GREY if text.startswith(filled) else "white" for text in texts]
            ax.barh([y] * len(texts), 1, height=0.8, left=range(len(texts)), color=colours, edgecolor="black", lw=0.4)
            for place, text in enumerate(texts):
                ax.text(place + 0.5, y, text, size=6.5, ha="center", va="center")
        ax.set_yticks(range(len(rows)), list(rows))
        ax.set_xticks([place + 0.5 for place in range(len(columns))], columns)
        ax.set_xlabel(x)
        ax.invert_yaxis()
        ax.grid(visible=False)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    return figure
