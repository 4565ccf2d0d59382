"""The built documentation in a real browser: `make docs-site`, which builds it first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .browser import Browser, needs_chromium
from .page_checks import fits, suits_every_reader

SITE = Path(__file__).resolve().parents[2] / "docs" / "_build" / "html"
PAGES = (
    "index.html",
    "generated/schemes/red.html",
    "generated/gallery.html",
    "lessons/swing.html",
    "tutorial/first-comparison.html",
    "schemes-compared.html",
)

pytestmark = [
    pytest.mark.site,
    pytest.mark.slow,
    needs_chromium,
    pytest.mark.skipif(not SITE.exists(), reason="make docs builds the documentation"),
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile"), seconds=300) as one:
        yield one


@pytest.mark.parametrize(("width", "theme"), [(1400, "dark"), (390, "light")])
def test_every_page_of_the_documentation_fits(width: int, theme: str, browser: Browser) -> None:
    pages = [page for page in sorted(SITE.rglob("*.html")) if not {"_static", "bench"} & set(page.parts)]
    assert len(pages) > 100
    browser.resize(width)
    browser.prefer(theme)
    for page in pages:
        browser.errors.clear()
        browser.open(page)
        fits(browser, f"{page.relative_to(SITE)}, {width} px, {theme}")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_of_the_documentation_suits_every_reader(page: str, browser: Browser) -> None:
    suits_every_reader(browser, SITE / page)
