"""One number of a curve, for `Number.along`: each function gets the samples along an axis by the values of the axis."""

from __future__ import annotations

import math

import numpy as np

from penstock.reproduce.node import Curve
from penstock.results.sample import RunSample, per_run

__all__ = ["largest", "mean", "r_squared", "slope", "smallest", "spread", "where_least"]


def mean(curve: Curve) -> RunSample:
    """The mean of samples, run by run."""
    samples = list(curve.values())
    return sum(samples[1:], samples[0]) / len(samples)


def largest(curve: Curve) -> RunSample:
    """The largest of samples, run by run."""
    return per_run(lambda values: float(max(values)), list(curve.values()))


def smallest(curve: Curve) -> RunSample:
    """The smallest of samples, run by run."""
    return per_run(lambda values: float(min(values)), list(curve.values()))


def spread(curve: Curve) -> RunSample:
    """The largest minus the smallest of samples, run by run."""
    return per_run(lambda values: float(max(values) - min(values)), list(curve.values()))


def where_least(curve: Curve) -> RunSample:
    """The value of the axis at which the curve is lowest, run by run."""
    return per_run(lambda values: list(curve)[int(values.argmin())], list(curve.values()))


def slope(curve: Curve) -> RunSample:
    """The slope of the least-squares line through the samples, run by run; NaN for one point. The axis has numbers."""
    if len(curve) < 2:
        return RunSample(math.nan)
    return per_run(lambda values: float(np.polyfit(list(curve), values, 1)[0]), list(curve.values()))


def r_squared(curve: Curve) -> RunSample:
    """The fraction of the variance of the samples that the least-squares line explains, run by run."""
    return per_run(lambda values: float(np.corrcoef(list(curve), values)[0, 1] ** 2), list(curve.values()))
