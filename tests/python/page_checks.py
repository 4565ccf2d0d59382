"""What every page must be in a real browser, wide and narrow, light and dark."""

from __future__ import annotations

import json
from pathlib import Path

from axe_core_python import __file__ as axe_package
from playwright.sync_api import Page

from .browser import DRAWN, Theme, faults, resize

AXE = Path(axe_package).with_name("axe.min.js").read_text(encoding="utf-8")
LARGEST = 3_000_000  # bytes
LOOKS: tuple[tuple[int, Theme, bool], ...] = (
    (1400, "light", False),
    (1400, "dark", True),
    (390, "dark", False),
    (390, "light", True),
)
"""The looks of a page: width in CSS pixels, theme, whether axe-core reads it."""

CLIPPED = """
[...document.querySelectorAll("body *")].filter((node) => {
  const look = getComputedStyle(node);
  return node.checkVisibility() && node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 1
    && node.textContent.trim() && ["hidden", "clip"].includes(look.overflowX) && look.textOverflow !== "ellipsis";
}).map((node) => node.outerHTML.slice(0, 100))
"""
"""Elements whose text goes on beyond their box; a box of one pixel is for screen readers alone."""

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
      // What goes beyond body and html is reached by scrolling the window.
      if (["visible", "clip"].includes(getComputedStyle(up).overflowX) || up.contains(document.body)) continue;
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

SHORTEN = """
(() => {
  const lookOf = (node) => {
    const { color, backgroundColor, fontSize, fontWeight, opacity } = getComputedStyle(node);
    const names = [...node.attributes].map(({ name }) => name);
    const isEmpty = !node.textContent.trim();
    return [node.tagName, names, isEmpty, color, backgroundColor, fontSize, fontWeight, opacity].join();
  };
  const alike = (nodes) => {
    const seen = new Set();
    return nodes.filter((node) => {
      const look = [node, ...node.querySelectorAll("*")].map(lookOf).join(";");
      return seen.has(look) || !seen.add(look);
    });
  };
  const shell = (drawing) => {
    const copy = drawing.cloneNode();
    const texts = [...drawing.children].filter((part) => part.matches("title, desc"));
    copy.append(...texts.map((part) => part.cloneNode(true)));
    return copy;
  };
  const others = alike([...document.querySelectorAll("tbody tr, .claim, li, pre span")]);
  const drawings = [...document.querySelectorAll("svg:not(svg svg)")].map((drawing) => [drawing, shell(drawing)]);
  // All looks are read before the first change, which would make the browser compute them again.
  window.replaced = [...drawings, ...others.map((node) => [node, document.createComment("")])];
  window.replaced.forEach(([node, other]) => node.replaceWith(other));
})()
"""
"""Removes elements that axe-core need not read: the contents of drawings, which use colours of the palette, and rows
of tables, claims, list items and pieces of code that have the elements, attributes and colours of an earlier one.

Without this, axe-core takes half a minute for thousands of elements, even of hidden ones.
"""

WHOLE = "window.replaced.reverse().forEach(([node, other]) => other.replaceWith(node)); 1"
"""Restores what was removed."""

SLIDING = """
[...document.querySelectorAll(":has(h1)")].filter((node) => node.scrollWidth > node.clientWidth + 1
  && ["auto", "scroll"].includes(getComputedStyle(node).overflowX)).map((node) => node.outerHTML.slice(0, 100))
"""
"""What holds the heading and scrolls sideways: the page is wider than the window, though the window does not scroll."""

SERIOUS = """
axe.run(document, {resultTypes: ["violations"], iframes: false, preload: false}).then((found) => found.violations
  .filter((one) => ["serious", "critical"].includes(one.impact))
  .map((one) => [one.id, one.nodes.slice(0, 3).map((node) => node.html.slice(0, 100))]))
"""


def fits(tab: Page, at: str) -> None:
    """The open page has no error and no request, and nothing is clipped, beyond the window or over other text."""
    assert faults(tab) == [], f"{at}: {faults(tab)}"
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), at
    for misplaced in (SLIDING, CLIPPED, OVERLAPPING):
        elements = tab.evaluate(misplaced)
        assert elements == [], f"{at}: {json.dumps(elements, indent=1)}"


def prepare(tab: Page) -> None:
    """Load axe-core into the open page, and unfold all of it."""
    tab.evaluate(f"{AXE}; document.querySelectorAll('details').forEach((one) => (one.open = true)); 1")


def accessible(tab: Page, at: str) -> None:
    """axe-core finds nothing serious on the prepared page, contrast included."""
    tab.evaluate(SHORTEN)
    serious = tab.evaluate(SERIOUS)
    tab.evaluate(WHOLE)
    assert serious == [], f"{at}: {json.dumps(serious, indent=1)}"


def suits_every_reader(tab: Page, file: Path) -> None:
    """No error, no request, nothing clipped or beyond the window, no serious fault of access.

    The rules of axe-core read the structure and the colours. They run once in each theme and once at each width.
    """
    assert file.stat().st_size < LARGEST
    for width, theme, is_for_axe in LOOKS:
        resize(tab, width)
        tab.emulate_media(color_scheme=theme)
        tab.goto(file.as_uri())
        at = f"{file.name}, {width} px, {theme}"
        fits(tab, at)  # as it opens
        prepare(tab)
        fits(tab, at)
        if is_for_axe:
            accessible(tab, at)


def document_suits_every_reader(tab: Page, file: Path, *, axe: bool = True) -> None:
    """`suits_every_reader` for a page of text, whose look is that of its style sheet alone: it is loaded once.

    Without `axe`, axe-core does not read the page.
    """
    assert file.stat().st_size < LARGEST
    resize(tab, 1400)
    tab.emulate_media(color_scheme="light")
    tab.goto(file.as_uri())
    prepare(tab)
    for width, theme, is_for_axe in LOOKS:
        resize(tab, width)
        tab.emulate_media(color_scheme=theme)
        tab.evaluate(DRAWN)
        at = f"{file.name}, {width} px, {theme}"
        fits(tab, at)
        if axe and is_for_axe:
            accessible(tab, at)
