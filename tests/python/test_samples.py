"""Verdicts follow from intervals: against cases worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from penstock.results.condition import Condition, all_of, any_of, most_of
from penstock.results.sample import RunSample, per_run

# Five runs with mean 10 and standard deviation 1: the interval is 10 +- 2.776 / sqrt(5) = 10 +- 1.2415.
TEN = RunSample([10 + d for d in (-math.sqrt(2), 0.0, math.sqrt(2), 0.0, 0.0)])
HALF = 2.7764451 / math.sqrt(5)


def verdict(condition: Condition) -> str:
    return condition.decide().verdict


def test_the_interval_is_students() -> None:
    estimate = TEN.summary
    assert estimate is not None
    assert estimate.sd == pytest.approx(1.0)
    assert estimate.half_width == pytest.approx(HALF, rel=1e-6)


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
    assert verdict(TEN.matches_printed(11.2)) == "confirmed"
    assert verdict(TEN.matches_printed(11.3)) == "contradicted"
    assert verdict(TEN.matches_printed(12.0, share=0.1)) == "confirmed"  # 12 - 1.2 is inside
    assert verdict(TEN.matches_printed(12.6, low=11.3, high=20)) == "contradicted"
    assert verdict(TEN.matches_printed(12.6, low=11.2, high=20)) == "confirmed"
    assert verdict(TEN.matches_printed(7.0, low=0, high=8.8)) == "confirmed"


def test_fewer_than_five_runs_of_something_random_decide_nothing() -> None:
    assert verdict(RunSample([1.0, 1.0, 1.0, 1.0]) <= 2) == "inconclusive"
    assert verdict(RunSample([1.0] * 5) <= 2) == "confirmed"
    assert verdict(RunSample(1.0) <= 2) == "confirmed"
    assert verdict(RunSample(1.0) < 1) == "contradicted"
    assert verdict(RunSample([math.nan] * 5) <= 2) == "inconclusive"


def test_numbers_that_no_run_has_are_on_no_side() -> None:
    missing = RunSample([math.nan] * 5)  # such as a slope over a single point
    for condition in (missing < TEN, missing > TEN, missing <= 2):
        finding = condition.decide()
        assert (finding.verdict, finding.why) == ("inconclusive", "no run has this number")
        assert [part.is_on_claimed_side for part in finding.comparisons] == [None]


def test_rounding_in_the_arithmetic_does_not_decide() -> None:
    rounded = RunSample([-0.7999999999999998] * 5)  # a rank correlation of -0.8
    assert verdict(rounded <= -0.8) == "confirmed"
    assert verdict(rounded < -0.8) == "contradicted"
    assert verdict(rounded > -0.8) == "contradicted"
    assert verdict(RunSample([0.1 + 0.2] * 5) <= 0.3) == "confirmed"
    assert verdict(RunSample([0.3 * (1 + 1e-9)] * 5) <= 0.3) == "contradicted"


def test_samples_are_paired_run_by_run() -> None:
    first, second = RunSample([1.0, 5.0, 9.0, 2.0, 7.0]), RunSample([1.1, 5.1, 9.1, 2.1, 7.1])
    # Either alone spans any bound between them; run by run one is always the smaller.
    assert verdict(first < second) == "confirmed"
    difference = (second - first).summary
    assert difference is not None
    assert difference.half_width == pytest.approx(0.0, abs=1e-12)
    assert (1 - first).values.tolist() == [0, -4, -8, -1, -6]
    assert (18 / first).values[2] == 2
    with pytest.raises(ValueError, match="not paired"):
        _ = first + RunSample([1.0, 2.0])


def test_joined_conditions_have_three_values() -> None:
    yes, no, open_ = RunSample(1.0) <= 2, RunSample(3.0) <= 2, RunSample([1.0]) <= 2
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
    finding = all_of((RunSample(float(n)) <= 10).at(f"N = {n}") for n in (2, 9, 5)).decide()
    assert finding.why == "3 of 3 confirmed; N = 9: 9, required <= 10"
    assert finding.measured is not None
    assert finding.measured.mean == 9


def test_a_condition_is_no_truth_value() -> None:
    with pytest.raises(TypeError, match="all_of"):
        bool(1 < RunSample(2.0) < 3)


def test_a_function_of_the_numbers_of_each_run() -> None:
    first, second = RunSample([1.0, 2.0]), RunSample([3.0, 5.0])
    assert per_run(lambda pair: pair[1] - pair[0], [first, second]).values.tolist() == [2, 3]
    assert per_run(lambda a, b: a * b, first, RunSample(10.0)).values.tolist() == [10, 20]


def shifted(by: float) -> RunSample:
    """Ten runs whose mean is `by` standard errors from 0."""
    runs = [-1.0, 1.0] * 5
    sd = math.sqrt(sum(x * x for x in runs) / 9)
    return RunSample([x + by * sd / math.sqrt(10) for x in runs])


def test_one_of_many_parts_contradicts_only_in_intervals_that_hold_for_all() -> None:
    # Student's t with 9 degrees of freedom: 2.262 for one interval of 95 %, 3.690 for each of ten together.
    away, far = shifted(2.5), shifted(4.0)
    assert verdict(away <= 0) == "contradicted"
    assert verdict(all_of([away <= 0] + [shifted(-9) <= 0] * 9)) == "inconclusive"
    assert verdict(all_of([far <= 0] + [shifted(-9) <= 0] * 9)) == "contradicted"
    # All of ten are confirmed by the interval of each alone; one of ten is not.
    assert verdict(all_of([away >= 0] * 10)) == "confirmed"
    assert verdict(any_of([away >= 0] + [shifted(-9) >= 0] * 9)) == "inconclusive"
    assert verdict(any_of([far >= 0] + [shifted(-9) >= 0] * 9)) == "confirmed"


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.integers(0, 2), min_size=1, max_size=8), st.floats(0.1, 1.0))
def test_a_joint_verdict_is_wrong_at_most_as_often_as_one(parts: list[int], share: float) -> None:
    """Exact parts: k of n hold, or cannot, or it is open, whatever the levels are."""
    conditions = [(RunSample(1.0) <= 2, RunSample(3.0) <= 2, RunSample([1.0]) <= 2)[part] for part in parts]
    need = math.ceil(share * len(parts) - 1e-9)
    expected = "confirmed" if parts.count(0) >= need else "inconclusive"
    if len(parts) - parts.count(1) < need:
        expected = "contradicted"
    assert verdict(most_of(share, conditions)) == expected


def test_a_part_tells_order_and_distance_apart() -> None:
    red, pie = RunSample([8.0] * 5), RunSample([10.0] * 5)
    (part,) = (red < pie).decide().parts
    assert (part.is_on_claimed_side, part.distance_percent) == (True, 0.0)
    (part,) = (red <= 0.7 * pie).decide().parts  # "30 % less": less, but not by so much
    assert (part.verdict, part.is_on_claimed_side) == ("contradicted", True)
    assert part.distance_percent == pytest.approx(100 / 7)
    (part,) = (pie <= 1.1 * red).decide().parts  # "hardly more" claims no order
    assert part.is_on_claimed_side is None
    assert part.distance_percent == pytest.approx(100 * 1.2 / 8.8)
    (part,) = (red >= 1.2 * pie).decide().parts
    assert part.is_on_claimed_side is False
    assert part.distance_percent == pytest.approx(100 / 3)
    ratio = (red / pie).about(1.0)
    assert [(ratio <= bound).decide().parts[0].is_on_claimed_side for bound in (0.7, 1.3)] == [True, None]
    (part,) = ratio.matches_printed(0.5, share=0.2).decide().parts
    assert part.is_on_claimed_side
    assert part.distance_percent == pytest.approx(60)
    assert part.distance_in_tolerances == pytest.approx(3)


def test_the_same_arithmetic_on_both_sides_claims_the_order_of_the_bases() -> None:
    red, pie = RunSample([8.0] * 5), RunSample([10.0] * 5)

    def ordered(condition: Condition) -> bool | None:
        (part,) = condition.decide().parts
        return part.is_on_claimed_side

    mean_red, mean_pie = (red + red) / 2, (pie + pie) / 2
    assert ordered(mean_red < mean_pie)
    assert ordered(mean_pie < mean_red) is False
    assert ordered(100 * red <= 100 * pie)
    assert ordered(mean_red < 0.9 * mean_pie)
    assert ordered(mean_red < 1.1 * mean_pie) is None
    assert ordered(1 - red > 1 - pie) is True
    assert ordered(red - 1 < pie + 1) is None


def test_a_printed_difference_needs_its_sign() -> None:
    change = shifted(0.5).about(0.0)
    assert verdict(RunSample(change.values).matches_printed(0.1, low=-2, high=2)) == "confirmed"
    assert verdict(change.matches_printed(0.1, low=-2, high=2)) == "inconclusive"
    assert verdict(shifted(4).about(0.0).matches_printed(0.1, low=-2, high=2)) == "confirmed"
    assert verdict(shifted(-4).about(0.0).matches_printed(0.1, low=-2, high=2)) == "contradicted"


def test_the_best_of_alternatives_counts_as_one_part() -> None:
    low = RunSample([1.0] * 5)
    parts = all_of(low < 5, any_of((low > 4), (low > 2))).decide().parts
    assert [part.verdict for part in parts] == ["confirmed", "contradicted"]
    assert parts[1].distance_percent == pytest.approx(50)
