"""The built documentation in a real browser: `make docs-site`, which builds it first."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from .browser import faults, needs_chromium
from .page_checks import document_suits_every_reader

SITE = Path(__file__).resolve().parents[2] / "docs" / "_build" / "html"
PAGES = [
    str(page.relative_to(SITE))
    for page in sorted(SITE.rglob("*.html"))
    if "_static" not in page.relative_to(SITE).parts
]

pytestmark = [
    pytest.mark.site,
    pytest.mark.slow,
    needs_chromium,
    pytest.mark.skipif(not SITE.exists(), reason="make docs builds the documentation"),
]


def test_all_of_the_documentation_is_there() -> None:
    assert len(PAGES) > 100
    assert {"index.html", "generated/schemes/red.html", "lessons/swing.html", "live.html"} <= set(PAGES)


GENERATED = [page for page in PAGES if page.startswith("generated/")]
ALIKE = {page for number, page in enumerate(GENERATED) if number % 5}
"""Generated pages have the elements and colours of few templates: axe-core, which takes seconds, reads every fifth."""


@pytest.mark.parametrize("page", PAGES)
def test_a_page_of_the_documentation_suits_every_reader(page: str, tab: Page) -> None:
    document_suits_every_reader(tab, SITE / page, axe=page not in ALIKE)


FAULTS = {
    "color-contrast": "<p style='color: #6a6a6a'>grey in both themes</p>",
    "390 px": "<div style='width: 600px'>too wide</div>",
    "dark": "<p style='color: #000'>black</p>",
    "image-alt": "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>",
    "console": "<script>console.error('told on the console')</script>",
    "request": "<script>fetch('http://localhost:9/')</script>",
    "one text | another": "<div style='position: relative; height: 2em'><i style='position: absolute'>one text</i>"
    "<i style='position: absolute; left: 9px'>another</i></div>",
    "overflow:hidden": "<div style='overflow:hidden; width: 30px; white-space: nowrap'>too long for its box</div>",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_a_page_is_found(fault: str, tab: Page) -> None:
    """Each is put into a page of the documentation; the message of the check tells it."""
    whole = SITE / "lessons" / "index.html"
    text = whole.read_text(encoding="utf-8")
    broken = whole.with_name(f"broken-{list(FAULTS).index(fault)}.html")  # several processes run these tests
    assert text.count("</article>") == 1
    broken.write_text(text.replace("</article>", f"{FAULTS[fault]}</article>"), encoding="utf-8")
    try:
        with pytest.raises(AssertionError) as caught:
            document_suits_every_reader(tab, broken)
    finally:
        broken.unlink()
    faults(tab).clear()
    assert fault in str(caught.value)
