"""What Figures 5.7 to 5.9 have in common: blocks of other sizes, beside 50 and 100 transfers (Section 5.4.2)."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.papers.alemu_2004 import tables5
from penstock.papers.alemu_2004.panels import Panel
from penstock.papers.alemu_2004.setup import FEC_QUEUES
from penstock.papers.alemu_2004.tables5 import numbers
from penstock.reproduce.experiment_run import Effort
from penstock.results.summary_table import SummaryTable
from penstock.studies.study import Study

QUARTER = ["8,2", "16,4", "24,6", "32,8", "40,10", "48,12", "56,14", "64,16"]
TENTH = ["10,1", "20,2", "30,3", "40,4", "50,5", "60,6", "70,7", "80,8"]
SIZES = [4, 8, 12, 16, 20, 24, 32, 40, 48, 56, 64]
"""Of Figures 5.8 and 5.9 (guess 11)."""


def study(effort: Effort, quick: Sequence[str], full: Sequence[str], flows: Sequence[int]) -> Study:
    """These codes; in a quick reproduction without the RED of ns-2."""
    codes, schemes = effort.choose((quick, ["DT", "RED"]), (full, list(FEC_QUEUES)))
    return tables5.study(effort, codes, flows, schemes)


def by_size(shown: SummaryTable) -> SummaryTable:
    """With the numbers of data and redundancy packets, and their ratio, as labels."""
    cells = []
    for labels, points in shown.cells:
        k, h = numbers(labels["code"])
        cells.append(({**labels, "k": k, "h": h, "ratio": h / k}, points))
    return SummaryTable(cells)


def panels(flows: Sequence[int], name: str, values: Sequence[float]) -> list[Panel]:
    """PLRBC and PLR against k, for each value of a label."""
    return [
        Panel("k", y, "scheme", {"flows": n, name: value}, f"{n} flows, {name} {value:g}")
        for n in flows
        for value in values
        for y in ("PLRBC", "PLR")
    ]
