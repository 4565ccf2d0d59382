"""The page of `penstock evaluate --html`."""

from __future__ import annotations

from pathlib import Path

from penstock.evaluation import display
from penstock.evaluation.evaluate import Evaluation
from penstock.files import write_text
from penstock.report.page_figure import PageFigure, figure_data
from penstock.report.templating import render_document

__all__ = ["SHOWN_FIRST", "write"]

SHOWN_FIRST = 4
"""Number of diagrams that are visible at first: a row of them on a wide screen. The others are collapsed, with their
number shown."""


def write(evaluation: Evaluation, file: Path, script: str = "") -> None:
    """Write the page, with the shell script that repeats it. Raises `FileError` if it cannot be written."""
    figures = [
        PageFigure.from_drawings(f"diagram-{number}", f"{id_} {title}", {"": figure})
        for number, (id_, title, figure) in enumerate(display.trade_off_diagrams(evaluation))
    ]
    page = render_document(
        "evaluation.html.jinja",
        title=f"{', '.join(evaluation.schemes[1:])} by RFC 7928",
        shell=script,
        evaluation=evaluation,
        dumbbell=evaluation.extent.dumbbell,
        heads=display.column_headers(),
        rows=list(display.text_rows(evaluation)),
        diagrams=figures,
        figures=figure_data(figures),
        first=SHOWN_FIRST,
    )
    write_text(file, page)
