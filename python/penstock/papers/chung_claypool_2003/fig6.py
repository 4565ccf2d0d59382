"""Figure 6: the mean window of all flows against the drop probability (Section III)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penstock.reproduce.figure import CurveFigure, Statement, Table, table_statement
from penstock.results.condition import Condition, all_of
from penstock.results.sample import RunSample, per_run

from .constant import GRID, SAME, drops_and_marks, over_delay, over_rate, queue_law
from .setup import claim

# All runs of figure 5.
study = (
    replace(drops_and_marks, vary={**drops_and_marks.vary, "by": ["drop"]}, labels={"figure": "5, top"})
    + replace(over_delay, labels={"figure": "5, middle"})
    + replace(over_rate, labels={"figure": "5, bottom"})
)


HEIGHT = float(queue_law("drop").window(GRID[0]))  # of the graph


def _alike(share: float, scale: Callable[[Any], float], text: str) -> Statement:
    """The windows of all cells with the same probability differ by at most a share of `scale`."""

    def relative_range(windows: NDArray[np.float64]) -> float:
        """Largest minus smallest window, divided by the result of `scale` for these windows."""
        return float((windows.max() - windows.min()) / scale(windows))

    def on(table: Table) -> Condition:
        windows: dict[float, list[RunSample]] = {}
        for labels, samples in table.cells:
            windows.setdefault(labels["p"], []).append(samples["window"])
        compared = {p: samples for p, samples in windows.items() if len(samples) > 2}
        return all_of((per_run(relative_range, at) <= share).at(f"p = {p:g}") for p, at in compared.items())

    return table_statement(on, text)


BY_MEAN = "(largest - smallest) / mean <= 15 % at each p"
CLAIMS = (
    claim(
        "c06",
        _alike(SAME, lambda _: HEIGHT, "at each p: largest - smallest <= 5 % of the height of the graph"),
        others={BY_MEAN: _alike(0.15, lambda windows: windows.mean(), BY_MEAN)},
    ),
)


def _lines(labels: Mapping[str, Any]) -> dict[str, str]:
    """A line for each run of figure 5, named by the number, delay or rate that it varies."""
    varied = {"flows": "N = {}", "rtld": "{:g} s", "rate": "{}"}
    return {text.format(labels[name]): "window" for name, text in varied.items() if name in labels}


draw = CurveFigure(
    "p",
    _lines,
    labels=("drop probability", "mean window (packets)"),
    theory=lambda _, p: float(queue_law("drop").window(p)),
    log="xy",
)
