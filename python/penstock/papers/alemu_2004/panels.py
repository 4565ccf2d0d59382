"""Figures of several panels: curves with the names of the thesis, and queues over time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from penstock.plots import panels, style
from penstock.plots.panels import Panel
from penstock.results.summary_table import SummaryTable

from .setup import BUFFER, KT

__all__ = ["Panel", "draw", "draw_queues_over_time", "figure_per_load", "panel_figure"]

NAMES = {
    "AQS": "mean queue (packets)", "VQS": "variance of the queue", "PLR": "loss (%)", "PLRBC": "loss before (%)",
    "empty": "P(X=0) (%)", "LU": "utilization (%)", "F": "Jain's index", "flows": "flows",
    "max_th": "Max (packets)", "min_th": "Min (packets)", "high": "largest max_p", "k": "data packets k",
    **{f"LRL{i}": f"LRL({i}) (% of loss runs)" for i in (1, 2, 3)},
    **{f"{low} to {high}": f"P({low}<X<={high}) (%)" for low, high in ((5, 15), (8, 11), (20, 35), (25, 35))},
}  # fmt: skip
draw = partial(panels.draw, names=NAMES)
GREY = "#d9dde5"


def panel_figure(*panels: Panel, columns: int = 2) -> Callable[[SummaryTable], Figure]:
    """The figure of these panels."""
    return partial(draw, panels=panels, columns=columns)


def figure_per_load(x: str, y: str, by: str) -> Callable[[SummaryTable], Figure]:
    """The figure with a panel for each number of flows."""
    return lambda summary: draw(summary, [Panel(x, y, by, {"flows": n}, f"{n} flows") for n in summary.axis("flows")])


def draw_queues_over_time(
    summary: SummaryTable, cells: Mapping[str, Mapping[str, Any]], mean: str, colours: Iterable[str], height: float
) -> Figure:
    """A panel for each scheme whose cell has these labels: mean and range of the queue in each 2 s of 100 s."""
    with style.figure_style():
        figure = Figure(figsize=(style.WIDTH, height), layout="constrained")
        axes = figure.subplots(len(cells), 1, sharex=True, squeeze=False).flat
        for ax, (scheme, labels), colour in zip(axes, cells.items(), colours, strict=False):
            ((_, numbers),) = summary.where(**labels).cells
            seconds = 2 * np.arange(50) + 1
            lowest, highest, line = (
                [numbers[f"{name} at {i}"].mean for i in range(50)] for name in ("least", "most", mean)
            )
            ax.fill_between(seconds, lowest, highest, color=GREY, linewidth=0)
            ax.plot(seconds, line, color=colour)
            ax.axhline(KT, color="black", linewidth=0.4)
            ax.set_ylabel(scheme)
            ax.set_ylim(0, BUFFER + 1)
        ax.set_xlabel("time (s); queue in packets")
    return figure
