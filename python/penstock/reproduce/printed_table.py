"""Printed tables of numbers, reproduced: the printed and the measured number of each cell.

`expected/NAME.csv` of a work has a row for each printed number, with the columns line, x, y, where.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from penstock.files import read_text
from penstock.plots import style
from penstock.reproduce.claim import Claim
from penstock.reproduce.statement import Statement, table_statement
from penstock.results.condition import Condition, all_of
from penstock.results.sample import RunSample
from penstock.results.summary_table import SummaryPoint, SummaryTable
from penstock.results.table import Table

__all__ = ["Judge", "PrintedTable", "PrintedTableCell", "read_printed_texts", "text_table_figure"]

Judge = Callable[[RunSample, float], Condition]
"""How a measured number is compared with a printed one."""
CellAddress = Callable[[str, str], tuple[str, Mapping[str, Any]]]
"""The metric of a cell and the labels under which it is measured, by its row and its column."""
FONT_SIZE = 7.0
"""Points."""
CHARACTER = 0.6 * FONT_SIZE / 72
"""Inches: the mean width of a character in DejaVu Sans, about 0.6 of the font's size."""


@dataclass(frozen=True)
class PrintedTableCell:
    """A printed number: its row and column, where it is measured, and its tolerance."""

    row: str
    column: str
    printed: float
    metric: str
    at: Mapping[str, Any]
    tolerance: Judge

    @property
    def name(self) -> str:
        """Row and column of the cell, as text."""
        return f"{self.row}, {self.column}"

    def condition_on(self, table: Table) -> Condition:
        """The condition that the measured number is as printed, within the tolerance."""
        return self.tolerance(table(self.metric, **self.at), self.printed)


@dataclass(frozen=True)
class PrintedTable:
    """Cells of a printed table."""

    cells: Sequence[PrintedTableCell]

    @classmethod
    def read(cls, file: Path, address_of: CellAddress, judges: Mapping[str, Judge]) -> PrintedTable:
        """The cells of a file; `judges` has the tolerance of each metric."""
        cells = []
        for row, column, number in read_printed_texts(file):
            metric, at = address_of(row, column)
            cells.append(PrintedTableCell(row, column, float(number), metric, at, judges[metric]))
        return cls(cells)

    def __iter__(self) -> Iterator[PrintedTableCell]:
        return iter(self.cells)

    def __add__(self, other: PrintedTable) -> PrintedTable:
        return PrintedTable([*self.cells, *other.cells])

    @property
    def rows(self) -> list[str]:
        """The names of the rows."""
        return list(dict.fromkeys(cell.row for cell in self.cells))

    def row(self, name: str) -> PrintedTable:
        """The cells of a row."""
        return self.where(lambda cell: cell.row == name)

    def where(self, chosen: Callable[[PrintedTableCell], bool] = lambda _: True, **labels: Any) -> PrintedTable:
        """The cells that fulfil a condition and have these labels."""
        return PrintedTable([cell for cell in self.cells if chosen(cell) and labels.items() <= cell.at.items()])

    def at(self, **labels: Any) -> PrintedTable:
        """The table with some labels of all cells changed, i.e. measured elsewhere; `None` removes a label."""
        return PrintedTable([replace(cell, at=_changed(cell.at, labels)) for cell in self.cells])

    def numbers(self) -> Table:
        """The printed numbers as a separate table, to which the conditions on runs can be applied."""
        rows: dict[tuple[tuple[str, Any], ...], dict[str, float]] = {}
        for cell in self.cells:
            rows.setdefault(tuple(cell.at.items()), {})[cell.metric] = cell.printed
        return Table.from_formulas([(dict(at), numbers) for at, numbers in rows.items()])

    def matches_measured(self, text: str = "", unit: str = "") -> Statement:
        """The statement that every cell is measured as printed, within its tolerance; default `text`: the numbers."""
        sentence = text or ", ".join(f"{cell.column} {cell.printed:g}{unit}" for cell in self.cells)
        return table_statement(
            lambda table: all_of(c.condition_on(table).at(c.column) for c in self._in(table)), sentence
        )

    def interval_claim(self, name: str, reading: str = "no tolerance") -> Claim:
        """The claim that every printed number lies in the 95 % interval of the measured one."""

        def inside(table: Table) -> Condition:
            return all_of(table(c.metric, **c.at).matches_printed(c.printed).at(c.name) for c in self._in(table))

        says = "cells whose print is inside the 95 % interval"
        return Claim(f"{name}/cells", says, table_statement(inside, "all"), reading=reading)

    def draw(self, summary: SummaryTable) -> Figure:
        """Figure of the table: measured, printed and difference of each cell; bold if the print is in the interval."""
        points = {
            (cell.row, cell.column): (cell, summary(cell.metric, **cell.at))
            for cell in self.cells
            if summary.where(**cell.at).cells
        }
        held = [place for place, pair in points.items() if _inside(*pair)]
        title = f"measured (printed)\ndifference; bold: inside the 95 % interval, {len(held)} of {len(points)}"
        return text_table_figure({place: _text(*pair) for place, pair in points.items()}, held, title)

    def _in(self, table: Table) -> list[PrintedTableCell]:
        """The cells that a table has; a quick reproduction lacks some. `KeyError` if it has none of them."""
        cells = [cell for cell in self.cells if table.has(**cell.at)]
        if not cells:
            raise KeyError(f"none of the printed cells is there, such as {self.cells[0].at}; axes: {table.axes()}")
        return cells


def read_printed_texts(file: Path) -> list[tuple[str, str, str]]:
    """The line, x and y in each row of a file in `expected`, as texts."""
    return [(row["line"], row["x"], row["y"]) for row in csv.DictReader(read_text(file).splitlines())]


def text_table_figure(texts: Mapping[tuple[str, str], str], bold: Collection[tuple[str, str]], title: str) -> Figure:
    """Figure of a table of texts, given by row and column; those in `bold` are bold."""
    rows, columns = ([*dict.fromkeys(place[i] for place in texts)] for i in (0, 1))
    # All columns are equally wide: wide enough for the longest line in any of them.
    characters = _longest_line(rows) + len(columns) * _longest_line([*columns, *texts.values()])
    with style.figure_style():
        size = (max(style.WIDTH, CHARACTER * characters), 0.35 * (len(rows) + 2))
        figure = Figure(figsize=size, layout="constrained")
        ax = figure.add_subplot()
        ax.set_axis_off()
        text = [[texts.get((row, column), "") for column in columns] for row in rows]
        table = ax.table(text, rowLabels=rows, colLabels=columns, loc="center", cellLoc="center", edges="horizontal")
        table.auto_set_font_size(False)
        table.set_fontsize(FONT_SIZE)
        table.scale(1, 1.6)
        lines = max((column.count("\n") + 1 for column in columns), default=1)
        for i in range(len(columns)):
            table[0, i].set_height(table[0, i].get_height() * max(1.0, lines / 2))
        for row, column in bold:
            table[rows.index(row) + 1, columns.index(column)].set_text_props(weight="bold")
        ax.set_title(title, size=FONT_SIZE)
    return figure


def _longest_line(texts: Iterable[str]) -> int:
    """Number of characters of the longest line, plus two for the space around it."""
    return 2 + max((len(line) for text in texts for line in text.split("\n")), default=0)


def _changed(at: Mapping[str, Any], labels: Mapping[str, Any]) -> Mapping[str, Any]:
    return {axis: value for axis, value in {**at, **labels}.items() if value is not None}


def _inside(cell: PrintedTableCell, point: SummaryPoint) -> bool:
    return abs(cell.printed - point.mean) <= (point.half_width or 0.0)


def _text(cell: PrintedTableCell, point: SummaryPoint) -> str:
    change = point.mean - cell.printed
    share = f", {100 * change / cell.printed:+.0f} %" if cell.printed else ""
    return f"{point.mean:.4g} ({cell.printed:g})\n{change:+.3g}{share}"
