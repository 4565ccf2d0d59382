"""Statements on the shape of curves (`penstock.reproduce.shape`): intervals of functions of several means."""

from __future__ import annotations

import math

import numpy as np
import pytest
from penstock.reproduce import shape
from penstock.results.sample import RunSample

RUNS = 400


def draws(mean: float, sd: float, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(mean, sd, RUNS)


def test_a_sum_of_means_has_the_interval_of_the_sums() -> None:
    first, second = draws(5, 1, 1), draws(3, 2, 2)
    sample = shape.jackknifed_function(lambda row: float(row.sum()), [RunSample(first), RunSample(second)])
    np.testing.assert_allclose(sample.values, first + second, rtol=1e-9)


def test_the_interval_of_a_ratio_is_that_of_the_delta_method() -> None:
    first, second = draws(6, 1, 1), draws(3, 0.3, 2)
    ratios = shape.ratio_of_means(RunSample(first), RunSample(second)).values
    exact = first.mean() / second.mean()
    changes = first / second.mean() - second * first.mean() / second.mean() ** 2
    assert ratios.mean() == pytest.approx(exact, rel=1e-3)
    assert ratios.std(ddof=1) / math.sqrt(RUNS) == pytest.approx(changes.std(ddof=1) / math.sqrt(RUNS), rel=0.02)


def test_where_lines_cross() -> None:
    noise = draws(0, 0.1, 3)
    rising = [RunSample(x + noise) for x in (0.0, 1.0, 2.0)]
    level = [RunSample(0.75 + draws(0, 0.1, 4)) for _ in rising]
    gaps = [a - b for a, b in zip(rising, level, strict=True)]
    crossings = shape.zero_crossing(dict(zip([10, 20, 30], gaps, strict=True))).values
    gap = noise - draws(0, 0.1, 4)
    assert crossings.mean() == pytest.approx(17.5 - 10 * gap.mean(), abs=1e-6)
    assert crossings.std(ddof=1) == pytest.approx(10 * gap.std(ddof=1), rel=1e-6)


def test_without_chance_there_is_one_value() -> None:
    assert shape.ratio_of_means(RunSample(6.0), RunSample(3.0)).values.tolist() == [2.0]
