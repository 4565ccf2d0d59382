"""Figures as SVG within a page: with text kept as text, unique names, and a third of the bytes."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Final

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from penstock.plots import style

__all__ = ["inline_svg"]

SVG = "{http://www.w3.org/2000/svg}"
_PROPERTIES: Final = {
    "#000000": "var(--ink)", "#ffffff": "var(--card)", "#e4e4e4": "var(--grid)", "#b8b8b8": "var(--faint)",
    "#8a92a0": "var(--faint)", "#d9dde5": "var(--line)",
    **{colour: f"var(--c{at})" for at, colour in enumerate(style.COLOURS)},
}  # fmt: skip
"""The colours of figures as custom properties of the style sheet of pages."""

LINK = "{http://www.w3.org/1999/xlink}href"


def inline_svg(figure: Figure, prefix: str) -> Markup:
    """The figure for a page, which has several: the names of its parts and classes begin with `prefix`.

    Text stays text, which readers can search and screen readers can read. Coordinates have tenths of a point.
    """
    buffer = io.StringIO()
    with style.figure_style(), mpl.rc_context({"svg.fonttype": "none"}):
        # `savefig` would draw twice: the first time to place everything, which drawing does anyway.
        FigureCanvasSVG(figure).print_svg(buffer, metadata={"Date": None})  # type: ignore[no-untyped-call]
    root = ET.fromstring(buffer.getvalue())
    for parent in list(root.iter()):
        parent[:] = list(_drawn_children(parent))
    _name_parts(root, prefix)
    sheet = _style_by_class(root, prefix)
    for element in root.iter():
        element.tag = element.tag.removeprefix(SVG)
        element.tail = None
        element.text = (element.text or "").strip() or None
        for key in ("d", "x", "y", "transform"):
            if key in element.attrib:
                element.attrib[key] = _shorter(element.attrib[key])
    root.attrib |= {
        "fill": "var(--ink)",
        "xmlns": "http://www.w3.org/2000/svg",
        "stroke-linejoin": "round",
        "stroke-linecap": "butt",
    }
    ET.SubElement(root, "style").text = _themed(sheet)
    # The drawing is ours: nothing in it comes from outside.
    return Markup(ET.tostring(root, encoding="unicode"))


def _drawn_children(parent: ET.Element) -> Iterator[ET.Element]:
    """The children without metadata and general styles; groups without attributes are replaced by their content."""
    for child in parent:
        if child.tag in (f"{SVG}metadata", f"{SVG}style"):
            continue
        if child.tag == f"{SVG}g":
            child.attrib.pop("id", None)
            if not child.attrib:
                yield from _drawn_children(child)
                continue
        yield child


def _name_parts(root: ET.Element, prefix: str) -> None:
    """Short names for referenced elements."""
    names: dict[str, str] = {}

    def named(match: re.Match[str]) -> str:
        return match[1] + names.setdefault(match[2], f"{prefix}-{len(names)}")

    for element in root.iter():
        if LINK in element.attrib:
            element.set("href", named(re.match("(#)(.*)", element.attrib.pop(LINK))))  # type: ignore[arg-type]
        for key, pattern in (("id", "()(.+)"), ("clip-path", r"(url\(#)([^)]+)")):
            if key in element.attrib:
                element.set(key, re.sub(pattern, named, element.attrib[key]))


def _style_by_class(root: ET.Element, prefix: str) -> str:
    """Give each style a class, and a group the style that all its markers share. Returns the rules."""
    classes: dict[str, str] = {}
    for element in root.iter():
        shared = {child.attrib.get("style") for child in element}
        if element.tag == f"{SVG}g" and len(shared) == 1 and {child.tag for child in element} == {f"{SVG}use"}:
            for child in element:
                element.set("style", child.attrib.pop("style"))
    for element in root.iter():
        style = element.attrib.pop("style", None)
        if style is not None:
            element.set("class", classes.setdefault(style, f"{prefix}-{len(classes)}"))
    return "".join(f".{name}{{{_shorter(style)}}}" for style, name in classes.items())


def _themed(sheet: str) -> str:
    """The rules with the colours of the page's theme instead of the colours for paper."""
    return re.sub(r"#[0-9a-f]{6}\b", lambda match: _PROPERTIES.get(match[0], match[0]), sheet)


def _shorter(text: str) -> str:
    """Numbers in tenths, except those below one, such as scales; without needless space."""
    text = re.sub(r"\d+\.\d{2,}", lambda match: _tenths(match[0]), text)
    return re.sub(r"\s+", " ", text).replace("; ", ";").replace(": ", ":").strip()


def _tenths(number: str) -> str:
    value = float(number)
    return f"{value:.1f}".removesuffix(".0") if value >= 1 else number
