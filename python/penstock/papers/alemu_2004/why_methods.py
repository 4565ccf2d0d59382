"""Why Table 3.3 is missed: its rows are not of one load. Each method at 23, 53 and 103 flows (Section 3.3)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.alemu_2004 import cells, judge
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.papers.alemu_2004.setup import load, psand
from penstock.papers.alemu_2004.tab3_3 import METHODS
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

LOADS = [23, 53, 103]
OWN = dict(zip(METHODS, [103, 103, 23, 53, 53, 53, 23, 23], strict=True))
"""Flows at which a row's losses are met: 21.7 and 23.1 %, 17.9 to 18.2 %, 12.3 to 15.5 %."""
JUDGES = {"AQS": judge.aqs, "VQS": judge.vqs, "PLR": judge.plr}
HIGHS = [0.75, 0.5]
"""The upper bound of max_p (guess 4)."""


def study(effort: Effort) -> Study:
    """All methods at three loads."""

    def scenario(method: str, flows: int, high: float) -> ps.Scenario:
        return load(psand(adapt=method, high=high), flows)

    axes: dict[str, Sequence[Any]] = {
        "method": effort.choose(METHODS[1:2], METHODS),
        "flows": LOADS,
        "high": effort.choose([0.75], HIGHS),
    }
    return Study(scenario, axes, seeds=effort.choose(5, 20))


def _cells(high: float) -> list[cells.Cell]:
    """The printed table, each row at its own load."""
    return cells.read("tab3-3", lambda row, column: (column, {"method": row, "flows": OWN[row], "high": high}))


def claims(table: Table) -> Iterator[Claim]:
    """Losses tell the loads; with these most cells are met."""
    rows = [row for row in METHODS if table.has(method=row)]
    for row in rows:
        (loss,) = (cell for cell in _cells(0.75) if cell.row == row and cell.metric == "PLR")
        yield Claim(
            id=f"why-methods/{row}-load",
            says=f"{row}: of 23, 53 and 103 flows its losses are those of {OWN[row]}",
            expected=f"PLR {loss.printed:g} % nearest there",
            holds=all_of(
                (
                    abs(table("PLR", **loss.at) - loss.printed)
                    < abs(table("PLR", **{**loss.at, "flows": n}) - loss.printed)
                ).at(f"{n} flows")
                for n in LOADS
                if n != OWN[row]
            ),
            reading="own",
        )
    for high, row in itertools.product(table.axis("high"), rows):
        own = [cell for cell in _cells(high) if cell.row == row]
        yield Claim(
            id=f"why-methods/{row}-{high:g}",
            says=f"the row of {row} at {OWN[row]} flows, max_p at most {high:g}",
            expected=", ".join(f"{cell.column} {cell.printed:g}" for cell in own),
            holds=cells.fits(table, own, JUDGES),
            reading="own",
        )
    if len(rows) == len(METHODS):
        yield from _swapped(table)
        yield from _orders(table)


def _swapped(table: Table) -> Iterator[Claim]:
    """The row of method 8 has what method 6 gives."""
    own = [
        cells.Cell(
            cell.row, cell.column, cell.printed, cell.metric, {"method": "shift-down", "flows": 23, "high": 0.75}
        )
        for cell in _cells(0.75)
        if cell.row == "sandwich" and cell.metric != "PLR"
    ]
    yield Claim(
        id="why-methods/sandwich-shift-down",
        says="mean and variance of the row of method 8 are those of method 6 at 23 flows",
        expected=", ".join(f"{cell.column} {cell.printed:g}" for cell in own),
        holds=cells.fits(table, own, JUDGES),
        reading="own",
    )


def _orders(table: Table) -> Iterator[Claim]:
    """The orders of the table, with the loads of its rows."""
    orders: dict[str, Sequence[Sequence[int]]] = {
        "VQS": [[3], [4, 5, 6], [2], [7], [8], [1]],
        "AQS": [[7], [3], [4, 5, 6], [8], [2], [1]],
    }
    for metric, groups in orders.items():
        pairs = [(a, b) for low, high in itertools.pairwise(groups) for a in low for b in high]
        yield Claim(
            id=f"why-methods/order-{metric}",
            says=f"the order of {metric}, each method at its own load",
            expected=" < ".join("{" + ", ".join(map(str, group)) + "}" for group in groups),
            holds=all_of(
                (
                    table(metric, method=METHODS[a - 1], flows=OWN[METHODS[a - 1]], high=0.75)
                    < table(metric, method=METHODS[b - 1], flows=OWN[METHODS[b - 1]], high=0.75)
                ).at(f"{a} below {b}")
                for a, b in pairs
            ),
            reading="own",
        )


def draw(shown: SummaryTable) -> Figure:
    """The table at these loads."""
    return cells.draw(shown, _cells(0.75))
