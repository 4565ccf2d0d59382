"""Figures as SVG within a page: with text as text, names of their own, and a third of the bytes."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.figure import Figure

from penstock.plots import style

__all__ = ["inline_svg"]

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"


def inline_svg(figure: Figure, prefix: str) -> Markup:
    """The figure for a page, which has several: the names of its parts and classes begin with `prefix`.

    Text stays text, which a reader can search and hear. Coordinates have tenths of a point.
    """
    buffer = io.StringIO()
    with style.styled(), mpl.rc_context({"svg.fonttype": "none"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    root = ET.fromstring(buffer.getvalue())
    for parent in list(root.iter()):
        parent[:] = list(_wanted(parent))
    _name_parts(root, prefix)
    sheet = _style_by_class(root, prefix)
    for element in root.iter():
        element.tag = element.tag.removeprefix(SVG)
        element.tail = None
        element.text = (element.text or "").strip() or None
        for key in ("d", "x", "y", "transform"):
            if key in element.attrib:
                element.attrib[key] = _shorter(element.attrib[key])
    root.attrib |= {"xmlns": "http://www.w3.org/2000/svg", "stroke-linejoin": "round", "stroke-linecap": "butt"}
    ET.SubElement(root, "style").text = sheet
    # The drawing is ours: nothing in it comes from outside.
    return Markup(ET.tostring(root, encoding="unicode"))


def _wanted(parent: ET.Element) -> Iterator[ET.Element]:
    """The children without metadata and general styles; groups that say nothing give place to what is in them."""
    for child in parent:
        if child.tag in (f"{SVG}metadata", f"{SVG}style"):
            continue
        if child.tag == f"{SVG}g":
            child.attrib.pop("id", None)
            if not child.attrib:
                yield from _wanted(child)
                continue
        yield child


def _name_parts(root: ET.Element, prefix: str) -> None:
    """Short names for what is referred to."""
    names: dict[str, str] = {}

    def named(found: re.Match[str]) -> str:
        return found[1] + names.setdefault(found[2], f"{prefix}-{len(names)}")

    for element in root.iter():
        if LINK in element.attrib:
            element.set("href", named(re.match("(#)(.*)", element.attrib.pop(LINK))))  # type: ignore[arg-type]
        for key, pattern in (("id", "()(.+)"), ("clip-path", r"(url\(#)([^)]+)")):
            if key in element.attrib:
                element.set(key, re.sub(pattern, named, element.attrib[key]))


def _style_by_class(root: ET.Element, prefix: str) -> str:
    """Give each style a class, a group the style that all its markers share; the rules."""
    classes: dict[str, str] = {}
    for element in root.iter():
        shared = {child.attrib.get("style") for child in element}
        if element.tag == f"{SVG}g" and len(shared) == 1 and {child.tag for child in element} == {f"{SVG}use"}:
            for child in element:
                element.set("style", child.attrib.pop("style"))
    for element in root.iter():
        told = element.attrib.pop("style", None)
        if told is not None:
            element.set("class", classes.setdefault(told, f"{prefix}-{len(classes)}"))
    return "".join(f".{name}{{{_shorter(told)}}}" for told, name in classes.items())


def _shorter(text: str) -> str:
    """Numbers in tenths, but for those below one, such as scales; no needless space."""
    text = re.sub(r"\d+\.\d{2,}", lambda found: _tenths(found[0]), text)
    return re.sub(r"\s+", " ", text).replace("; ", ";").replace(": ", ":").strip()


def _tenths(number: str) -> str:
    value = float(number)
    return f"{value:.1f}".removesuffix(".0") if value >= 1 else number
