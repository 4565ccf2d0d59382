"""Table 4.3: the schemes rated, unequal round trips (Section 4.6.2)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

import penstock as ps
from penstock.claims import Claim
from penstock.papers.alemu_2004 import controllers, panels
from penstock.papers.alemu_2004.measures import Numbers
from penstock.reproduce import Effort
from penstock.shown import Shown
from penstock.study import Study, Table

__all__ = ["claims", "draw", "measure", "study"]

METRICS = ("AQS", "VQS", "PLR", "LU", "F")
RANKS: dict[str, list[list[str]]] = {
    "AQS": [["REM"], ["PSAND"], ["LRED", "LRED*"], ["AVQ*"], ["AVQ"], ["BLUE", "PI"]],
    "VQS": [["PSAND"], ["PI", "LRED*"], ["AVQ*"], ["REM"], ["LRED"], ["BLUE", "AVQ"]],
    "PLR": [["PI", "PSAND"], ["BLUE", "LRED*"], ["AVQ", "LRED"], ["REM", "AVQ*"]],
    "LU": [["PI"], ["PSAND"], ["BLUE", "AVQ", "LRED*"], ["AVQ*"], ["REM", "LRED"]],
    "F": [["BLUE", "PI", "AVQ"], ["LRED", "LRED*", "PSAND"], ["REM", "AVQ*"]],
}
"""Groups of the same symbol, best first; a blank is worse than "-" (guess 15)."""


def study(effort: Effort) -> Study:
    """The schemes of chapter 4."""
    return controllers.study(effort, "diff")


def measure(run: ps.Run) -> Numbers:
    """What is rated."""
    return controllers.only(run, *METRICS)


def claims(table: Table) -> Iterator[Claim]:
    """The columns."""
    yield from controllers.ranked(table, "diff", "tab4.3", RANKS)


def draw(shown: Shown) -> Figure:
    """What is rated, against the number of flows."""
    return panels.draw(shown, controllers.panels("diff", *METRICS), columns=3)
