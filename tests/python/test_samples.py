"""Verdicts follow from intervals: against cases worked out by hand."""

from __future__ import annotations

import math

import pytest
from penstock.results.sample import Condition, Sample, all_of, any_of, most_of, per_run

# Five runs with mean 10 and standard deviation 1: the interval is 10 +- 2.776 / sqrt(5) = 10 +- 1.2415.
TEN = Sample([10 + d for d in (-math.sqrt(2), 0.0, math.sqrt(2), 0.0, 0.0)])
HALF = 2.7764451 / math.sqrt(5)


def verdict(condition: Condition) -> str:
    return condition.decide().verdict


def test_the_interval_is_students() -> None:
    found = TEN.summary
    assert found is not None
    assert found.sd == pytest.approx(1.0)
    assert found.half_width == pytest.approx(HALF, rel=1e-6)


@pytest.mark.parametrize(
    ("bound", "expected"),
    [(10 + HALF + 0.001, "confirmed"), (10 + HALF - 0.001, "inconclusive"), (10 - HALF - 0.001, "contradicted")],
)
def test_an_inequality_is_decided_by_the_whole_interval(bound: float, expected: str) -> None:
    opposite = {"confirmed": "contradicted", "contradicted": "confirmed", "inconclusive": "inconclusive"}
    assert verdict(bound >= TEN) == expected
    assert verdict(bound > TEN) == expected
    assert verdict(bound <= TEN) == opposite[expected]


def test_a_printed_number_is_confirmed_when_the_widened_interval_contains_it() -> None:
    assert verdict(TEN.reads(11.2)) == "confirmed"
    assert verdict(TEN.reads(11.3)) == "contradicted"
    assert verdict(TEN.reads(12.0, share=0.1)) == "confirmed"  # 12 - 1.2 is inside
    assert verdict(TEN.reads(12.6, low=11.3, high=20)) == "contradicted"
    assert verdict(TEN.reads(12.6, low=11.2, high=20)) == "confirmed"
    assert verdict(TEN.reads(7.0, low=0, high=8.8)) == "confirmed"


def test_fewer_than_five_runs_of_something_random_decide_nothing() -> None:
    assert verdict(Sample([1.0, 1.0, 1.0, 1.0]) <= 2) == "inconclusive"
    assert verdict(Sample([1.0] * 5) <= 2) == "confirmed"
    assert verdict(Sample(1.0) <= 2) == "confirmed"
    assert verdict(Sample(1.0) < 1) == "contradicted"
    assert verdict(Sample([math.nan] * 5) <= 2) == "inconclusive"


def test_rounding_in_the_arithmetic_does_not_decide() -> None:
    rounded = Sample([-0.7999999999999998] * 5)  # a rank correlation of -0.8
    assert verdict(rounded <= -0.8) == "confirmed"
    assert verdict(rounded < -0.8) == "contradicted"
    assert verdict(rounded > -0.8) == "contradicted"
    assert verdict(Sample([0.1 + 0.2] * 5) <= 0.3) == "confirmed"
    assert verdict(Sample([0.3 * (1 + 1e-9)] * 5) <= 0.3) == "contradicted"


def test_samples_are_paired_run_by_run() -> None:
    left, right = Sample([1.0, 5.0, 9.0, 2.0, 7.0]), Sample([1.1, 5.1, 9.1, 2.1, 7.1])
    # Either alone spans any bound between them; run by run one is always the smaller.
    assert verdict(left < right) == "confirmed"
    difference = (right - left).summary
    assert difference is not None
    assert difference.half_width == pytest.approx(0.0, abs=1e-12)
    assert (1 - left).values.tolist() == [0, -4, -8, -1, -6]
    assert (18 / left).values[2] == 2
    with pytest.raises(ValueError, match="not paired"):
        _ = left + Sample([1.0, 2.0])


def test_joined_conditions_have_three_values() -> None:
    yes, no, open_ = Sample(1.0) <= 2, Sample(3.0) <= 2, Sample([1.0]) <= 2
    assert [verdict(all_of(yes, other)) for other in (yes, no, open_)] == ["confirmed", "contradicted", "inconclusive"]
    assert [verdict(any_of(no, other)) for other in (yes, no, open_)] == ["confirmed", "contradicted", "inconclusive"]
    assert verdict(all_of(no, open_)) == "contradicted"
    assert verdict(any_of(yes, open_)) == "confirmed"
    assert verdict(most_of(0.7, [yes] * 7 + [no] * 3)) == "confirmed"
    assert verdict(most_of(0.7, [yes] * 6 + [no] * 4)) == "contradicted"
    assert verdict(most_of(0.7, [yes] * 6 + [no] * 3 + [open_])) == "inconclusive"
    with pytest.raises(ValueError, match="no conditions to decide"):
        all_of([])


def test_the_tightest_condition_speaks() -> None:
    found = all_of((Sample(float(n)) <= 10).at(f"N = {n}") for n in (2, 9, 5)).decide()
    assert found.why == "3 of 3 hold; N = 9: 9, asked <= 10"
    assert found.measured is not None
    assert found.measured.mean == 9


def test_a_condition_is_no_truth_value() -> None:
    with pytest.raises(TypeError, match="all_of"):
        bool(1 < Sample(2.0) < 3)


def test_a_function_of_the_numbers_of_each_run() -> None:
    first, second = Sample([1.0, 2.0]), Sample([3.0, 5.0])
    assert per_run(lambda pair: pair[1] - pair[0], [first, second]).values.tolist() == [2, 3]
    assert per_run(lambda a, b: a * b, first, Sample(10.0)).values.tolist() == [10, 20]
