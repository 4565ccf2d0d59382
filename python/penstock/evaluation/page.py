"""The page of `penstock evaluate --html`."""

from __future__ import annotations

from pathlib import Path

from penstock import _native
from penstock.engine.environment import provenance
from penstock.evaluation import shown
from penstock.evaluation.evaluate import Evaluation
from penstock.files import write_text
from penstock.report.templating import render_template, template_text

__all__ = ["SHOWN_FIRST", "write"]

SHOWN_FIRST = 4
"""Diagrams that are seen at once: a row of them on a wide screen. The others are folded, with their number."""


def write(found: Evaluation, file: Path) -> None:
    """Write the page. Raises `FileError` if it cannot be written."""
    page = render_template(
        "evaluation.html.jinja",
        title=f"{', '.join(found.schemes[1:])} by RFC 7928",
        version=_native.version,
        provenance=provenance(),
        css=template_text("page.css", "advice.css"),
        found=found,
        bench=found.form.bench,
        heads=shown.heads(),
        rows=list(shown.rows(found)),
        diagrams=shown.diagrams(found),
        first=SHOWN_FIRST,
    )
    write_text(file, page)
