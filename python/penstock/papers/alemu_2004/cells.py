"""Printed tables remade: a cell is a printed number, the runs behind it, and their difference."""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from penstock.plots import style
from penstock.reproduce.figure import Claim, Statement, by_table
from penstock.results.sample import Condition, Sample, all_of
from penstock.results.summary_table import Point, SummaryTable
from penstock.results.table import Table

Judge = Callable[[Sample, float], Condition]


@dataclass(frozen=True)
class Cell:
    """A printed number: the row and the column where it stands, and where it is measured."""

    row: str
    column: str
    printed: float
    metric: str
    at: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Row and column."""
        return f"{self.row}, {self.column}"


def read(name: str, place: Callable[[str, str], tuple[str, Mapping[str, Any]]]) -> list[Cell]:
    """The cells of `expected/NAME.csv`; `place(line, x)` tells the metric and the labels of each."""
    file = Path(__file__).parent / "expected" / f"{name}.csv"
    with file.open(encoding="utf-8", newline="") as rows:
        found = [(row["line"], row["x"], float(row["y"])) for row in csv.DictReader(rows)]
    return [Cell(line, x, y, *place(line, x)) for line, x, y in found]


def as_table(cells: Sequence[Cell]) -> Table:
    """The printed numbers as a table of their own, to ask of the print what is asked of runs."""
    found: dict[tuple[tuple[str, Any], ...], dict[str, float]] = {}
    for cell in cells:
        found.setdefault(tuple(cell.at.items()), {})[cell.metric] = cell.printed
    return Table.exact([(dict(at), numbers) for at, numbers in found.items()])


def there(table: Table, cells: Sequence[Cell]) -> list[Cell]:
    """The printed cells that a table has; a quick reproduction lacks some. `KeyError` if it has none of them."""
    found = [cell for cell in cells if table.has(**cell.at)]
    if not found:
        raise KeyError(f"none of the printed cells is there, such as {cells[0].at}; axes: {table.axes()}")
    return found


def fits(table: Table, cells: Sequence[Cell], judges: Mapping[str, Judge]) -> Condition:
    """Every cell that the table has is measured as it was printed, with the tolerance of its kind of number."""
    return all_of(
        judges[cell.metric](table(cell.metric, **cell.at), cell.printed).at(cell.column) for cell in there(table, cells)
    )


def rows_fit(cells: Sequence[Cell], judges: Mapping[str, Judge], text: str = "") -> Statement:
    """`fits` as a statement; by default its text has the printed numbers."""
    said = text or ", ".join(f"{cell.column} {cell.printed:g}" for cell in cells)
    return by_table(lambda table: fits(table, cells, judges), said)


def all_inside(name: str, cells: Sequence[Cell], reading: str = "no tolerance") -> Claim:
    """The claim that every printed number lies in the 95 % interval of the measured one."""
    says = "cells whose print is inside the 95 % interval"
    return Claim(
        f"{name}/cells", says, by_table(lambda table: inside(table, there(table, cells)), "all"), reading=reading
    )


def inside(table: Table, cells: Sequence[Cell]) -> Condition:
    """Every printed number lies in the 95 % interval of the measured one: no tolerance."""
    return all_of(table(cell.metric, **cell.at).reads(cell.printed).at(cell.name) for cell in cells)


def draw(shown: SummaryTable, cells: Sequence[Cell]) -> Figure:
    """The table: measured, printed and the difference of each cell; bold where the print is in the interval."""
    points = {
        (cell.row, cell.column): (cell, shown(cell.metric, **cell.at)) for cell in cells if shown.where(**cell.at).cells
    }
    held = [place for place, found in points.items() if _inside(*found)]
    title = f"measured (printed)\ndifference; bold: inside the 95 % interval, {len(held)} of {len(points)}"
    return grid({place: _text(*found) for place, found in points.items()}, held, title)


def grid(texts: Mapping[tuple[str, str], str], bold: Collection[tuple[str, str]], title: str) -> Figure:
    """Texts by row and column, some of them bold."""
    rows, columns = ([*dict.fromkeys(place[i] for place in texts)] for i in (0, 1))
    with style.styled():
        size = (style.WIDTH * max(1.0, 0.26 * (len(columns) + 1)), 0.35 * (len(rows) + 2))
        figure = Figure(figsize=size, layout="constrained")
        ax = figure.add_subplot()
        ax.set_axis_off()
        text = [[texts.get((row, column), "") for column in columns] for row in rows]
        table = ax.table(text, rowLabels=rows, colLabels=columns, loc="center", cellLoc="center", edges="horizontal")
        table.auto_set_font_size(False)
        table.set_fontsize(5.0)
        table.scale(1, 1.6)
        for row, column in bold:
            table[rows.index(row) + 1, columns.index(column)].set_text_props(weight="bold")
        ax.set_title(title, size=6)
    return figure


def _inside(cell: Cell, point: Point) -> bool:
    return abs(cell.printed - point.mean) <= (point.half_width or 0.0)


def _text(cell: Cell, point: Point) -> str:
    change = point.mean - cell.printed
    share = f", {100 * change / cell.printed:+.0f} %" if cell.printed else ""
    return f"{point.mean:.4g} ({cell.printed:g})\n{change:+.3g}{share}"
