"""The page of many schemes: a row for each, sorted, with sticky heads, and charts of a few; the choice of the place."""

from __future__ import annotations

from pathlib import Path

import pytest
from penstock.report import page
from penstock.results.comparison import Comparison
from penstock.scenario.document import Document
from penstock.studies.compare import compare
from penstock.studies.over_time import record_over_time
from playwright.sync_api import Page

from .browser import needs_chromium, resize

pytestmark = [pytest.mark.slow, needs_chromium, pytest.mark.xdist_group("pages")]

ROOT = Path(__file__).resolve().parents[2]
SCHEMES = [
    "droptail", "red", "blue", "sred", "rem", "pi", "avq", "codel", "pie", "pi2", "cobalt", "drr", "sfq", "fq-codel",
    "cake", "choke", "afd", "green", "fred", "sfb",
]  # fmt: skip


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Comparison]:
    """The page of 20 schemes on a link of two directions that are watched, and the comparison on it."""
    document = Document.read(ROOT / "scenarios" / "standard.toml")
    document = document.set("duration", "3s").set("warmup", "1s")
    document = document.set("links.bottleneck.reverse", {"queue": "same", "watch": True})
    up = {"kind": "tcp", "count": 2, "from": "R2", "to": "S1", "profile": "linux"}
    document = document.set("traffic.up", up)
    runs = compare(document, SCHEMES, runs=2)
    result = {**runs.to_dict(), "series": record_over_time(runs)}
    file = tmp_path_factory.mktemp("many") / "many.html"
    page.write(result, file)
    return file, Comparison(result)


def names(tab: Page) -> list[str]:
    return tab.evaluate(  # type: ignore[no-any-return]
        "[...document.querySelectorAll('.numbers:not([hidden]) tbody .colhead')].map((one) => one.textContent.trim())"
    )


def test_each_scheme_has_a_row_of_normal_height_sorted_by_a_metric(many: tuple[Path, Comparison], tab: Page) -> None:
    file, comparison = many
    resize(tab, 1400)
    tab.goto(file.as_uri())

    def by(metric: str) -> list[str]:
        cells = [comparison.cell(scheme, 0, "bottleneck", metric) for scheme in range(len(SCHEMES))]
        means = [cell.mean if cell else float("inf") for cell in cells]
        return [SCHEMES[scheme] for scheme in sorted(range(len(SCHEMES)), key=lambda scheme: round(means[scheme], 6))]

    assert names(tab) == by("delay_p99_s")
    tab.click('.numbers:not([hidden]) th[data-metric="utilization"] .sort')
    assert names(tab)[0] == by("utilization")[0]
    tab.click('.numbers:not([hidden]) th[data-metric="utilization"] .sort')
    assert names(tab)[-1] == by("utilization")[0]
    heights = tab.evaluate(
        "[...document.querySelectorAll('.numbers:not([hidden]) tbody tr')].map((row) => row.offsetHeight)"
    )
    assert max(heights) < 40


def test_the_heads_stay_when_the_rows_scroll(many: tuple[Path, Comparison], tab: Page) -> None:
    resize(tab, 1400, 600)
    tab.goto(many[0].as_uri())
    place = "document.querySelector('.numbers:not([hidden]) .scroll')"
    top = f"{place}.querySelector('thead th').getBoundingClientRect().top - {place}.getBoundingClientRect().top"
    before = tab.evaluate(top)
    tab.evaluate(f"{place}.scrollTop = 200, 1")
    assert tab.evaluate(f"{place}.scrollTop") == 200
    assert tab.evaluate(top) == pytest.approx(before, abs=1)


def test_no_card_is_blank_and_the_legend_is_short(many: tuple[Path, Comparison], tab: Page) -> None:
    resize(tab, 1400)
    tab.goto(many[0].as_uri())
    height = "document.querySelector('#trade-off {}').getBoundingClientRect().height"
    card, drawn = (tab.evaluate(height.format(part)) for part in ("figure", ".drawn svg"))
    assert card - drawn < 110
    resize(tab, 390)
    tab.reload()
    assert tab.evaluate("document.querySelector('nav.bar').offsetHeight") < 200


def test_charts_show_a_few_schemes_of_different_colours_and_those_that_are_chosen(
    many: tuple[Path, Comparison], tab: Page
) -> None:
    resize(tab, 1400)
    tab.goto(many[0].as_uri())
    pressed = "[...document.querySelectorAll('#legend .key')].filter((one) => one.ariaPressed === 'true')"
    drawn = tab.evaluate(f"{pressed}.map((one) => Number(one.dataset.scheme))")
    assert 1 < len(drawn) <= 8
    assert len({scheme % 8 for scheme in drawn}) == len(drawn)
    assert 0 in drawn
    other = next(scheme for scheme in range(len(SCHEMES)) if scheme not in drawn)
    ranked = "[...document.querySelectorAll('.ranking button')]"
    tab.evaluate(f"{ranked}.find((one) => one.textContent === '{SCHEMES[other]}').click(), 1")
    assert other in tab.evaluate(f"{pressed}.map((one) => Number(one.dataset.scheme))")
    tab.click("#legend summary")
    tab.fill("#legend input", "FQ-")
    keys = "[...document.querySelectorAll('#legend .key')]"
    visible = f"{keys}.filter((one) => one.checkVisibility()).map((one) => one.textContent.trim())"
    assert tab.evaluate(visible) == ["fq-codel"]
    tab.click('#legend [data-show="none"]')
    assert tab.evaluate(f"{pressed}.length") == 0


def test_the_place_of_measurement_changes_headline_trade_off_and_time_series(
    many: tuple[Path, Comparison], tab: Page
) -> None:
    file, comparison = many
    resize(tab, 1400)
    tab.goto(file.as_uri())
    read = """[document.querySelector('.answer').textContent, document.querySelector('.ranking').textContent,
      document.querySelector('#series .drawn svg').outerHTML, document.querySelector('select[data-pick=link]').value]"""
    for place in ("bottleneck.reverse", "bottleneck"):
        before = tab.evaluate(read)
        select = "document.querySelector('select[data-pick=place]')"
        tab.evaluate(f"{select}.value = '{place}', {select}.dispatchEvent(new Event('change')), 1")
        after = tab.evaluate(read)
        if place == "bottleneck.reverse":
            assert all(first != second for first, second in zip(before, after, strict=True))
        assert after[0].replace("\u00a0", " ") == comparison.conclusions_at(place).points[0].text
        assert after[3] == place
