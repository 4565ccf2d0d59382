"""The measurement of RED by `tune` beside a grid: its parts against plain ones, and the page against the data."""

from __future__ import annotations

import importlib
import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from penstock.tuning.aim import Aim
from penstock.tuning.bench import Measured, Setting
from penstock.tuning.space import Knob


@pytest.fixture
def grid() -> Any:
    return importlib.import_module("advice_grid")


def measured(delay: float, used: float) -> Measured:
    values = {("link", "delay_p99_s"): np.array([delay, delay]), ("link", "utilization"): np.array([used, used])}
    return Measured(Setting("red", {"min_th": delay}), values, np.array([0.5, 0.5]))


def test_the_front_is_that_of_a_plain_comparison(grid: Any) -> None:
    random = np.random.default_rng(1)
    points = [measured(float(delay), float(used)) for delay, used in random.uniform(0.1, 1, (60, 2)).round(1)]
    aim = Aim("delay p99 < 1s", None, "delay_p99_s", "<", 1.0)

    def numbers(measured: Measured) -> tuple[float, float]:
        return float(measured.values["link", "delay_p99_s"][0]), float(measured.values["link", "utilization"][0])

    plain = [
        point
        for point in points
        if not any(
            numbers(other)[0] <= numbers(point)[0]
            and numbers(other)[1] >= numbers(point)[1]
            and numbers(other) != numbers(point)
            for other in points
        )
    ]
    assert grid.front(points, aim, "link") == plain


def test_a_grid_goes_from_end_to_end(grid: Any) -> None:
    for name, count in grid.GRIDS["red"].items():
        values = grid.levels(Knob(name, 0.5, 40.0), grid.GRIDS["red"])
        assert (len(values), values[0], values[-1]) == (count, pytest.approx(0.5), pytest.approx(40.0))
        ratios = [after / before for before, after in pairwise(values)]
        assert ratios == pytest.approx([ratios[0]] * len(ratios))


def test_a_distance_is_the_largest_part_that_one_setting_saves(grid: Any) -> None:
    ours = np.array([0.02, 0.022])
    gains = [grid.gain(ours, np.array([0.01, 0.011])), grid.gain(ours, np.array([0.04, 0.044]))]
    assert grid.worst(gains)["mean"] == pytest.approx(1.0)
    assert grid.worst(gains[1:])["mean"] == pytest.approx(-0.5)
    assert grid.worst([]) is None


def test_the_page_is_that_of_the_data() -> None:
    advice = importlib.import_module("advice")
    text = advice.page(json.loads(advice.DATA.read_text(encoding="utf-8")))
    assert advice.PAGE.read_text(encoding="utf-8") == text
