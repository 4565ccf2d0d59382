"""Figure 2.1: proximity and change of the average at PSAND's steps (Section 2.3)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

import penstock as ps
from penstock.reproduce.figure import CurveFigure, QuickOrFull, Sweep, every, metric

from .measures import Numbers
from .setup import KT, claim, psand, slow_link_scenario


def _keep(run: ps.Run) -> Mapping[str, Any]:
    """The average before each step."""
    average = np.asarray(run.series["bottleneck"]["avg"]["mean"])
    return {"average": [round(float(x), 4) for x in average[49::50]]}


# 10 s with 23 flows that start at once (guess 11: the load is not given).
study = Sweep(
    lambda flows: slow_link_scenario(psand(), flows - 3, base=("0s", "0s", "0s"), first="0s", duration="10s"),
    {"flows": [23]},
    seeds=QuickOrFull(5, 20),
    keep=_keep,
)


def measure(run: ps.Run) -> Numbers:
    """Numbers of steps at which both ratios are above 1, and below 1."""
    average = np.array(run.raw["kept"]["average"])
    proximity, change = average[1:] / KT, average[1:] / np.maximum(average[:-1], 1e-9)
    return {
        "both above": float(((proximity > 1) & (change > 1)).sum()),
        "both below": float(((proximity < 1) & (change < 1)).sum()),
    }


CLAIMS = (
    claim(
        "fig2.1/c1",
        every(metric("both above") >= 1, metric("both below") >= 1),
        "at least one of each in 10 s (the instants of the figure are not legible)",
        must_hold=True,
    ),
)

draw = CurveFigure("flows", "both above", "flows", labels=("flows", "steps with both ratios above 1"))
