"""Statistics over independent runs: mean, standard deviation, and the 95 % interval by Student's t."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

__all__ = ["ALPHA", "Estimate", "student_t_quantile", "summarize"]

ALPHA = 0.05
"""The probability that an interval misses the mean."""

ROUNDING = 1e-14
"""Relative half-width below which runs count as equal; it allows for rounding of their sum."""


@dataclass(frozen=True)
class Estimate:
    """One number over `runs` runs: mean, sample standard deviation and 95 % interval, both None for a single run."""

    mean: float
    sd: float | None
    ci95: tuple[float, float] | None
    runs: int

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Estimate:
        """The estimate in a row of the JSON of `compare`."""
        low, high = row["ci95"] or (None, None)
        ends = None if low is None or high is None else (low, high)
        return cls(math.nan if row["mean"] is None else float(row["mean"]), row.get("sd"), ends, row["runs"])

    @property
    def low(self) -> float | None:
        """The lower end of the interval; None without one."""
        return None if self.ci95 is None else self.ci95[0]

    @property
    def high(self) -> float | None:
        """The upper end of the interval; None without one."""
        return None if self.ci95 is None else self.ci95[1]

    @property
    def is_constant(self) -> bool:
        """Whether several runs gave the same value, within rounding."""
        half = self.half_width
        return half is not None and half <= ROUNDING * abs(self.mean)

    @property
    def half_width(self) -> float | None:
        """Half-width of the interval; None without one."""
        return None if self.ci95 is None else (self.ci95[1] - self.ci95[0]) / 2

    @property
    def rel_half_width(self) -> float:
        """The half-width as a fraction of the mean; infinite without an interval."""
        half = self.half_width
        if half is None:
            return math.inf
        return 0.0 if half == 0 else (half / abs(self.mean) if self.mean else math.inf)


def summarize(values: Sequence[float] | np.ndarray, alpha: float = ALPHA) -> Estimate:
    """Mean, standard deviation (R - 1) and 95 % interval (Student t, R - 1 degrees of freedom) of R values.

    A smaller `alpha` makes the interval wider, so that several cover their means together with probability 95 %.

    >>> summarize([1.0, 2.0, 3.0]).mean
    2.0
    >>> low, high = summarize([1.0, 2.0, 3.0]).ci95
    >>> round(high, 3)
    4.484
    """
    data = np.asarray(values, dtype=float)
    runs = len(data)
    if runs > 1 and data.min() == data.max():
        # If all runs have the same value, return it: the quotient of sum and number may differ in the last bit.
        same = float(data[0])
        return Estimate(same, 0.0, (same, same), runs)
    # math.fsum is exact: neither the order of the runs nor the machine matters.
    mean = math.fsum(data.tolist()) / runs
    if runs < 2:
        return Estimate(mean, None, None, runs)
    sd = math.sqrt(math.fsum(((data - mean) ** 2).tolist()) / (runs - 1))
    half = student_t_quantile(runs - 1, alpha) * sd / math.sqrt(runs)
    return Estimate(mean, sd, (mean - half, mean + half), runs)


@cache
def student_t_quantile(freedom: int, alpha: float = ALPHA) -> float:
    """The number that the magnitude of Student's t exceeds with probability `alpha`."""
    from scipy.special import stdtrit  # scipy.stats has the same function, but importing it takes a second

    return float(stdtrit(freedom, 1 - alpha / 2))
