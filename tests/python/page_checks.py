"""What every page must be in a real browser, wide and narrow, light and dark."""

from __future__ import annotations

import json
from pathlib import Path

from axe_core_python import __file__ as axe_package

from .browser import Browser

AXE = Path(axe_package).with_name("axe.min.js").read_text(encoding="utf-8")
LARGEST = 3_000_000  # bytes

CLIPPED = """
[...document.querySelectorAll("body *")].filter((node) => {
  const look = getComputedStyle(node);
  return node.checkVisibility() && node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0
    && node.textContent.trim() && ["hidden", "clip"].includes(look.overflowX) && look.textOverflow !== "ellipsis";
}).map((node) => node.outerHTML.slice(0, 100))
"""
"""Elements whose text goes on beyond their box."""

SERIOUS = """
axe.run(document, {resultTypes: ["violations"], iframes: false}).then((found) => found.violations
  .filter((one) => ["serious", "critical"].includes(one.impact))
  .map((one) => [one.id, one.nodes.slice(0, 3).map((node) => node.html.slice(0, 100))]))
"""


def suits_every_reader(browser: Browser, file: Path) -> None:
    """No error, no request, nothing clipped or beyond the window, no serious fault of access."""
    assert file.stat().st_size < LARGEST
    for width in (1400, 390):
        for theme in ("light", "dark"):
            browser.resize(width)
            browser.prefer(theme)
            browser.errors.clear()
            browser.open(file)
            browser.value(f"{AXE}; document.querySelectorAll('details').forEach((one) => (one.open = true)); 1")
            at = f"{file.name}, {width} px, {theme}"
            assert browser.errors == [], at
            assert browser.value("document.documentElement.scrollWidth <= innerWidth"), at
            assert browser.value(CLIPPED) == [], at
            serious = browser.awaited(SERIOUS)
            assert serious == [], f"{at}: {json.dumps(serious, indent=1)}"
