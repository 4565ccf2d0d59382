"""The figures of a comparison's page in a browser: what is chosen is drawn, as a table, and saved as it is shown."""

from __future__ import annotations

import base64
import csv
import io
import json
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from penstock.report import page as report
from penstock.results.comparison import Comparison
from penstock.results.display import with_spaced_unit
from playwright.sync_api import Page

from .browser import needs_chromium, resize, wait
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


@pytest.fixture
def opened(tab: Page, tmp_path: Path) -> Page:
    file = tmp_path / "grid.html"
    # The content policy of a page forbids the test's own fetch of what is saved.
    text = report.render(grid_result()).replace("default-src 'none'", "default-src 'none'; connect-src blob:")
    file.write_text(text, encoding="utf-8")
    resize(tab, 1400)
    tab.emulate_media(color_scheme="light")
    tab.goto(file.as_uri())
    return tab


def choose(tab: Page, pick: str, value: str) -> None:
    at = f"document.querySelector('select[data-pick={pick}]')"
    tab.evaluate(f"{at}.value = {json.dumps(value)}; {at}.dispatchEvent(new Event('change')); 1")


def pressed(tab: Page, host: str, name: str) -> None:
    """Press a button of the first figure of a part of the page."""
    buttons = f"[...document.querySelectorAll('#{host} button')]"
    tab.evaluate(f"{buttons}.find((one) => one.textContent === '{name}').click(); 1")


def texts(tab: Page, nodes: str) -> list[str]:
    """The texts of the elements of an expression."""
    return tab.evaluate(f"[...{nodes}].map((one) => one.textContent)")  # type: ignore[no-any-return]


def across(tab: Page, host: str) -> list[str]:
    """The labels of the horizontal axis of the first figure of a part of the page."""
    marks = "querySelectorAll('g[data-mark^=\"x-axis tick label\"] text')"
    return texts(tab, f"document.querySelector('#{host} svg').{marks}")


def saved(tab: Page, host: str, name: str) -> tuple[str, bytes]:
    tab.evaluate(CAUGHT)
    pressed(tab, host, name)
    wait(tab, "saved.length === 1")
    file, content = tab.evaluate("saved[0]")
    return file, base64.b64decode(content)


def cells(tab: Page, host: str) -> list[list[str]]:
    pressed(tab, host, "Table")
    row = "(row) => [...row.cells].map((cell) => cell.textContent)"
    rows = f"[...document.querySelector('#{host} table').rows]"
    return tab.evaluate(f"{rows}.map({row})")  # type: ignore[no-any-return]


def test_a_figure_is_saved_as_it_is_shown(opened: Page) -> None:
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
    width = opened.evaluate("document.querySelector('#sweep .drawn').clientWidth")
    assert int.from_bytes(content[16:20]) == 2 * width


def test_the_numbers_of_a_figure_are_those_of_the_result(opened: Page) -> None:
    _, text = saved(opened, "sweep", "CSV")
    rows = list(csv.DictReader(io.StringIO(text.decode())))
    comparison = Comparison(grid_result())
    assert len(rows) == 4 * len(comparison.schemes)
    for row in rows:
        scheme = next(i for i, entry in enumerate(comparison.schemes) if entry.label == row["scheme"])
        setting = (row["at"], row["extra flows"])
        settings = [
            (f"bottleneck rate {with_spaced_unit(p.vary[RATE])}", str(p.vary[COUNT])) for p in comparison.points
        ]
        point = settings.index(setting)
        cell = comparison.cell(scheme, point, "bottleneck", "delay_mean_s")
        assert cell is not None
        assert cell.low is not None
        assert float(row["mean (ms)"]) == pytest.approx(1e3 * cell.mean, rel=1e-4)
        assert float(row["95 % from (ms)"]) == pytest.approx(1e3 * cell.low, rel=1e-4)
    assert cells(opened, "sweep")[1:] == [list(row.values()) for row in rows]


def test_the_axis_is_a_choice(opened: Page) -> None:
    assert across(opened, "sweep") == ["0", "25", "50", "100"]
    choose(opened, "axis", "0")
    assert across(opened, "sweep") == ["2", "4"]
    rest = texts(opened, "document.querySelector('select[data-pick=rest]').options")
    assert rest == [f"{count} extra flows" for count in (0, 25, 50, 100)]
    choose(opened, "rest", "3")
    assert {row[1] for row in cells(opened, "sweep")[1:]} == {"100 extra flows"}


def test_two_values_make_a_map_for_each_scheme(opened: Page) -> None:
    comparison = Comparison(grid_result())
    assert opened.evaluate("document.querySelectorAll('#heat figure').length") == len(comparison.schemes)
    table = cells(opened, "heat")
    assert table[0] == ["bottleneck rate (Mbit/s) \\ extra flows", "0", "25", "50", "100"]
    assert [row[0] for row in table[1:]] == ["2", "4"]
    for row in table[1:]:
        for count, cell_text in zip((0, 25, 50, 100), row[1:], strict=True):
            point = next(
                i for i, p in enumerate(comparison.points) if dict(p.vary) == {RATE: f"{row[0]}Mbit", COUNT: count}
            )
            cell = comparison.cell(0, point, "bottleneck", "delay_mean_s")
            assert cell is not None
            assert float(cell_text) == pytest.approx(1e3 * cell.mean, rel=1e-4)


def test_a_setting_is_chosen_once_for_the_whole_page(opened: Page) -> None:
    choose(opened, "point", "5")
    selected = "[...document.querySelectorAll('select[data-pick=point]')].map((one) => one.value)"
    assert set(opened.evaluate(selected)) == {"5"}
    visible = "[...document.querySelectorAll('.numbers:not([hidden]) .setting')].map((one) => one.textContent)"
    assert opened.evaluate(visible) == ["· bottleneck rate 4 Mbit/s, 25 extra flows"]
    sentence = opened.evaluate("document.querySelector('.answer').textContent").replace("\u00a0", " ")
    comparison = Comparison(grid_result())
    assert sentence == comparison.conclusions_at("bottleneck").points[5].text
    heads = texts(opened, "document.querySelectorAll('.leads .setting')")
    assert set(heads) == {"bottleneck rate 4 Mbit/s, 25 extra flows"}
    marked = texts(opened, "document.querySelectorAll('.ranking .chip.best')")
    best = comparison.conclusions_at("bottleneck").points[5].best
    assert sorted(marked) == sorted(comparison.schemes[scheme].label for scheme in best)
    row = "(row) => [row.cells[0].textContent, row.cells[3].textContent]"
    counts = opened.evaluate(f"[...document.querySelectorAll('.ranking tbody tr')].map({row})")
    for scheme, entry in enumerate(comparison.schemes):
        times = sum(scheme in entry.best for entry in comparison.conclusions_at("bottleneck").points)
        assert [entry.label, str(times)] in counts


def test_whole_numbers_have_no_ticks_between_them(opened: Page) -> None:
    labels = across(opened, "distributions")
    assert labels
    assert all(text.isdigit() for text in labels)
    # Nothing is drawn between whole numbers: lines go up and down at the halves, and straight between them.
    path = opened.evaluate("document.querySelector('#distributions g[data-mark=line] path').getAttribute('d')")
    points = [tuple(float(part) for part in point.split(",")) for point in path[1:].split("L")]
    assert all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(points))
