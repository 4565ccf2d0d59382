"""The end of the transient at the start of a run, by MSER-5, and the test of a given warm-up.

K. P. White, "An effective truncation heuristic for bias reduction in simulation output", Simulation 69(6), 1997, and
K. P. White, M. J. Cobb, S. C. Spratt, "A comparison of five steady-state truncation heuristics for simulation", Proc.
Winter Simulation Conference, 2000. The series is averaged in batches of 5 values. The batches before batch d are
discarded, where d minimizes the squared standard error of the mean of the remaining batches. If d is in the second half
of the series, the series is too short to determine the end of the transient.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["BATCH", "InitialTransient", "batch_means", "biasing_transient", "transient_batch_count"]

BATCH = 5
"""Number of values in a batch."""

SEGMENTS = 5
"""Segments of the steady part, whose means are nearly independent."""

QUANTILE = 8.610
"""Student's t with `SEGMENTS` - 1 degrees of freedom: exceeded on either side with probability 0.001."""

LEAST_BIAS = 0.05
"""Smallest bias of a mean that is reported, as a fraction of the steady mean."""


@dataclass(frozen=True)
class InitialTransient:
    """A transient that has not ended at the start of a series.

    Attributes:
        end: number of batches of the transient; None if the series is too short to determine its end.
        mean: mean of the whole series.
        steady_mean: mean after the transient; after the first half of the series if the end is not determined.

    """

    end: int | None
    mean: float
    steady_mean: float


def batch_means(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The means of batches of `BATCH` values; the values of an incomplete last batch are discarded."""
    series = np.asarray(values, dtype=float)
    means: npt.NDArray[np.float64] = series[: len(series) // BATCH * BATCH].reshape(-1, BATCH).mean(axis=1)
    return means


def transient_batch_count(means: npt.ArrayLike) -> int | None:
    """The number of batches of the transient at the start of a series; None if they are more than half of the series.

    >>> transient_batch_count([10.0] * 20 + [0.0, 1.0] * 40)
    20
    >>> transient_batch_count(range(100)) is None
    True
    """
    series = np.asarray(means, dtype=float)
    count = len(series)
    if count < 2:
        return None
    remaining = np.arange(count, 0, -1)
    # Sums over the batches from each d to the end.
    sums, squares = (np.cumsum(part[::-1])[::-1] for part in (series, series**2))
    errors = (squares - sums**2 / remaining) / remaining**2
    best = int(np.argmin(np.round(errors[: count - 1], 12)))
    return best if best <= count // 2 else None


def biasing_transient(means: npt.ArrayLike) -> InitialTransient | None:
    """The transient at the start of a series of batch means, if it biases the mean; None otherwise.

    MSER also truncates stationary series, in particular those that are correlated over many batches. So the part before
    the truncation counts as a transient only if its mean differs significantly from the mean of the steady part, and if
    it shifts the mean of the series by at least `LEAST_BIAS`. The test is Student's t with the means of `SEGMENTS`
    segments of the steady part (batch means, A. M. Law, "Simulation Modeling and Analysis", section 9.5.3). Their
    variance is estimated from successive differences, which a trend hardly changes (J. von Neumann et al., "The mean
    square successive difference", Annals of Mathematical Statistics 12(2), 1941).

    >>> biasing_transient([10.0] * 20 + [0.0, 1.0] * 40)
    InitialTransient(end=20, mean=2.4, steady_mean=0.5)
    >>> biasing_transient([0.0, 1.0] * 50) is None
    True
    """
    series = np.asarray(means, dtype=float)
    end = transient_batch_count(series)
    cut = len(series) // 2 if end is None else end
    steady = series[cut:]
    if cut == 0 or len(steady) < SEGMENTS:
        return None
    mean, steady_mean = float(series.mean()), float(steady.mean())
    segments = np.array([part.mean() for part in np.array_split(steady, SEGMENTS)])
    variance = float(np.square(np.diff(segments)).sum()) / (2 * (SEGMENTS - 1))
    error = math.sqrt(variance) * math.sqrt(1 / SEGMENTS + len(steady) / SEGMENTS / cut)
    is_significant = abs(float(series[:cut].mean()) - steady_mean) > QUANTILE * error
    is_large = abs(mean - steady_mean) > LEAST_BIAS * abs(steady_mean)
    return InitialTransient(end, mean, steady_mean) if is_significant and is_large else None
