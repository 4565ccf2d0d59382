"""Figures draw no interval beyond what is possible: one rule for all, by the name on the axis or by the metric."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from penstock.plots import metric_by_axis, style
from penstock.reproduce.paper import find_experiments
from penstock.reproduce.record import recorded_outcomes
from penstock.results.metrics import ANY, METRICS, NOT_NEGATIVE, clip_interval
from penstock.results.summary_table import SummaryPoint, SummaryTable

# Figures whose points come close to an end: what is drawn, and between which ends.
FIGURES = {
    "kt/single": {"utilization (%)": (0, 100)},
    "kt/why-c12": {"loss (%)": (0, 100)},
    "cc/fig17": {"utilization": (0, 1)},
    "cc/fig18": {"loss rate": (0, 1)},
    "br/fig3b": {"UDP loss (%)": (0, 100)},
    "bs/fig4": {"loss (%)": (0, 100)},
    "alemu/fig3-5": {"loss (%)": (0, 100), "P(X=0) (%)": (0, 100)},
    "alemu/fig4-6": {"utilization (%)": (0, 100), "Jain's index": (0, 1)},
    "alemu/fig4-7": {"LRL(1) (% of loss runs)": (0, 100), "LRL(3) (% of loss runs)": (0, 100)},
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_of_a_work_stays_within_its_ends(name: str) -> None:
    (outcome,) = recorded_outcomes(find_experiments([name]))
    figure = outcome.figure()
    assert figure is not None
    within = FIGURES[name]
    assert {ax.get_ylabel() for ax in figure.axes if ax.lines} >= set(within)
    for ax in figure.axes:
        if ax.lines:
            bottom, top = within.get(ax.get_ylabel(), NOT_NEGATIVE)
            assert bottom - 1e-9 <= min(heights(ax))
            assert max(heights(ax)) <= top + 1e-9
            if math.isfinite(top) and ax.get_yscale() == "linear":
                assert ax.get_ylim()[1] <= 1.03 * top


@pytest.mark.parametrize(
    ("label", "ends"),
    [
        ("loss (%)", (0, 100)), ("P(X=0) (%)", (0, 100)), ("drop probability", (0, 1)), ("Jain's index", (0, 1)),
        ("stored packets among drops", (0, 1)), ("P(more than k losses in a row)", (0, 1)),
        ("mean losses in a row", NOT_NEGATIVE), ("queueing delay (ms)", NOT_NEGATIVE), ("timeouts", NOT_NEGATIVE),
        ("goodput, 200 ms (%)", NOT_NEGATIVE), ("difference of probabilities", ANY),
    ],
)  # fmt: skip
def test_the_ends_follow_from_the_name_on_the_axis(label: str, ends: tuple[float, float]) -> None:
    assert style.possible_range(label) == ends


def test_the_ends_of_a_metric_are_those_of_its_name() -> None:
    """Both rules agree where both apply: the catalogue's shares and titles."""
    for about in METRICS:
        if (
            about.range == (0.0, 1.0)
            and about.quantity == "share"
            and style.possible_range(about.title) != NOT_NEGATIVE
        ):
            assert style.possible_range(f"{about.title} (%)") == (0.0, 100.0)
        if style.possible_range(about.title) == (0.0, 1.0):
            assert about.range == (0.0, 1.0), about.name


@given(mean=st.floats(-2, 2), half=st.floats(0, 3), bottom=st.sampled_from([0.0, -math.inf]), top=st.floats(0, 2))
def test_a_cut_interval_keeps_the_possible_mean(mean: float, half: float, bottom: float, top: float) -> None:
    low, high = clip_interval(mean - half, mean + half, (bottom, top))
    assert mean - half <= low <= high <= mean + half
    if bottom <= mean <= top:
        assert bottom <= low <= mean <= high <= top


def test_a_figure_of_a_store_cuts_intervals_too() -> None:
    cells = [({"flows": n, "scheme": "red"}, {"link.utilization": SummaryPoint(0.99, 0.03)}) for n in (1, 2)]
    figure = metric_by_axis.draw(SummaryTable(cells), "flows", "link.utilization", "scheme")
    assert max(heights(figure.axes[0])) == pytest.approx(100)


def test_a_difference_is_not_cut() -> None:
    with style.figure_style():
        _, ax = style.single_panel()
        style.draw_with_intervals(ax, [1.0, 2.0], [0.1, -0.1], [0.5, 0.5], style.possible_range("difference of delays"))
    assert (min(heights(ax)), max(heights(ax))) == pytest.approx((-0.6, 0.6))


def heights(ax: Axes) -> list[float]:
    """All drawn numbers."""
    ordinates = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for line in ax.lines])
    return [float(height) for height in ordinates if not math.isnan(height)]
