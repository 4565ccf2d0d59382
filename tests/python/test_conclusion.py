"""The conclusion of a comparison: the sentence an engineer would write, and how often it is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from penstock.results import simultaneous
from penstock.results.conclusion import PointConclusion, best_counts_sentence, conclusions_about_link
from scipy import stats

RUNS = 10


def concluded(schemes: dict[str, tuple[float, float]], runs: int = RUNS, spread: float = 0.01) -> PointConclusion:
    """The conclusion about schemes with these means of delay (s) and utilization; `spread` is a share of the means."""
    rng = np.random.default_rng(3)
    means = np.array(list(schemes.values())).T
    values = means[:, None, :, None] * (1 + spread * rng.standard_normal((2, 1, len(schemes), runs)))
    delay, used = values[0], means[1][None, :, None] + spread / 20 * rng.standard_normal((1, len(schemes), runs))
    return conclusions_about_link(["link"], list(schemes), delay, used).points[0]


def test_the_lowest_delay_among_the_busy_schemes_is_best() -> None:
    conclusion = concluded({"droptail": (0.2, 1.0), "codel": (0.02, 0.99), "short": (0.002, 0.8)})
    assert conclusion.best == [1]
    assert conclusion.text == (
        "link: codel has the lowest 99th percentile of the delay, 20.0 ms at 99.0 % utilization, among the schemes"
        " within 2 points of the highest utilization."
        " More utilization costs delay: droptail gains 1.0 points at 184 ms per point."
        " A lower delay, with more of the link idle: short (2.0 ms, 20.0 points less)."
    )


def test_drop_tail_is_not_best_for_its_utilization_alone() -> None:
    conclusion = concluded({"droptail": (0.548, 1.0), "cake": (0.0034, 0.985)})
    assert conclusion.best == [1]
    assert conclusion.text.startswith(
        "link: cake has the lowest 99th percentile of the delay, 3.4 ms at 98.5 % utilization."
    )


def test_schemes_that_do_not_differ_are_best_together() -> None:
    conclusion = concluded({"red": (0.0201, 0.99), "pie": (0.02, 0.99), "droptail": (0.1, 0.99)}, spread=0.05)
    assert sorted(conclusion.best) == [0, 1]
    assert "red and pie have the lowest" in conclusion.text or "pie and red have the lowest" in conclusion.text
    assert "without a significant difference" in conclusion.text
    all_alike = concluded({"red": (0.0201, 0.99), "pie": (0.02, 0.99)}, spread=0.05)
    assert "do not differ significantly" in all_alike.text


@pytest.mark.parametrize(
    ("runs", "sentence"), [(1, "1 run of each scheme is too few"), (4, "4 runs of each scheme are too few")]
)
def test_fewer_than_five_runs_rank_nothing(runs: int, sentence: str) -> None:
    conclusion = concluded({"droptail": (0.2, 1.0), "codel": (0.02, 0.99)}, runs=runs)
    assert not conclusion.best
    assert conclusion.text == f"link: {sentence} to rank schemes; 5 are needed."


def test_one_scheme_and_a_link_without_delays_have_none() -> None:
    assert concluded({"red": (0.02, 0.99)}) == PointConclusion()
    nothing = np.full((1, 2, RUNS), np.nan)
    assert conclusions_about_link(["link"], ["a", "b"], nothing, nothing).points[0] == PointConclusion()


def test_the_best_are_counted_over_the_settings_of_a_sweep() -> None:
    assert best_counts_sentence(["a", "b", "c", "d"], [[0, 1], [1], [1, 0]], margin=0.01) == (
        "The lowest 99th percentile of the delay within 1 point of the highest utilization: b at all 3 settings, a at "
        "2, c and d at none."
    )


@pytest.mark.parametrize("runs", [5, 15])
def test_at_most_five_percent_of_the_sentences_are_wrong_where_schemes_are_equal(
    runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four equal schemes at three points: every statement that separates any of them is wrong.

    The bound is the 99 % quantile of the number of wrong results at a rate of 5 %.
    """
    monkeypatch.setattr(simultaneous, "DRAWS", 1000)
    rng = np.random.default_rng(7)
    labels = ["a", "b", "c", "d"]
    wrong = 0
    for _ in range(400):
        common = rng.standard_normal((1, 1, runs))  # runs of the same seed have much in common
        delay = 0.02 + 0.002 * (common + rng.standard_normal((3, 4, runs)))
        used = 0.98 + 0.004 * (common + rng.standard_normal((3, 4, runs)))
        conclusions = conclusions_about_link(["link"] * 3, labels, delay, used)
        claims = [
            len(point.best) < len(labels) or "costs" in point.text or "idle" in point.text
            for point in conclusions.points
        ]
        wrong += any(claims)
    assert wrong <= stats.binom.ppf(0.99, 400, 0.05)
