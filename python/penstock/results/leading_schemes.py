"""Which schemes lead in a metric: statements about many points, decided by simultaneous intervals.

All statements about one metric at one place, over all points of a sweep, are one family: the intervals of the paired
differences of all schemes, by max-t (`penstock.results.simultaneous`). With probability 95 %, all of them cover the
true differences.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from penstock.results.best_candidate import index_of_best, leading_candidates
from penstock.results.estimate import ALPHA, Estimate, summarize
from penstock.results.metrics import Better, find_metric
from penstock.results.simultaneous import MOST_CELLS, adjusted_alpha

__all__ = ["LeadingSchemes", "leading_schemes", "paired_differences"]

Interval = tuple[float, float]


@dataclass(frozen=True)
class LeadingSchemes:
    """The statements about a metric at a place.

    Attributes:
        place: the link or group of traffic.
        metric: its name.
        interval_count: number of intervals that jointly cover their true values.
        level: of each interval.
        leaders_by_point: for each point, the indices of the leading schemes; no scheme leads at a missing point.

    """

    place: str
    metric: str
    interval_count: int
    level: float
    leaders_by_point: Mapping[int, Sequence[int]]


def paired_differences(values: npt.NDArray[np.float64], pairs: Sequence[tuple[int, int]]) -> npt.NDArray[np.float64]:
    """The differences of pairs of schemes at all points: one row per run, one column per pair and point.

    `values` has the dimensions points, schemes, runs.
    """
    runs = values.shape[2]
    differences = [values[:, scheme, :] - values[:, other, :] for scheme, other in pairs]
    return np.concatenate(differences).T if differences else np.empty((runs, 0))


def leading_schemes(
    place: str,
    name: str,
    values: npt.NDArray[np.float64],
    cells: Sequence[Sequence[Estimate | None]],
    alpha: float = ALPHA,
) -> LeadingSchemes:
    """The statements about a metric; `alpha` is the probability that any of them is wrong.

    `values` has the dimensions points, schemes, runs; NaN where a run lacks the metric. `cells` has the means, by point
    and scheme.
    """
    points, schemes, _ = values.shape
    pairs = [(scheme, other) for scheme in range(schemes) for other in range(scheme)]
    intervals = points * len(pairs)
    each = alpha / intervals if intervals > MOST_CELLS else adjusted_alpha(paired_differences(values, pairs), alpha)
    fronts = {}
    for point in range(points):
        row, better = cells[point], find_metric(name).better
        marks = leading_candidates(row, better, _to_best(row, better, values[point], each))
        if any(marks):
            fronts[point] = [scheme for scheme, mark in enumerate(marks) if mark]
    return LeadingSchemes(place, name, intervals, 1 - each, fronts)


def _to_best(
    cells: Sequence[Estimate | None], better: Better, runs: npt.NDArray[np.float64], alpha: float
) -> dict[tuple[int, int], Interval]:
    """The interval of the paired difference between the best scheme and each other scheme."""
    first = index_of_best(cells, better)
    intervals = {}
    for other in range(len(cells)):
        apart = runs[first] - runs[other]
        values = apart[np.isfinite(apart)]
        interval = summarize(list(values), alpha).ci95 if len(values) else None
        intervals[first, other] = interval or (-math.inf, math.inf)
    return intervals
