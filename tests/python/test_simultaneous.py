"""Simultaneous intervals: a family of cells is covered together, and the page's statements use such intervals."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import penstock as ps
import pytest
from penstock.report import page as report
from penstock.results import simultaneous
from penstock.results.comparison import Comparison
from penstock.results.estimate import Estimate, student_t_quantile, summarize
from penstock.results.leading_schemes import leading_schemes
from penstock.results.simultaneous import adjusted_alpha
from scipy import stats

from .test_scenario import small

Array = npt.NDArray[np.float64]
FAMILIES = 1000


def correlated(rng: np.random.Generator, runs: int, cells: int, shared: float) -> Array:
    """Normal numbers with mean 0; every pair of cells has the correlation `shared`."""
    common, own = rng.standard_normal((runs, 1)), rng.standard_normal((runs, cells))
    return math.sqrt(shared) * common + math.sqrt(1 - shared) * own


def skewed(rng: np.random.Generator, runs: int, cells: int, shared: float) -> Array:
    """Differences of gamma numbers, as of two schemes that meet the same load."""
    first, second = (rng.gamma(2, 1, (runs, cells)) for _ in range(2))
    return math.sqrt(1 - shared) * (first - second) + math.sqrt(shared) * (rng.gamma(2, 1, (runs, 1)) - 2)


def all_covered(data: Array, alpha: float) -> bool:
    runs = len(data)
    t = np.abs(data.mean(axis=0)) / (data.std(axis=0, ddof=1) / math.sqrt(runs))
    return bool(t.max() <= student_t_quantile(runs - 1, alpha))


@pytest.mark.parametrize(
    ("draw", "runs", "cells", "shared"),
    [(correlated, 30, 40, 0.5), (correlated, 20, 40, 0.95), (correlated, 5, 12, 0.5), (correlated, 12, 8, 0.0),
     (skewed, 30, 20, 0.3)],
)  # fmt: skip
def test_the_family_is_covered_where_single_intervals_miss(
    draw: Callable[..., Array], runs: int, cells: int, shared: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simultaneous, "DRAWS", 1000)
    rng = np.random.default_rng(2)
    families = [draw(rng, runs, cells, shared) for _ in range(FAMILIES)]
    together = sum(all_covered(data, adjusted_alpha(data)) for data in families) / FAMILIES
    single = sum(all_covered(data, 0.05) for data in families) / FAMILIES
    assert together >= 0.94
    assert single < 0.9


def test_cells_that_err_together_need_narrower_intervals_than_bonferroni() -> None:
    data = correlated(np.random.default_rng(3), 30, 40, 0.95)
    alpha = adjusted_alpha(data)
    assert 0.05 / 40 * 5 < alpha < 0.05
    apart = adjusted_alpha(correlated(np.random.default_rng(3), 30, 40, 0.0))
    assert 0.05 / 40 <= apart < 0.05 / 40 * 1.3
    copies = np.hstack([data[:, :1]] * 7)
    assert adjusted_alpha(copies * np.arange(1, 8)) == pytest.approx(0.05, rel=0.05)


def test_many_schemes_against_one_agree_with_dunnett() -> None:
    """With as many runs as here the pooled variance of Dunnett's test and the paired ones differ little."""
    rng = np.random.default_rng(4)
    groups = rng.standard_normal((6, 400))
    data = (groups[1:] - groups[0]).T
    quantile = student_t_quantile(len(data) - 1, adjusted_alpha(data))
    test = stats.dunnett(*groups[1:], control=groups[0], rng=np.random.default_rng(5))
    interval = test.confidence_interval(0.95)
    pooled = math.sqrt(np.mean(groups.var(axis=1, ddof=1)) * 2 / 400)
    dunnett = (interval.high - interval.low) / 2 / pooled
    assert quantile == pytest.approx(float(dunnett[0]), rel=0.02)
    assert quantile < student_t_quantile(len(data) - 1, 0.05 / 5)


def test_equicorrelated_cells_agree_with_the_multivariate_t() -> None:
    rng = np.random.default_rng(6)
    cells, runs = 6, 60
    data = correlated(rng, runs, cells, 0.7)
    shape = np.corrcoef(data.T)
    bound = student_t_quantile(runs - 1, adjusted_alpha(data))
    box = np.full(cells, bound)
    inside = stats.multivariate_t(shape=shape, df=runs - 1, seed=1).cdf(box, lower_limit=-box)
    assert float(inside) == pytest.approx(0.95, abs=0.01)


@pytest.mark.parametrize("alpha", [0.05, 0.05 / 6])
def test_one_cell_has_the_interval_of_students_t(alpha: float) -> None:
    data = np.random.default_rng(7).gamma(2, 1, (9, 1))
    assert adjusted_alpha(data, alpha) == alpha
    constant = np.full((9, 3), 2.0)
    assert adjusted_alpha(np.hstack([data, constant]), alpha) == alpha


def test_runs_without_a_number_are_left_out() -> None:
    data = correlated(np.random.default_rng(8), 40, 10, 0.5)
    whole = adjusted_alpha(data)
    data[:4, :5] = math.nan
    data = np.hstack([data, np.full((40, 1), math.nan)])
    assert adjusted_alpha(data) == pytest.approx(whole, rel=0.2)
    data[2:, 5] = math.nan
    assert adjusted_alpha(data) == 0.05 / 10  # two numbers have no more than two signs


def test_few_runs_and_huge_families_get_bonferronis_level(monkeypatch: pytest.MonkeyPatch) -> None:
    data = correlated(np.random.default_rng(9), 5, 8, 0.5)
    assert adjusted_alpha(data) == 0.05 / 8
    data = correlated(np.random.default_rng(9), 30, 8, 0.9)
    assert adjusted_alpha(data) > 0.05 / 8
    monkeypatch.setattr(simultaneous, "MOST_NUMBERS", 100)
    assert adjusted_alpha(data) == 0.05 / 8


SCHEMES = ("droptail", "red", "red:gentle=true")
LOADS = {"traffic.bulk.count": [1, 4]}


@pytest.fixture(scope="module")
def compared() -> Comparison:
    return ps.compare(small(), SCHEMES, vary=LOADS, runs=12).comparison


def test_differences_of_a_metric_hold_together() -> None:
    runs = ps.compare(small(), SCHEMES, vary=LOADS, runs=12)
    rows = runs.compare(metric="length_mean_pkts", simultaneous=True)
    single = runs.compare(metric="length_mean_pkts")
    assert [{**row, "ci95": None} for row in rows] == [{**row, "ci95": None} for row in single]
    values = {
        (row["scheme"], row["traffic.bulk.count"], row["seed"]): row["links.bottleneck.length_mean_pkts"]
        for row in runs.table.to_pylist()
    }
    columns = [
        [values[scheme, load, seed] - values["droptail", load, seed] for seed in range(1, 13)]
        for load in (1, 4)
        for scheme in SCHEMES[1:]
    ]
    alpha = adjusted_alpha(np.array(columns).T)
    assert 0.05 / 4 <= alpha < 0.05
    for row, alone, column in zip(rows, single, columns, strict=True):
        assert row["ci95"] == pytest.approx(summarize(column, alpha).ci95)
        assert row["ci95"][0] <= alone["ci95"][0]
    with pytest.raises(ps.PenstockError, match="no metric"):
        runs.compare(metric="length_men_pkts")
    with pytest.raises(ps.PenstockError, match="no metric"):
        runs.compare(metric="length_mean_pkts", place="bulk")


def test_one_difference_has_the_ordinary_interval() -> None:
    runs = ps.compare(small(), SCHEMES[:2], runs=4)
    (row,) = runs.compare(metric="loss_rate", simultaneous=True)
    (alone,) = runs.compare(metric="loss_rate")
    assert row["ci95"] == pytest.approx(alone["ci95"], rel=1e-12)


def test_the_leading_schemes_are_in_the_json_and_on_the_page(compared: Comparison) -> None:
    result = json.loads(compared.to_json())
    read = Comparison(result)
    leaders = {(row["place"], row["metric"]): row for row in result["leaders"]}
    assert {place for place, _ in leaders} == {"bottleneck", "bulk"}
    delay = leaders["bottleneck", "delay_mean_s"]
    assert 0.95 < delay["level"] <= 1 - 0.05 / 6
    assert delay["intervals"] == 2 * 3
    assert set(delay["best"][0]) == {"vary", "schemes"}
    for place in compared.places:
        for name in compared.metrics[place]:
            for point in range(2):
                assert read.leading_schemes(point, place, name) == compared.leading_schemes(point, place, name)
    page = report.render(result)
    assert "All statements about a metric hold together with 95&nbsp;% confidence" in page
    assert "they use 6 simultaneous intervals" in page
    assert "max-t over all settings and pairs of schemes" in page


def noise(rng: np.random.Generator) -> Array:
    """A metric of four schemes that do not differ, at five points, in 15 runs."""
    return rng.standard_normal((5, 4, 15))


def cells_of(values: Array) -> list[list[Estimate | None]]:
    """The means of all schemes at each point."""
    rows: list[list[Estimate | None]] = []
    for schemes in values:
        rows.append([summarize(list(numbers)) for numbers in schemes])
    return rows


def test_schemes_that_do_not_differ_rarely_get_a_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mark anywhere is wrong here: at most 5 % of the results may have one, but with single intervals most have."""
    monkeypatch.setattr(simultaneous, "DRAWS", 2000)
    rng = np.random.default_rng(10)
    wrong = {"family": 0, "single": 0}
    for _ in range(150):
        values = noise(rng)
        wrong["family"] += bool(leading_schemes("link", "loss_rate", values, cells_of(values)).leaders_by_point)
        wrong["single"] += any(
            stats.ttest_1samp(values[:, i] - values[:, j], 0, axis=1).pvalue.min() < 0.05
            for i in range(4) for j in range(i)
        )  # fmt: skip
    assert wrong["family"] <= stats.binom.ppf(0.99, 150, 0.05)
    assert wrong["single"] / 150 > 0.5


def test_paired_differences_show_the_best_where_means_overlap() -> None:
    rng = np.random.default_rng(11)
    common = 10 * rng.standard_normal((1, 1, 20))
    values = common + rng.standard_normal((1, 3, 20)) + np.array([0.0, 3.0, 6.0])[None, :, None]
    row = leading_schemes("link", "loss_rate", values, cells_of(values))
    assert row.leaders_by_point == {0: [0]}
    assert row.interval_count == 3
