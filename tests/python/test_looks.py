"""The looks of `--precision`: planned beforehand, with intervals that hold wherever the runs end."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import penstock as ps
import pytest
from penstock.report import page as report
from penstock.results.comparison import Comparison
from penstock.results.estimate import ALPHA, Estimate, student_t_quantile, summarize
from penstock.studies.precision_checks import PrecisionChecks
from penstock.studies.store import Store
from scipy import stats

from .test_cli import penstock
from .test_scenario import small
from .test_study import interrupt_after

Draw = Callable[[np.random.Generator, int], np.ndarray]

MEAN = 10.0
DATA: dict[str, Draw] = {
    "normal": lambda rng, runs: MEAN + 3 * rng.standard_normal(runs),
    "gamma": lambda rng, runs: rng.gamma(4, MEAN / 4, runs),
    "lognormal": lambda rng, runs: MEAN * np.exp(0.5 * rng.standard_normal(runs) - 0.125),
}
FAMILIES, LAST, REL_ERROR = 1000, 1000, 0.2


@pytest.mark.parametrize(
    ("first", "last", "looks"),
    [
        (30, 1000, (30, 60, 120, 240, 480, 1000)),
        (1, 1000, (2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)),
        (2, 40, (2, 4, 8, 16, 40)),
        (30, 40, (30, 40)),
        (30, 30, (30,)),
        (50, 40, (50,)),
        (1, 1, (1,)),
    ],
)
def test_looks_double_up_to_the_last(first: int, last: int, looks: tuple[int, ...]) -> None:
    plan = PrecisionChecks.plan(first, last)
    assert plan.runs == looks
    assert plan.alpha * len(looks) == pytest.approx(ALPHA)


def test_the_interval_of_each_look_is_students_at_its_level() -> None:
    values = [3.0, 4.0, 8.0, 1.0, 5.0]
    estimate = summarize(values, PrecisionChecks.plan(30, 1000).alpha)
    level = 1 - 0.05 / 6
    expected = stats.t.interval(level, 4, loc=np.mean(values), scale=stats.sem(values))
    assert estimate.ci95 == pytest.approx(expected, rel=1e-12)
    assert student_t_quantile(9) == stats.t.ppf(0.975, 9)


def ended(values: np.ndarray, looks: Sequence[int], alpha: float) -> Estimate:
    """The summary at the first look that is precise enough, or at the last."""
    for look in looks:
        estimate = summarize(list(values[:look]), alpha)
        if estimate.rel_half_width <= REL_ERROR:
            break
    return estimate


def covers(estimate: Estimate) -> bool:
    assert estimate.ci95 is not None
    return estimate.ci95[0] <= MEAN <= estimate.ci95[1]


@pytest.mark.parametrize(("first", "name"), [*((2, name) for name in DATA), (30, "lognormal")])
def test_the_interval_at_the_end_covers_the_mean_where_repeated_looks_at_95_percent_do_not(
    first: int, name: str
) -> None:
    rng = np.random.default_rng(20)
    plan = PrecisionChecks.plan(first, LAST)
    each_round = range(first, LAST + 1, first)
    corrected = uncorrected = 0
    for _ in range(FAMILIES):
        values = DATA[name](rng, LAST)
        corrected += covers(ended(values, plan.runs, plan.alpha))
        uncorrected += covers(ended(values, each_round, ALPHA))
    assert corrected / FAMILIES >= 0.94
    assert uncorrected / FAMILIES < 0.94
    assert uncorrected / FAMILIES < corrected / FAMILIES - 0.03


def test_all_looks_together_cover_the_mean() -> None:
    """Whatever rule ends the runs: on normal data an interval misses at any look in at most 5 % of the families."""
    rng = np.random.default_rng(21)
    plan = PrecisionChecks.plan(5, 200)
    corrected = uncorrected = 0
    for _ in range(2000):
        values = DATA["normal"](rng, 200)
        corrected += all(covers(summarize(list(values[:look]), plan.alpha)) for look in plan.runs)
        uncorrected += all(covers(summarize(list(values[:look]))) for look in plan.runs)
    assert corrected / 2000 >= 0.95 - 2 * math.sqrt(0.95 * 0.05 / 2000)
    assert uncorrected / 2000 < 0.85


GOAL = ps.Precision("utilization", 0.03, max_runs=40)


def test_a_comparison_ends_at_a_planned_look_with_corrected_intervals() -> None:
    runs = ps.compare(small(), ["red", "droptail"], runs=2, precision=GOAL)
    result = runs.to_dict()
    looks = (2, 4, 8, 16, 40)
    level = pytest.approx(1 - 0.05 / 5)
    assert result["precision"] == {"metric": "utilization", "rel_error": 0.03, "looks": [*looks], "level": level}
    assert len(runs.seeds) in looks[1:]
    for row in [*runs.summary(), *runs.compare()]:
        if row["sd"]:
            half = stats.t.ppf(1 - 0.01 / 2, row["runs"] - 1) * row["sd"] / row["runs"] ** 0.5
            assert (row["ci95"][1] - row["ci95"][0]) / 2 == pytest.approx(half, rel=1e-6)
    note = "95 % intervals, corrected for up to 5 looks."
    assert note in repr(runs)
    assert note in runs._repr_html_()
    page = report.render(json.loads(runs.to_json()))
    assert page.count("corrected for up to 5 looks") == 2
    assert "--runs 2" in page
    assert "--precision utilization=0.03" in page


def test_earlier_looks_were_not_precise_and_the_last_one_is() -> None:
    runs = ps.compare(small(), ["red"], runs=2, precision=GOAL)
    values, ended = runs.array("utilization").ravel(), len(runs.seeds)
    alpha = 0.05 / 5
    for look in (2, 4, 8, 16, 40):
        precise = summarize(values[:look].tolist(), alpha).rel_half_width <= 0.03
        assert precise == (look == ended) or (look == ended == 40)
        if look == ended:
            break


def test_without_a_precision_nothing_is_corrected() -> None:
    runs = ps.compare(small(), ["red"], runs=3)
    assert "precision" not in runs.to_dict()
    assert runs.comparison.interval_correction == ""
    assert "corrected for" not in repr(runs)
    assert "corrected for up" not in report.render(runs.to_dict())
    assert Comparison({**runs.to_dict(), "precision": {"looks": [30]}}).interval_correction == ""


def test_an_interrupted_comparison_goes_on_with_the_same_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ps.compare(small(), ["red", "droptail"], runs=2, precision=GOAL)
    assert len(whole.seeds) > 2
    interrupt_after(6, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        ps.compare(small(), ["red", "droptail"], runs=2, precision=GOAL, jobs=1, store=Store(tmp_path))
    new_runs = interrupt_after(1000, monkeypatch)
    again = ps.compare(small(), ["red", "droptail"], runs=2, precision=GOAL, jobs=1, store=Store(tmp_path))
    assert again.to_json() == whole.to_json()
    assert 0 < len(new_runs) < 2 * len(whole.seeds)


def test_the_looks_are_announced_with_the_cost(tmp_path: Path) -> None:
    small().save(tmp_path / "link.toml")
    process = penstock(
        "compare", str(tmp_path / "link.toml"), "--scheme", "red", "--runs", "400",
        "--precision", "utilization=50%", "--store", str(tmp_path / "runs"),
    )  # fmt: skip
    assert process.returncode == 0
    assert "; more runs until utilization is within 50 %, checked after 400 and 1000 runs" in process.stderr
    assert "95 % intervals, corrected for up to 2 looks." in process.stdout
