"""Table 5.1: losses in a block before and after correction by the code (16,1) (Section 5.4.1.2)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import cells, tables5
from penstock.papers.alemu_2004.measures import of_codes as measure
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

CODE = "16,1"


def study(effort: Effort) -> Study:
    """The code behind drop-tail and RED."""
    return tables5.study(effort, [CODE])


def claims(table: Table) -> Iterator[Claim]:
    """The rows, and the number of flows where the difference changes its sign."""
    yield from tables5.claims(table, "tab5-1", CODE, 50)


def draw(shown: SummaryTable) -> Figure:
    """The table."""
    return cells.draw(shown, tables5.printed("tab5-1", CODE))
