"""The built documentation in a real browser: `make docs-site`, which builds it first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .browser import Browser, needs_chromium
from .page_checks import suits

SITE = Path(__file__).resolve().parents[2] / "docs" / "_build" / "html"
pytestmark = [
    pytest.mark.site,
    pytest.mark.slow,
    needs_chromium,
    pytest.mark.skipif(not SITE.exists(), reason="make docs builds the documentation"),
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile"), seconds=900) as one:
        yield one


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 390])
def test_every_page_of_the_documentation_suits_every_reader(width: int, theme: str, browser: Browser) -> None:
    pages = [page for page in sorted(SITE.rglob("*.html")) if not {"_static", "bench"} & set(page.parts)]
    assert len(pages) > 100
    browser.resize(width)
    browser.prefer(theme)
    for page in pages:
        suits(browser, page, f"{page.relative_to(SITE)}, {width} px, {theme}")
