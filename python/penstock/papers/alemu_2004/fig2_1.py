"""Figure 2.1: proximity and change of the average at PSAND's steps (Section 2.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.alemu_2004.measures import Numbers
from penstock.papers.alemu_2004.setup import KT, link, psand
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]


def study(effort: Effort) -> Study:
    """10 s with 23 flows that start at once (guess 11: the load of the figure is not told)."""
    return Study(
        lambda flows: link(psand(), flows - 3, base=("0s", "0s", "0s"), first="0s", duration="10s"),
        {"flows": [23]},
        seeds=effort.choose(5, 20),
        keep=_keep,
    )


def _keep(run: ps.Run) -> Mapping[str, Any]:
    """The average before each step."""
    average = np.asarray(run.series["bottleneck"]["avg"]["mean"])
    return {"average": [round(float(x), 4) for x in average[49::50]]}


def measure(run: ps.Run) -> Numbers:
    """Steps at which both ratios are above 1, and below 1; their courses for seed 1."""
    average = np.array(run.raw["kept"]["average"])
    proximity, change = average[1:] / KT, average[1:] / np.maximum(average[:-1], 1e-9)
    return {
        "both above": float(((proximity > 1) & (change > 1)).sum()),
        "both below": float(((proximity < 1) & (change < 1)).sum()),
    }


def claims(table: Table) -> Iterator[Claim]:
    """Both cases occur."""
    yield Claim(
        id="fig2.1/c1",
        says="there are steps at which both ratios are below 1, and such at which both are above",
        expected="at least one of each in 10 s (the instants of the figure are not legible)",
        holds=all_of((table("both above") >= 1.0).at("above"), (table("both below") >= 1.0).at("below")),
        must_hold=True,
    )


def draw(shown: Shown) -> Figure:
    """The numbers of such steps."""
    return curves(shown, "flows", "both above", "flows", labels=("flows", "steps with both ratios above 1"))
