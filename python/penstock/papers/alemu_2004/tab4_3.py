"""Table 4.3: the schemes rated, unequal round trips (Section 4.6.2)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.alemu_2004 import controllers, symbols
from penstock.papers.alemu_2004.measures import Numbers
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

PRINTED = symbols.read("tab4-3")
RANKS = {metric: symbols.ranking(column) for metric, column in PRINTED.items()}
"""Groups of the same symbol, best first."""


def study(effort: Effort) -> Study:
    """The schemes of chapter 4."""
    return controllers.study(effort, "diff")


def measure(run: ps.Run) -> Numbers:
    """What is rated."""
    return controllers.only(run, *PRINTED)


def claims(table: Table) -> Iterator[Claim]:
    """The columns, and how many cells are as printed."""
    yield from controllers.ranked(table, "diff", "tab4.3", RANKS)
    yield from symbols.claims(table, "diff", "tab4.3", PRINTED)


def draw(shown: Shown) -> Figure:
    """The table."""
    return symbols.draw(shown, "diff", PRINTED)
