"""The page of `penstock tune --html`: the conclusion, the trade-off, the proof, the map, the lines to paste."""

from __future__ import annotations

from pathlib import Path

from penstock.files import write_text
from penstock.report.page_figure import PageFigure, figure_data
from penstock.report.templating import render_document
from penstock.tuning import display
from penstock.tuning.advice import Advice
from penstock.tuning.paste import FASTER
from penstock.tuning.scaling import FACTORS

__all__ = ["write"]

WIDTHS = {"wide": 6.6, "narrow": 3.4}
"""Width of the picture in inches, on a screen and on a phone."""


def write(advice: Advice, file: Path, script: str = "") -> None:
    """Write the page, with the shell script that repeats it. Raises `FileError` if it cannot be written."""
    name = advice.scenario.get("name") or "a link"
    figures = {name: display.trade_off_figure(advice, width) for name, width in WIDTHS.items()}
    trade_off = PageFigure.from_drawings(
        "trade-off", "Utilization versus queueing delay", figures, "better is up and to the left"
    )
    page = render_document(
        "advice.html.jinja",
        title=f"Advice for {name}",
        shell=script,
        advice=advice,
        point_of={point.factors: point for point in advice.map},
        reasons=display.missed_aim_lines(advice),
        headers=display.column_headers(advice),
        rows=display.setting_rows(advice),
        trade_off=trade_off,
        figures=figure_data([trade_off]),
        factors=FACTORS,
        exceptions=display.exception_texts(advice),
        lines=[
            (device["tc"], device["tc_shaped"], _title(device, advice))
            for number in range(len(advice.advised))
            for device in advice.devices(number)
            if device["tc"]
        ],
        faster=FASTER,
    )
    write_text(file, page)


def _title(device: dict[str, str | None], advice: Advice) -> str:
    """The heading of the lines to paste."""
    return f"Lines to paste for {device['place']}" if len(advice.links) > 1 else "Lines to paste"
