"""Finished figures on pages: drawn by Matplotlib, in the colours of the page's theme, with their numbers."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from matplotlib.figure import Figure

from penstock.plots.figure_points import figure_points
from penstock.plots.inline_svg import inline_svg
from penstock.report.templating import script_safe_json

__all__ = ["PageFigure", "figure_data"]


@dataclass(frozen=True)
class PageFigure:
    """A figure on a page.

    Attributes:
        id: its name among the figures of the page.
        title: the title, also of its files.
        svg_by_theme: one drawing for each window width, by the CSS class of its box; the class may be empty.
        data: heads and columns of its numbers, and for each drawing their coordinates, x and y in turn.
        width: width of the first drawing in points.
        note: a sentence next to the title.
    """

    id: str
    title: str
    svg_by_theme: Mapping[str, Markup]
    data: Mapping[str, Any]
    width: float
    note: str = ""

    @classmethod
    def from_drawings(cls, id: str, title: str, figures: Mapping[str, Figure], note: str = "") -> PageFigure:
        """The figure of these drawings, which have the same numbers."""
        drawings = {name: inline_svg(figure, f"{id}{name}") for name, figure in figures.items()}
        points = [figure_points(figure) for figure in figures.values()]
        columns = [_runs(column) for column in zip(*points[0].rows, strict=True)]
        places = [[place for at in drawing.places for place in at or (None, None)] for drawing in points]
        data = {"title": title, "heads": points[0].headers, "columns": columns, "points": places}
        return cls(id, title, drawings, data, 72 * next(iter(figures.values())).get_figwidth(), note)


def _runs(column: Sequence[str | float]) -> list[Any]:
    """A column of numbers, or pairs of a text and its number of repetitions."""
    if not all(isinstance(value, str) for value in column):
        return list(column)
    return [[text, len(list(run))] for text, run in itertools.groupby(column)]


def figure_data(figures: Sequence[PageFigure]) -> Markup:
    """The numbers of the figures for the script of the page."""
    return script_safe_json({figure.id: figure.data for figure in figures})
