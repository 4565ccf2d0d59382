"""Pages stay small: much fits, and what does not is left out and said."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from penstock.report import page as report
from penstock.report import view
from penstock.report.fitting import LARGEST, spread
from penstock.results.comparison import Comparison

from .browser import Browser, needs_chromium
from .fake_result import PATH, compare_result, run_result

CELLS = 24  # of the made-up comparison: six schemes at four settings


def larger(times: int) -> dict[str, Any]:
    """The made-up comparison at `times` as many settings, each with its series."""
    result = compare_result()
    for key in ("rows", "series"):
        ones = result[key]
        result[key] = [{**one, "vary": {PATH: one["vary"][PATH] + 1000 * k}} for k in range(times) for one in ones]
    return result


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def left_out(page: str) -> str:
    found = re.search(r'<p class="lead left-out">(.*?)</p>', page)
    return found[1] if found else ""


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
    seen = {}
    for largest in (whole, 800_000, 560_000, 470_000):
        monkeypatch.setattr(report, "LARGEST", largest)
        page = report.render(result)
        assert len(page.encode()) <= largest
        data = data_of(page)
        first = next(place for place in data["places"] if place["name"] == "bottleneck")
        known = [one for one in first["distributions"][0]["mean"][0] if one]
        seen[largest] = (len(data["points"]), len(first["metrics"]), len(known), len(data["series"]))
        said = left_out(page)
        assert ("the queues over time at" in said) == (len(data["series"]) < 2 * CELLS), largest
        assert ("the distributions at" in said) == (len(known) < len(data["points"])), largest
        assert ("of 8 settings, the metrics that are not key" in said) == (len(data["points"]) < 8), largest
    assert list(seen.values()) == sorted(seen.values(), reverse=True)
    assert min(seen.values())[0] < 8, seen


def test_a_page_of_many_settings_is_estimated_and_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    result = larger(30)  # 720 cells at 120 settings
    result["series"] = result["series"][:CELLS]
    monkeypatch.setattr(report, "LARGEST", 900_000)
    made: list[int] = []
    compared = report._compare_page

    def counted(shown: Any, found: Comparison, swept: Any) -> Any:
        made.append(len(found.points))
        return compared(shown, found, swept)

    monkeypatch.setattr(report, "_compare_page", counted)
    page = report.render(result)
    assert len(data_of(page)["points"]) == 53
    assert made == [*report.SAMPLES, *report.SAMPLES, 53]
    monkeypatch.setattr(report, "SAMPLES", (4, 120))  # nothing is estimated
    made.clear()
    assert report.render(result) == page
    assert made == [120, 120, 80, 53]


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
    assert spread(100, 4) == [0, 33, 66, 99]
    assert [len(spread(50, kept)) for kept in range(60)] == [*range(51), *[50] * 9]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as one:
        yield one


SHOWN = """
[...document.querySelectorAll(".numbers:not([hidden]) tbody tr:not(.group)")].map((line) =>
  [...line.querySelectorAll(".num")].map((cell) => [cell.textContent.trim(), cell.classList[1] ?? ""]))
"""


@needs_chromium
def test_the_table_of_each_setting_has_its_numbers(tmp_path: Path, browser: Browser) -> None:
    result = compare_result()
    found = Comparison(result)
    file = tmp_path / "page.html"
    report.write(result, file)
    groups = view.tables(found, view.scales(found), "bottleneck")
    browser.open(file)
    for point in (0, 2):
        choose = f"one.value = '{point}'; one.dispatchEvent(new Event('change'))"
        browser.value(f"(() => {{ const one = document.querySelector('select[data-pick=point]'); {choose} }})()")
        expected = [
            [[(c["text"] or "–") + (f"±{c['half']}" if c["half"] else ""), c["lead"]] for c in row["points"][point]]
            for group in groups
            for row in group["rows"]
        ]
        assert browser.value(SHOWN) == expected
        strips = browser.value("document.querySelectorAll('.numbers:not([hidden]) .strip').length")
        assert 0 < strips <= len(expected)
        assert browser.errors == []


@needs_chromium
def test_paper_has_the_tables_of_all_settings(tmp_path: Path, browser: Browser) -> None:
    file = tmp_path / "page.html"
    report.write(compare_result(), file)
    browser.open(file, "point=1")
    heads = "[...document.querySelectorAll('.numbers:not([hidden]) .setting')].map((one) => one.textContent)"
    before = browser.value(heads)
    assert before == ["· 25 extra flows"]
    browser.value("dispatchEvent(new Event('beforeprint'))")
    assert browser.value(heads) == [f"· {count} extra flows" for count in (0, 25, 50, 100)]
    browser.value("dispatchEvent(new Event('afterprint'))")
    assert browser.value(heads) == before


@needs_chromium
def test_without_scripts_a_page_has_its_numbers_and_no_empty_charts(tmp_path: Path, browser: Browser) -> None:
    file = tmp_path / "page.html"
    report.write(compare_result(), file)
    browser.scripts(False)
    browser.open(file)
    shown = "[...document.querySelectorAll('{}')].filter((one) => one.checkVisibility()).length"
    assert browser.value(shown.format(".charts, .pick, .tools, .one")) == 0
    assert browser.value(shown.format(".leads, .grid")) == 2
    assert browser.value(shown.format(".grid tr:not(.extra) .num .v")) > 6
    browser.scripts(True)


@needs_chromium
def test_the_largest_page_is_seen_within_a_second(tmp_path: Path, browser: Browser) -> None:
    file = tmp_path / "large.html"
    report.write(larger(12), file)
    seen = []
    for _ in range(3):  # the machine may be busy with other tests
        browser.open(file)
        browser.wait("performance.getEntriesByName('first-contentful-paint').length > 0")
        seen.append(browser.value("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        if seen[-1] < 1000:
            break
    assert min(seen) < 1000, seen
