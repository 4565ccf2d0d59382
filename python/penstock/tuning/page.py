"""The page of `penstock tune --html`: the conclusion, the trade-off, the proof, the map, the lines to paste."""

from __future__ import annotations

from pathlib import Path

from penstock import _native
from penstock.engine.environment import provenance
from penstock.files import write_text
from penstock.report.templating import render_template, template_text
from penstock.tuning import shown
from penstock.tuning.advice import Advice
from penstock.tuning.moved import FACTORS
from penstock.tuning.paste import FASTER

__all__ = ["write"]

WIDTHS = {"wide": 6.6, "narrow": 3.4}
"""Inches of the picture on a screen and on a phone."""


def write(advice: Advice, file: Path) -> None:
    """Write the page. Raises `FileError` if it cannot be written."""
    name = advice.scenario.get("name") or "a link"
    page = render_template(
        "advice.html.jinja",
        title=f"Advice for {name}",
        version=_native.version,
        provenance=provenance(),
        css=template_text("page.css", "advice.css"),
        advice=advice,
        heads=shown.heads(advice),
        rows=shown.rows(advice),
        pictures={name: shown.picture(advice, name, width) for name, width in WIDTHS.items()},
        factors=FACTORS,
        lines=[(entry["tc"], entry["tc_shaped"]) for entry in advice.to_dict()["advice"] if entry["tc"]],
        faster=FASTER,
    )
    write_text(file, page)
