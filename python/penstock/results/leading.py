"""Which schemes lead: statements about many cells, decided by intervals that hold together.

All statements of a place, for each metric with a direction and each point of a sweep, are one family: with probability
95 % none of its intervals misses. From the runs, these are the intervals of the paired differences of all schemes, by
max-t (`penstock.results.simultaneous`). From means alone, as of a result that was read from a file of an earlier
version, they are those of the means and of the differences to the first scheme, by Bonferroni.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from penstock.results.cell import Cell, best, leaders
from penstock.results.metrics import Better, metric
from penstock.results.simultaneous import MOST_CELLS, adjusted_alpha
from penstock.results.summary import ALPHA, student_t, summarize

__all__ = ["Leading", "Values", "difference_data", "from_means", "from_runs", "run_values"]

Values = Mapping[tuple[str, str], npt.NDArray[np.float64]]
"""The numbers of each place and metric: points, schemes, runs; NaN where a run lacks the number."""

Interval = tuple[float, float]
Cells = Callable[[int, str, str], Sequence[Cell | None]]
"""The cells of all schemes at a point, place and metric."""


@dataclass(frozen=True)
class Leading:
    """The statements about a place.

    Attributes:
        place: the link or group of traffic.
        intervals: number of intervals that hold together.
        level: of each interval.
        paired: whether these are paired differences of all schemes, by max-t.
        fronts: the leading schemes for a metric and a point, by their indices; without an entry, none leads.

    """

    place: str
    intervals: int
    level: float
    paired: bool
    fronts: Mapping[tuple[str, int], Sequence[int]]


def run_values(
    rows: Iterable[Mapping[str, Any]],
    where: Callable[[Mapping[str, Any]], tuple[int, int]],
    shape: tuple[int, int, int],
    names: Iterable[tuple[str, str]],
) -> Values:
    """The numbers of these places and metrics from a row for each run.

    `where` gives point and scheme of a row; `shape` is the number of points, schemes and runs.
    """
    found = {name: np.full(shape, np.nan) for name in names}
    first: dict[tuple[int, int], int] = {}
    for row in rows:
        at = where(row)
        run = row["seed"] - first.setdefault(at, row["seed"])
        for (place, name), values in found.items():
            value = row.get(f"{place}.{name}")
            if value is not None:
                values[(*at, run)] = value
    return found


def difference_data(values: npt.NDArray[np.float64], pairs: Sequence[tuple[int, int]]) -> npt.NDArray[np.float64]:
    """The differences of pairs of schemes at all points: a row for each run, a column for each pair and point."""
    runs = values.shape[2]
    apart = [values[:, one, :] - values[:, other, :] for one, other in pairs]
    return np.concatenate(apart).T if apart else np.empty((runs, 0))


def from_runs(values: Values, cells: Cells, alpha: float = ALPHA) -> list[Leading]:
    """The statements about each place of `values`; `alpha` is the probability that one of them is wrong."""
    found = []
    for place in dict.fromkeys(place for place, _ in values):
        own = {name: runs for (at, name), runs in values.items() if at == place}
        points, schemes, _ = next(iter(own.values())).shape
        pairs = [(one, other) for one in range(schemes) for other in range(one)]
        intervals = len(own) * points * len(pairs)
        if intervals > MOST_CELLS:
            each = alpha / intervals
        else:
            each = adjusted_alpha(np.hstack([difference_data(runs, pairs) for runs in own.values()]), alpha)
        fronts = {}
        for name, runs in own.items():
            for point in range(points):
                row, better = cells(point, place, name), metric(name).better
                front = _front(row, better, _to_best(row, better, runs[point], each))
                if front:
                    fronts[name, point] = front
        found.append(Leading(place, intervals, 1 - each, True, fronts))
    return found


def _to_best(
    cells: Sequence[Cell | None], better: Better, runs: npt.NDArray[np.float64], alpha: float
) -> dict[tuple[int, int], Interval]:
    """The interval of the paired difference of the best scheme to each other one."""
    first = best(cells, better)
    found = {}
    for other in range(len(cells)):
        apart = runs[first] - runs[other]
        values = apart[np.isfinite(apart)]
        interval = summarize(list(values), alpha).ci95 if len(values) else None
        found[first, other] = interval or (-math.inf, math.inf)
    return found


def from_means(
    cells: Mapping[tuple[int, int, str, str], Cell],
    paired: Mapping[tuple[int, str, str], Mapping[tuple[int, int], Interval]],
    shape: tuple[int, int],
    alpha: float = ALPHA,
) -> list[Leading]:
    """The statements about each place, from means and paired differences to the first scheme with their intervals.

    The intervals of `cells` and of `paired` miss with probability `alpha` each; `shape` is the number of points and
    schemes.
    """
    points, schemes = shape
    found = []
    for place in dict.fromkeys(place for _, _, place, _ in cells):
        names = [n for n in dict.fromkeys(n for _, _, p, n in cells if p == place) if metric(n).better]
        at = [(point, place, name) for name in names for point in range(points)]
        differences = sum(len(paired.get(key, {})) // 2 for key in at)
        means = sum((scheme, *key) in cells for key in at for scheme in range(schemes))
        # Means serve where a difference is not known: between other schemes than the first.
        intervals = max(differences + (means if schemes > 2 or not differences else 0), 1)
        each = alpha / intervals
        fronts = {}
        for point, _, name in at:
            row = [cells.get((scheme, point, place, name)) for scheme in range(schemes)]
            wider = {
                pair: _widened(interval, _runs(row, pair), alpha, each)
                for pair, interval in paired.get((point, place, name), {}).items()
            }
            front = _front([cell and _wide_cell(cell, alpha, each) for cell in row], metric(name).better, wider)
            if front:
                fronts[name, point] = front
        found.append(Leading(place, intervals, 1 - each, False, fronts))
    return found


def _front(cells: Sequence[Cell | None], better: Better, paired: Mapping[tuple[int, int], Interval]) -> list[int]:
    """The indices of the leading schemes."""
    return [scheme for scheme, mark in enumerate(leaders(cells, better, paired)) if mark]


def _runs(cells: Sequence[Cell | None], pair: tuple[int, int]) -> int:
    """The number of runs that both schemes of a pair have."""
    return min((cell.runs for cell in (cells[pair[0]], cells[pair[1]]) if cell is not None), default=0)


def _wide_cell(cell: Cell, alpha: float, each: float) -> Cell:
    if cell.low is None or cell.high is None:
        return cell
    low, high = _widened((cell.low, cell.high), cell.runs, alpha, each)
    return replace(cell, low=low, high=high)


def _widened(interval: Interval, runs: int, alpha: float, each: float) -> Interval:
    """An interval that misses with probability `alpha`, so that it misses with probability `each`."""
    middle, half = (interval[0] + interval[1]) / 2, (interval[1] - interval[0]) / 2
    if half == 0:
        return interval
    wide = half * student_t(runs - 1, each) / student_t(runs - 1, alpha) if runs > 1 else math.inf
    return middle - wide, middle + wide
