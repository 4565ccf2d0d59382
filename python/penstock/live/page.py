"""The page of the live bench: one file that needs no network."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Mapping
from importlib import resources
from typing import Any, Final

from markupsafe import Markup

from penstock.report.templating import template_text

__all__ = ["page"]

_FOLDER: Final = resources.files("penstock.live")
_IMPORT: Final = re.compile(r'^import [^;]*? from "\./([\w-]+\.js)";\n', re.M)


def page(material: Mapping[str, Any]) -> str:
    """The page for the material of `penstock.live.material`."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    pages = Environment(loader=PackageLoader("penstock.live", "."), autoescape=True, undefined=StrictUndefined)
    return pages.get_template("page.html.jinja").render(
        name=material["name"],
        version=material["version"],
        css=template_text("vendor/uPlot.min.css", "page.css") + Markup(_text("page.css")),
        uplot=template_text("vendor/uPlot.iife.min.js"),
        main=Markup(_script("main.js")),
        worker=Markup(_script("worker.js")),
        # The engine, compressed; the page unpacks it.
        engine=base64.b64encode(gzip.compress((_FOLDER / "penstock.wasm").read_bytes(), 9, mtime=0)).decode(),
        # No end tag may stand in a script.
        material=Markup(json.dumps(material, separators=(",", ":")).replace("<", "\\u003c")),
    )


def _script(name: str) -> str:
    """A module and those that it imports, each once and before its first use, as one script."""
    parts: dict[str, str] = {}

    def add(name: str) -> None:
        if name not in parts:
            text = _text(name)
            parts[name] = ""  # in progress: a circle of imports ends here
            for imported in _IMPORT.findall(text):
                add(imported)
            del parts[name]
            parts[name] = re.sub(r"^export ", "", _IMPORT.sub("", text), flags=re.M)

    add(name)
    return "\n".join(parts.values())


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
