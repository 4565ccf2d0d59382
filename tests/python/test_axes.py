"""Axes: numbers stand to scale, with units too, geometric ones on a logarithmic axis; names stand side by side."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from penstock.plots import metric_vs_swept
from penstock.plots.curves import CurveFigure
from penstock.report import page as report
from penstock.results.quantity import needs_log_axis
from penstock.results.summary_table import SummaryPoint, SummaryTable

from .fake_result import COUNTS, PATH, compare_result, means_alone

VALUES: dict[str, tuple[list[Any], list[float] | None, str, bool]] = {
    "rates": (["500kbit", "16Mbit", "2Mbit", "4Mbit"], [0.5, 2.0, 4.0, 16.0], "Mbit/s", True),
    "packets": (["100p", "35p", "70p", "140p"], [35.0, 70.0, 100.0, 140.0], "packets", False),
    "counts": ([30, 10, 20, 0], [0.0, 10.0, 20.0, 30.0], "", False),
    "doublings": ([1, 2, 8, 4], [1.0, 2.0, 4.0, 8.0], "", True),
    "names": (["reno", "cubic", "sack", "bbr"], None, "", False),
    "names and numbers": (["auto", 1, 2, 3], None, "", False),
}


def swept(values: list[Any]) -> dict[str, Any]:
    """The made-up comparison over other values."""
    result = means_alone(compare_result())
    for row in [*result["rows"], *result["series"]]:
        row["vary"] = {"links.bottleneck.x": values[COUNTS.index(row["vary"][PATH])]}
    return result


@pytest.mark.parametrize("kind", VALUES)
def test_the_axis_of_a_page_is_to_scale_where_values_are_numbers(kind: str) -> None:
    values, numbers, unit, log = VALUES[kind]
    match = re.search(r'id="data">(.*?)</script>', report.render(swept(values)), re.S)
    assert match
    data = json.loads(match[1])
    (axis,) = data["axes"]
    assert (axis["numbers"], axis["log"]) == (numbers, log)
    assert axis["title"] == ("bottleneck x" + (f" ({unit})" if unit else ""))
    # The title has the unit.
    in_its_unit = {"rates": ["0.5", "16", "2", "4"], "packets": ["100", "35", "70", "140"]}
    labels = in_its_unit.get(kind, [str(value) for value in values])
    assert [axis["labels"][point["at"][0]] for point in data["points"]] == labels


@pytest.mark.parametrize("kind", ["rates", "names"])
def test_a_figure_of_a_comparison_is_to_scale_or_has_points_at_names(kind: str) -> None:
    values, numbers, unit, log = VALUES[kind]
    (ax,) = metric_vs_swept.draw(swept(values), "delay_mean_s").axes
    first = ax.lines[0]
    assert ax.get_xscale() == ("log" if log else "linear")
    if numbers is None:
        assert [text.get_text() for text in ax.get_xticklabels()] == values
        assert first.get_linestyle() == "None"
        at_a_name = [
            np.asarray(line.get_xdata(), dtype=float).min() for line in ax.lines if line.get_marker() != "None"
        ]
        assert at_a_name == sorted(set(at_a_name))
        assert np.abs(at_a_name).max() < 0.5
    else:
        assert list(np.asarray(first.get_xdata())) == numbers
        assert ax.get_xlabel() == f"bottleneck x ({unit})"


def test_no_line_of_a_reproduced_figure_joins_names() -> None:
    cells = [
        ({"scheme": name, "load": n}, {"q": SummaryPoint(n + 1.0, 0.1)}) for name in ("red", "blue") for n in (1, 2)
    ]
    (ax,) = CurveFigure("scheme", "q", "load")(SummaryTable(cells)).axes
    assert [text.get_text() for text in ax.get_xticklabels()] == ["red", "blue"]
    assert {line.get_linestyle() for line in ax.lines if line.get_marker() != "None"} == {"None"}
    (ax,) = CurveFigure("load", "q", "scheme")(SummaryTable(cells)).axes
    assert "None" not in {line.get_linestyle() for line in ax.lines if line.get_marker() != "None"}


@pytest.mark.parametrize(
    ("values", "log"),
    [
        ([1, 10], False), ([1, 1000], True), ([1, 2, 5, 10, 20], True), ([10, 20, 30, 40, 80], False),
        ([25, 50, 100], False), ([-1, 10, 1000], False), ([5], False), ([0.0005, 0.002, 0.01], True),
    ],
)  # fmt: skip
def test_geometric_values_are_logarithmic(values: list[float], log: bool) -> None:
    assert needs_log_axis(values) is log
