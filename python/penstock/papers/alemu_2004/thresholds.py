"""What Figures 3.1 to 3.4 have in common: PSAND with each pair of thresholds at each load (Section 3.2.1)."""

from __future__ import annotations

from penstock.papers.alemu_2004.panels import Panel
from penstock.papers.alemu_2004.setup import LOADS, load, psand
from penstock.reproduce.experiment_run import Effort
from penstock.studies.study import Study

MINIMA = [0, 2, 5, 7, 9.5]
MAXIMA = [10.5, 13, 15, 18, 20, 25, 30, 35]


def study(effort: Effort, minima: list[float] | None = None, maxima: list[float] | None = None) -> Study:
    """All pairs, or some rows or columns of them."""
    quick_minima, quick_maxima = [0, 5, 9.5], [10.5, 20, 35]
    return Study(
        lambda min_th, max_th, flows: load(psand(min_th=min_th, max_th=max_th), flows),
        {
            "min_th": [low for low in effort.choose(quick_minima, MINIMA) if minima is None or low in minima],
            "max_th": [high for high in effort.choose(quick_maxima, MAXIMA) if maxima is None or high in maxima],
            "flows": effort.choose([3, 53, 103], LOADS),
        },
        seeds=effort.choose(5, 100),
    )


def against_max(minima: list[float]) -> list[Panel]:
    """AQS and VQS against Max, two panels for each Min."""
    return [Panel("max_th", y, "flows", {"min_th": low}, f"Min {low:g}") for low in minima for y in ("AQS", "VQS")]


def against_min(maxima: list[float]) -> list[Panel]:
    """AQS and VQS against Min, two panels for each Max."""
    return [Panel("min_th", y, "flows", {"max_th": high}, f"Max {high:g}") for high in maxima for y in ("AQS", "VQS")]
