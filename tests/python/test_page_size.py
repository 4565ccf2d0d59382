"""Pages stay small: much fits, and what does not is left out and said."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from penstock.report import page as report
from penstock.report import view
from penstock.report.page_size import LARGEST, evenly_spread_indices
from penstock.results.comparison import Comparison
from playwright.sync_api import Browser, Page

from .browser import needs_chromium, opened, wait
from .fake_result import PATH, compare_result, run_result

CELLS = 24  # of the made-up comparison: six schemes at four settings


def larger(times: int) -> dict[str, Any]:
    """The made-up comparison at `times` as many settings, each with its series."""
    result = compare_result()
    for key in ("rows", "series"):
        entries = result[key]
        result[key] = [
            {**entry, "vary": {PATH: entry["vary"][PATH] + 1000 * k}} for k in range(times) for entry in entries
        ]
    return result


def data_of(page: str) -> dict[str, Any]:
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert match
    data: dict[str, Any] = json.loads(match[1])
    return data


def left_out(page: str) -> str:
    match = re.search(r'<p class="lead left-out">(.*?)</p>', page)
    return match[1] if match else ""


def test_a_page_of_many_cells_is_small_and_whole() -> None:
    sizes = {}
    for times in (1, 9):
        page = report.render(larger(times))
        sizes[times] = len(page.encode())
        data = data_of(page)
        assert left_out(page) == ""
        assert len(data["series"]) == times * CELLS
    assert sizes[9] < 2_000_000  # of 216 cells
    assert (sizes[9] - sizes[1]) / (8 * CELLS) < 8_000


def test_a_page_says_what_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    result = larger(2)
    whole = len(report.render(result).encode())
    sizes = {}
    for largest in (whole, 800_000, 560_000, 472_000):
        monkeypatch.setattr(report, "LARGEST", largest)
        page = report.render(result)
        assert len(page.encode()) <= largest
        data = data_of(page)
        first = next(place for place in data["places"] if place["name"] == "bottleneck")
        drawn = [values for values in first["distributions"][0]["mean"][0] if values]
        sizes[largest] = (len(data["points"]), len(first["metrics"]), len(drawn), len(data["series"]))
        words = left_out(page)
        assert ("the queues over time at" in words) == (len(data["series"]) < 2 * CELLS), largest
        assert ("the distributions at" in words) == (len(drawn) < len(data["points"])), largest
        assert ("of 8 settings, the metrics that are not key" in words) == (len(data["points"]) < 8), largest
    assert list(sizes.values()) == sorted(sizes.values(), reverse=True)
    assert min(sizes.values())[0] < 8, sizes


def test_a_page_of_many_settings_is_estimated_and_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    result = larger(30)  # 720 cells at 120 settings
    result["series"] = result["series"][:CELLS]
    monkeypatch.setattr(report, "LARGEST", 900_000)
    point_counts: list[int] = []
    compared = report._compare_page

    def counted(reduced: Any, comparison: Comparison, swept: Any) -> Any:
        point_counts.append(len(comparison.points))
        return compared(reduced, comparison, swept)

    monkeypatch.setattr(report, "_compare_page", counted)
    page = report.render(result)
    assert len(data_of(page)["points"]) == 53
    assert point_counts == [*report.SAMPLES, *report.SAMPLES, 53]
    monkeypatch.setattr(report, "SAMPLES", (4, 120))  # nothing is estimated
    point_counts.clear()
    assert report.render(result) == page
    assert point_counts == [120, 120, 80, 53]


def test_a_run_of_many_links_and_flows_is_small() -> None:
    result = run_result()
    link, flow, series = result["links"]["bottleneck"], result["traffic"]["extra"], result["series"]["bottleneck"]
    result["links"] = {f"link {i}": link for i in range(300)}
    result["series"] = {f"link {i}": series for i in range(300)}
    result["traffic"] = {f"group {i}": {**flow, "flows": flow["flows"] * 20} for i in range(150)}
    page = report.render(result)
    assert len(page.encode()) <= LARGEST
    assert "leaves out 200 of 300 links, 50 of 150 groups of flows." in left_out(page)


def test_kept_settings_are_evenly_spread() -> None:
    assert evenly_spread_indices(100, 4) == [0, 33, 66, 99]
    assert [len(evenly_spread_indices(50, count)) for count in range(60)] == [*range(51), *[50] * 9]


SHOWN = """
[...document.querySelectorAll(".numbers:not([hidden]) tbody tr:not(.group)")].map((line) =>
  [...line.querySelectorAll(".num")].map((cell) => [cell.textContent.trim(), cell.classList[1] ?? ""]))
"""


@needs_chromium
def test_the_table_of_each_setting_has_its_numbers(tmp_path: Path, tab: Page) -> None:
    result = compare_result()
    comparison = Comparison(result)
    file = tmp_path / "page.html"
    report.write(result, file)
    groups = view.metric_tables(comparison, view.display_scales(comparison), "bottleneck")
    tab.goto(file.as_uri())
    for point in (0, 2):
        choose = f"one.value = '{point}'; one.dispatchEvent(new Event('change'))"
        tab.evaluate(f"(() => {{ const one = document.querySelector('select[data-pick=point]'); {choose} }})()")
        expected = [
            [[(c["text"] or "–") + (f"±{c['half']}" if c["half"] else ""), c["lead"]] for c in row["points"][point]]
            for group in groups
            for row in group["rows"]
        ]
        assert tab.evaluate(SHOWN) == expected
        strips = tab.evaluate("document.querySelectorAll('.numbers:not([hidden]) .strip').length")
        assert 0 < strips <= len(expected)


@needs_chromium
def test_paper_has_the_tables_of_all_settings(tmp_path: Path, tab: Page) -> None:
    file = tmp_path / "page.html"
    report.write(compare_result(), file)
    tab.goto(f"{file.as_uri()}#point=1")
    heads = "[...document.querySelectorAll('.numbers:not([hidden]) .setting')].map((one) => one.textContent)"
    before = tab.evaluate(heads)
    assert before == ["· 25 extra flows"]
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.evaluate(heads) == [f"· {count} extra flows" for count in (0, 25, 50, 100)]
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert tab.evaluate(heads) == before


@needs_chromium
def test_without_scripts_a_page_has_its_numbers_and_no_empty_charts(tmp_path: Path, chromium: Browser) -> None:
    file = tmp_path / "page.html"
    report.write(compare_result(), file)
    count_visible = "[...document.querySelectorAll('{}')].filter((one) => one.checkVisibility()).length"
    with opened(chromium, java_script_enabled=False) as tab:
        tab.goto(file.as_uri())
        assert tab.evaluate(count_visible.format(".charts, .pick, .tools, .one")) == 0
        assert tab.evaluate(count_visible.format(".leads, .grid")) == 2
        assert tab.evaluate(count_visible.format(".grid tr:not(.extra) .num .v")) > 6


@needs_chromium
def test_the_largest_page_is_seen_within_a_second(tmp_path: Path, tab: Page) -> None:
    file = tmp_path / "large.html"
    report.write(larger(12), file)
    paint_times = []
    for _ in range(3):  # the machine may be busy with other tests
        tab.goto(file.as_uri())
        wait(tab, "performance.getEntriesByName('first-contentful-paint').length > 0")
        paint_times.append(tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        if paint_times[-1] < 1000:
            break
    assert min(paint_times) < 1000, paint_times
