"""The page of the live bench: one file that needs no network."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Mapping
from importlib import resources
from typing import Any, Final

from markupsafe import Markup

from penstock.report.templating import bundled_script, script_safe_json, style_sheet
from penstock.results.palette import LIGHT

__all__ = ["bench_page"]

_FOLDER: Final = resources.files("penstock.live")


def bench_page(material: Mapping[str, Any]) -> str:
    """The page with the content that `live_page_data` returns."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    pages = Environment(loader=PackageLoader("penstock.live", "."), autoescape=True, undefined=StrictUndefined)
    return pages.get_template("page.html.jinja").render(
        name=material["name"],
        version=material["version"],
        css=Markup(_text("vendor/uPlot.min.css")) + style_sheet("page.css") + Markup(_text("page.css")),
        uplot=Markup(_text("vendor/uPlot.iife.min.js")),
        main=bundled_script("live/main.js"),
        worker=bundled_script("live/worker.js"),
        # The engine, compressed; the page unpacks it.
        engine=base64.b64encode(gzip.compress((_FOLDER / "penstock.wasm").read_bytes(), 9, mtime=0)).decode(),
        # Colours of saved figures: queue, average and drops, marks.
        material=script_safe_json({**material, "colours": [LIGHT[1], LIGHT[2], LIGHT[4]]}),
    )


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
