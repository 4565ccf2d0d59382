"""Statements on the shape of curves: rising, falling, flat, minimal somewhere, crossing, the same at all points.

Where a statement needs the mean of a curve at each point, such as a rank correlation, the runs are put into groups, and
each group gives one value. A function of several means has its interval by the jackknife.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from penstock.reproduce.label_values import ValueRange
from penstock.reproduce.node import Curve
from penstock.reproduce.number import Number
from penstock.reproduce.statement import Statement, join_parts
from penstock.results.condition import Condition, all_of, most_of
from penstock.results.sample import RunSample

__all__ = [
    "along_sweep",
    "axis_rank_correlation",
    "conditions_at_sweep_points",
    "curve_rank_correlation",
    "falls",
    "group_means",
    "has_minimum_at",
    "jackknifed_function",
    "largest_mean",
    "rank_correlation",
    "ratio_of_means",
    "relative_range",
    "rises",
    "values_other_than",
    "zero_crossing",
]  # fmt: skip

GROUPS = 5
"""Number of groups into which the runs are divided."""


def conditions_at_sweep_points(conditions: Iterable[Condition]) -> Condition:
    """The condition that all conditions at the points of a sweep are confirmed, except at most one in ten."""
    return most_of(0.9, conditions)


def along_sweep(statement: Statement) -> Statement:
    """The statement that a statement holds at the points of a sweep, with at most one exception in ten."""
    return join_parts(conditions_at_sweep_points, statement)


def rises(number: Number, axis: str) -> Statement:
    """The statement that the number rises along an axis: rank correlation of at least 0.8."""
    return axis_rank_correlation(number, axis) >= 0.8


def falls(number: Number, axis: str) -> Statement:
    """The statement that the number falls along an axis: rank correlation of at most -0.8."""
    return axis_rank_correlation(number, axis) <= -0.8


def relative_range(number: Number, axis: str) -> Number:
    """(Largest - smallest) / mean along an axis, for each group of runs."""
    return number.along(axis, _relative_spread, "relative spread", unit="")


def has_minimum_at(number: Number, axis: str, at: float) -> Statement:
    """The statement that each curve along an axis is smallest at this value of the axis."""
    return join_parts(all_of, number(**{axis: at}) <= number(**{axis: values_other_than(at)}), axis)


def values_other_than(value: float) -> ValueRange:
    """A range of all values of an axis except this one."""
    return ValueRange(f"other than {value:g}", lambda own: own != value)


def axis_rank_correlation(number: Number, axis: str) -> Number:
    """The rank correlation of the number with an axis (`curve_rank_correlation`)."""
    return number.along(
        axis, lambda curve: curve_rank_correlation(list(curve.values())), "rank correlation", unit="", neutral=0.0
    )


def group_means(samples: Sequence[RunSample]) -> np.ndarray:
    """Means over groups of runs: one row per group, one column per sample."""
    rows = []
    for sample in samples:
        values = sample.values if sample.random else np.repeat(sample.values, GROUPS)
        parts = [part for part in np.array_split(values, GROUPS) if len(part)]
        with np.errstate(all="ignore"):
            rows.append([float(np.mean(part[np.isfinite(part)])) for part in parts])
    return np.array(rows).T


def curve_rank_correlation(samples: Sequence[RunSample], along: Sequence[float] | None = None) -> RunSample:
    """Spearman's rank correlation of a curve with its axis, from -1 to 1, once for each group of runs."""
    axis = np.arange(len(samples)) if along is None else np.asarray(along)
    return RunSample([_spearman(axis, row) for row in group_means(samples)])


def rank_correlation(first: Sequence[RunSample], second: Sequence[RunSample]) -> RunSample:
    """Spearman's rank correlation of two numbers over several cells, once for each group of runs."""
    return RunSample([_spearman(a, b) for a, b in zip(group_means(first), group_means(second), strict=True)])


def jackknifed_function(function: Callable[[np.ndarray], float], samples: Sequence[RunSample]) -> RunSample:
    """A function of several means, with its interval over all runs: the pseudo-values of the jackknife, one per run.

    B. Efron, The Jackknife, the Bootstrap and Other Resampling Plans, SIAM 1982.
    """
    runs = max(len(sample.values) for sample in samples)
    rows = np.array([sample.values if sample.random else np.repeat(sample.values, runs) for sample in samples])
    with np.errstate(all="ignore"):
        whole = function(rows.mean(axis=1))
        if runs == 1:
            return RunSample(float(whole))
        without = [function(row) for row in ((rows.sum(axis=1)[:, None] - rows) / (runs - 1)).T]
    return RunSample(runs * whole - (runs - 1) * np.array(without))


def zero_crossing(curve: Curve) -> RunSample:
    """The place on the axis where a curve of means, linear between points, finally rises above 0.

    It is the lower end of the axis if the curve is above 0 from the beginning, and the upper end if it is not above 0
    there.
    """
    at = np.asarray(list(curve), dtype=float)
    return jackknifed_function(lambda row: _root(at, row), list(curve.values()))


def largest_mean(samples: Sequence[RunSample]) -> RunSample:
    """The largest of several means, for each group of runs."""
    return RunSample([float(row.max()) for row in group_means(samples)])


def ratio_of_means(first: RunSample, second: RunSample) -> RunSample:
    """The ratio of two means, for numbers that single runs may lack."""
    return jackknifed_function(lambda row: float(row[0] / row[1]), [first, second])


def _relative_spread(curve: Curve) -> RunSample:
    return RunSample([float((row.max() - row.min()) / abs(row.mean())) for row in group_means(list(curve.values()))])


def _spearman(x: np.ndarray, y: np.ndarray) -> float:
    if not np.isfinite(y).all():
        return float("nan")
    a, b = _ranks(x), _ranks(y)
    spread = float(a.std() * b.std())
    return 0.0 if spread == 0 else float(((a - a.mean()) * (b - b.mean())).mean() / spread)


def _ranks(x: np.ndarray) -> np.ndarray:
    return np.array([(x < value).sum() + ((x == value).sum() - 1) / 2 for value in x], dtype=float)


def _root(axis: np.ndarray, difference: np.ndarray) -> float:
    above = difference > 0
    if above.all():
        return float(axis[0])
    if not above[-1]:
        return float(axis[-1])
    i = int(np.flatnonzero(~above)[-1])
    share = difference[i] / (difference[i] - difference[i + 1])
    return float(axis[i] + share * (axis[i + 1] - axis[i]))
