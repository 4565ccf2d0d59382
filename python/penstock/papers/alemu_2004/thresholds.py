"""What Figures 3.1 to 3.4 have in common: PSAND with each pair of thresholds at each load (Section 3.2.1)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import panels
from penstock.papers.alemu_2004.panels import Panel
from penstock.papers.alemu_2004.setup import LOADS, load, psand
from penstock.reproduce.figure import Choice, SummaryTable, Sweep

MINIMA = [0, 2, 5, 7, 9.5]
MAXIMA = [10.5, 13, 15, 18, 20, 25, 30, 35]


def pairs(minima: Collection[float] = MINIMA, maxima: Collection[float] = MAXIMA) -> Sweep:
    """All pairs, or some rows or columns of them."""
    return Sweep(
        lambda min_th, max_th, flows: load(psand(min_th=min_th, max_th=max_th), flows),
        {
            "min_th": Choice(*([x for x in tried if x in minima] for tried in ([0, 5, 9.5], MINIMA))),
            "max_th": Choice(*([x for x in tried if x in maxima] for tried in ([10.5, 20, 35], MAXIMA))),
            "flows": Choice([3, 53, 103], LOADS),
        },
        seeds=Choice(5, 100),
    )


def against_max(minima: Sequence[float]) -> Callable[[SummaryTable], Figure]:
    """AQS and VQS against Max, two panels for each Min."""
    where = [(y, {"min_th": low}, f"Min {low:g}") for low in minima for y in ("AQS", "VQS")]
    return panels.of(*(Panel("max_th", y, "flows", at, title) for y, at, title in where))


def against_min(maxima: Sequence[float]) -> Callable[[SummaryTable], Figure]:
    """AQS and VQS against Min, two panels for each Max."""
    where = [(y, {"max_th": high}, f"Max {high:g}") for high in maxima for y in ("AQS", "VQS")]
    return panels.of(*(Panel("min_th", y, "flows", at, title) for y, at, title in where))
