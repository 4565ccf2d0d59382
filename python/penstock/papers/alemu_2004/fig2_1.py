"""Figure 2.1: proximity and change of the average at PSAND's steps (Section 2.3)."""

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.plots import style
from penstock.plots.curves import draw_over_time, time_course
from penstock.reproduce.figure import QuickOrFull, SummaryTable, Sweep, every, metric

from .measures import Numbers
from .setup import KT, claim, psand, slow_link_scenario


def _keep(run: ps.Run) -> Mapping[str, Any]:
    """The average before each step, and every 0.1 s."""
    average = np.asarray(run.series["bottleneck"]["avg"]["mean"])
    return {
        "average": [round(float(x), 4) for x in average[49::50]],
        "course": [round(float(x), 3) for x in average[9::10]],
    }


# 10 s with 23 flows that start at once (guess 11: the load is not given).
study = Sweep(
    lambda flows: slow_link_scenario(psand(), flows - 3, base=("0s", "0s", "0s"), first="0s", duration="10s"),
    {"flows": [23]},
    seeds=QuickOrFull(5, 20),
    keep=_keep,
)


def measure(run: ps.Run) -> Numbers:
    """Numbers of steps at which both ratios are above 1, and below 1; for seed 1, the average over time."""
    average = np.array(run.raw["kept"]["average"])
    proximity, change = average[1:] / KT, average[1:] / np.maximum(average[:-1], 1e-9)
    numbers: Numbers = {
        "both above": float(((proximity > 1) & (change > 1)).sum()),
        "both below": float(((proximity < 1) & (change < 1)).sum()),
    }
    if run.seed == 1:
        numbers |= {f"WAQS@{at / 10:g}": value for at, value in enumerate(run.raw["kept"]["course"], 1)}
        numbers |= {f"step@{at / 2:g}": float(value) for at, value in enumerate(average, 1)}
    return numbers


CLAIMS = (
    claim(
        "fig2.1/c1",
        every(metric("both above") >= 1, metric("both below") >= 1),
        "at least one of each in 10 s (the instants of the figure are not legible)",
        must_hold=True,
    ),
)


def draw(summary: SummaryTable) -> Figure:
    """Figure of seed 1's average queue; a step's marker shows whether both ratios are above 1, below 1, or neither."""
    figure = draw_over_time({"weighted average": time_course(summary, "WAQS")}, "queue (packets)", levels=[KT])
    steps = time_course(summary, "step")
    marks: dict[str, list[tuple[float, float]]] = {"^": [], "v": [], "o": []}
    for (_, before), (at, now) in itertools.pairwise(steps):
        ratios = (now / KT, now / max(before, 1e-9))
        marks["^" if min(ratios) > 1 else "v" if max(ratios) < 1 else "o"].append((at, now))
    names = {"^": "both ratios above 1", "v": "both below 1", "o": "neither"}
    with style.figure_style():
        (ax,) = figure.axes
        for marker, points in marks.items():
            ax.plot(*zip(*points, strict=True), marker, color=style.COLOURS[0], label=names[marker], clip_on=False)
        ax.set_xticks(range(11))
        for legend in figure.legends:
            legend.remove()
        style.add_legend(figure, 2)
    return figure
