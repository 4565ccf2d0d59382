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

OVERLAPPING = """
(() => {
  const boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode, node = text.parentElement;
    if (!text.textContent.trim() || ["SCRIPT", "STYLE", "OPTION"].includes(node.tagName.toUpperCase())) continue;
    if (!node.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const turned = node instanceof SVGGraphicsElement && node.getScreenCTM();
    if (turned && Math.min(Math.abs(turned.a), Math.abs(turned.b)) > 0.01 * Math.hypot(turned.a, turned.b)) continue;
    let [left, top, right, bottom] = [-Infinity, -Infinity, Infinity, Infinity];
    for (let up = node; up && !(up instanceof SVGElement && !up.parentElement); up = up.parentElement) {
      if (["visible", "clip"].includes(getComputedStyle(up).overflowX) || up === document.body) continue;
      const box = up.getBoundingClientRect();
      [left, top] = [Math.max(left, box.left), Math.max(top, box.top)];
      [right, bottom] = [Math.min(right, box.right), Math.min(bottom, box.bottom)];
    }
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const { x, y, width, height } of range.getClientRects()) {
      const [x1, x2] = [Math.max(x + 1, left), Math.min(x + width - 1, right)];
      const [y1, y2] = [Math.max(y + height / 4, top), Math.min(y + 0.75 * height, bottom)];
      if (x2 > x1 && y2 > y1) boxes.push({ node, x1, x2, y1, y2 });
    }
  }
  boxes.sort((one, other) => one.y1 - other.y1);
  const found = [];
  boxes.forEach((one, at) => {
    for (let next = at + 1; next < boxes.length && boxes[next].y1 < one.y2; next++) {
      const other = boxes[next];
      if (other.node !== one.node && one.x1 < other.x2 && other.x1 < one.x2)
        found.push([one, other].map(({ node }) => node.textContent.trim().slice(0, 40)).join(" | "));
    }
  });
  return found.slice(0, 8);
})()
"""
"""Pairs of texts whose boxes, reduced to the height of small letters, overlap.

Texts of charts that are turned, by other than a quarter, are left out.
"""

SHORTENED = """
document.querySelectorAll("tbody").forEach((one) => [...one.rows].slice(40).forEach((row) => row.remove())); 1
"""
"""Leaves the first rows of each table: the others are like them, and axe takes a minute for thousands."""

SERIOUS = """
axe.run(document, {resultTypes: ["violations"], iframes: false, preload: false}).then((found) => found.violations
  .filter((one) => ["serious", "critical"].includes(one.impact))
  .map((one) => [one.id, one.nodes.slice(0, 3).map((node) => node.html.slice(0, 100))]))
"""


def fits(browser: Browser, at: str) -> None:
    """The open page has no error and no request, and nothing is clipped, beyond the window or over other text."""
    assert browser.errors == [], at
    assert browser.value("document.documentElement.scrollWidth <= innerWidth"), at
    assert browser.value(CLIPPED) == [], at
    assert browser.value(OVERLAPPING) == [], at


def suits_every_reader(browser: Browser, file: Path) -> None:
    """The page, wide and narrow, light and dark: see `suits`."""
    for width in (1400, 390):
        for theme in ("light", "dark"):
            browser.resize(width)
            browser.prefer(theme)
            suits(browser, file, f"{file.name}, {width} px, {theme}")


def suits(browser: Browser, file: Path, at: str) -> None:
    """The page has no error, no request, nothing clipped or beyond the window, and no serious fault of access."""
    assert file.stat().st_size < LARGEST, at
    browser.errors.clear()
    browser.open(file)
    browser.value(f"{AXE}; document.querySelectorAll('details').forEach((one) => (one.open = true)); 1")
    fits(browser, at)
    browser.value(SHORTENED)
    serious = browser.awaited(SERIOUS)
    assert serious == [], f"{at}: {json.dumps(serious, indent=1)}"
