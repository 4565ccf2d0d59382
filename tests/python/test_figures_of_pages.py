"""The figures of a comparison's page in a browser: what is chosen is drawn, as a table, and saved as it is shown."""

from __future__ import annotations

import base64
import csv
import io
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from penstock.report import page as report
from penstock.results.comparison import Comparison
from penstock.results.display import spaced

from .browser import Browser, needs_chromium
from .fake_result import PATH as COUNT
from .fake_result import RATE, grid_result

pytestmark = [pytest.mark.slow, needs_chromium, pytest.mark.xdist_group("pages")]

CAUGHT = """
window.saved = [];
HTMLAnchorElement.prototype.click = function () {
  const encoded = (content) => new Promise((done) => {
    const reader = new FileReader();
    reader.onload = () => done([this.download, reader.result.split(",")[1]]);
    reader.readAsDataURL(content);
  });
  saved.push(fetch(this.href).then((answer) => answer.blob()).then(encoded));
};
1
"""
"""Saved files are kept in the page instead of on disk."""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as one:
        yield one


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Browser:
    file = tmp_path / "grid.html"
    # The content policy of a page forbids the test's own fetch of what is saved.
    text = report.render(grid_result()).replace("default-src 'none'", "default-src 'none'; connect-src blob:")
    file.write_text(text, encoding="utf-8")
    browser.errors.clear()
    browser.resize(1400)
    browser.prefer("light")
    browser.open(file)
    return browser


def choose(browser: Browser, pick: str, value: str) -> None:
    at = f"document.querySelector('select[data-pick={pick}]')"
    browser.value(f"{at}.value = {json.dumps(value)}; {at}.dispatchEvent(new Event('change')); 1")


def pressed(browser: Browser, host: str, name: str) -> None:
    """Press a button of the first figure of a part of the page."""
    buttons = f"[...document.querySelectorAll('#{host} button')]"
    browser.value(f"{buttons}.find((one) => one.textContent === '{name}').click(); 1")


def texts(browser: Browser, nodes: str) -> list[str]:
    """The texts of the elements of an expression."""
    return browser.value(f"[...{nodes}].map((one) => one.textContent)")  # type: ignore[no-any-return]


def across(browser: Browser, host: str) -> list[str]:
    """The labels of the horizontal axis of the first figure of a part of the page."""
    marks = "querySelectorAll('g[data-mark^=\"x-axis tick label\"] text')"
    return texts(browser, f"document.querySelector('#{host} svg').{marks}")


def saved(browser: Browser, host: str, name: str) -> tuple[str, bytes]:
    browser.value(CAUGHT)
    pressed(browser, host, name)
    browser.wait("saved.length === 1")
    file, content = browser.awaited("saved[0]")
    return file, base64.b64decode(content)


def cells(browser: Browser, host: str) -> list[list[str]]:
    pressed(browser, host, "Table")
    row = "(row) => [...row.cells].map((cell) => cell.textContent)"
    rows = f"[...document.querySelector('#{host} table').rows]"
    return browser.value(f"{rows}.map({row})")  # type: ignore[no-any-return]


def test_a_figure_is_saved_as_it_is_shown(opened: Browser) -> None:
    name, text = saved(opened, "sweep", "SVG")
    assert name == "thesis-link-queueing-delay-mean.svg"
    drawing = ElementTree.fromstring(text)
    words = ["".join(part.itertext()) for part in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Queueing delay, mean (ms)", "droptail", "red gentle", "psand", "100"} <= set(words)
    assert b"var(" not in text, "no colour of the page's style sheet"
    assert b"http" not in text.replace(b"http://www.w3.org/", b"")

    name, content = saved(opened, "sweep", "PNG")
    assert name.endswith(".png")
    assert content.startswith(b"\x89PNG")
    width = opened.value("document.querySelector('#sweep .drawn').clientWidth")
    assert int.from_bytes(content[16:20]) == 2 * width
    assert opened.errors == []


def test_the_numbers_of_a_figure_are_those_of_the_result(opened: Browser) -> None:
    _, text = saved(opened, "sweep", "CSV")
    rows = list(csv.DictReader(io.StringIO(text.decode())))
    found = Comparison(grid_result())
    assert len(rows) == 4 * len(found.schemes)
    for row in rows:
        scheme = next(i for i, one in enumerate(found.schemes) if one.label == row["scheme"])
        setting = (row["at"], row["extra flows"])
        settings = [(f"bottleneck rate {spaced(p.vary[RATE])}", str(p.vary[COUNT])) for p in found.points]
        point = settings.index(setting)
        cell = found.cell(scheme, point, "bottleneck", "delay_mean_s")
        assert cell is not None
        assert cell.low is not None
        assert float(row["mean (ms)"]) == pytest.approx(1e3 * cell.mean, rel=1e-4)
        assert float(row["95 % from (ms)"]) == pytest.approx(1e3 * cell.low, rel=1e-4)
    assert cells(opened, "sweep")[1:] == [list(row.values()) for row in rows]


def test_the_axis_is_a_choice(opened: Browser) -> None:
    assert across(opened, "sweep") == ["0", "25", "50", "100"]
    choose(opened, "axis", "0")
    assert across(opened, "sweep") == ["2", "4"]
    rest = texts(opened, "document.querySelector('select[data-pick=rest]').options")
    assert rest == [f"{count} extra flows" for count in (0, 25, 50, 100)]
    choose(opened, "rest", "3")
    assert {row[1] for row in cells(opened, "sweep")[1:]} == {"100 extra flows"}


def test_two_values_make_a_map_for_each_scheme(opened: Browser) -> None:
    found = Comparison(grid_result())
    assert opened.value("document.querySelectorAll('#heat figure').length") == len(found.schemes)
    table = cells(opened, "heat")
    assert table[0] == ["bottleneck rate (Mbit/s) \\ extra flows", "0", "25", "50", "100"]
    assert [row[0] for row in table[1:]] == ["2", "4"]
    for row in table[1:]:
        for count, shown in zip((0, 25, 50, 100), row[1:], strict=True):
            point = next(i for i, p in enumerate(found.points) if dict(p.vary) == {RATE: f"{row[0]}Mbit", COUNT: count})
            cell = found.cell(0, point, "bottleneck", "delay_mean_s")
            assert cell is not None
            assert float(shown) == pytest.approx(1e3 * cell.mean, rel=1e-4)


def test_a_setting_is_chosen_once_for_the_whole_page(opened: Browser) -> None:
    choose(opened, "point", "5")
    shown = "[...document.querySelectorAll('select[data-pick=point]')].map((one) => one.value)"
    assert set(opened.value(shown)) == {"5"}
    visible = "[...document.querySelectorAll('.numbers:not([hidden]) .setting')].map((one) => one.textContent)"
    assert opened.value(visible) == ["· bottleneck rate 4 Mbit/s, 25 extra flows"]
    said = opened.value("document.querySelector('.answer').textContent").replace("\u00a0", " ")
    found = Comparison(grid_result())
    assert said == found.conclusion_at(5)
    heads = texts(opened, "document.querySelectorAll('.leads .setting')")
    assert set(heads) == {"bottleneck rate 4 Mbit/s, 25 extra flows"}
    marked = texts(opened, "document.querySelectorAll('.ranking .chip.best')")
    best = found.among_the_best(5, "bottleneck")
    assert sorted(marked) == sorted(found.schemes[scheme].label for scheme in best)
    row = "(row) => [row.cells[0].textContent, row.cells[3].textContent]"
    counts = opened.value(f"[...document.querySelectorAll('.ranking tbody tr')].map({row})")
    for scheme, one in enumerate(found.schemes):
        times = sum(scheme in found.among_the_best(point, "bottleneck") for point in range(len(found.points)))
        assert [one.label, str(times)] in counts


def test_whole_numbers_have_no_ticks_between_them(opened: Browser) -> None:
    found = across(opened, "distributions")
    assert found
    assert all(text.isdigit() for text in found)
    # Nothing is drawn between whole numbers: lines go up and down at the halves, and straight between them.
    path = opened.value("document.querySelector('#distributions g[data-mark=line] path').getAttribute('d')")
    points = [tuple(float(part) for part in point.split(",")) for point in path[1:].split("L")]
    assert all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(points))
