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

__all__ = ["write"]


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
        picture=shown.picture(advice),
        factors=FACTORS,
        lines=[entry["tc"] for entry in advice.to_dict()["advice"] if entry["tc"]],
    )
    write_text(file, page)
