"""Table 4.2: the schemes rated, equal round trips (Section 4.6.1)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.alemu_2004 import controllers, symbols
from penstock.papers.alemu_2004.measures import Numbers
from penstock.papers.alemu_2004.setup import CONTROLLERS
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

PRINTED = symbols.read("tab4-2")
RANKS = {metric: symbols.ranking(column) for metric, column in PRINTED.items()}
"""Groups of the same symbol, best first."""


def study(effort: Effort) -> Study:
    """The schemes of chapter 4."""
    return controllers.study(effort, "same")


def measure(run: ps.Run) -> Numbers:
    """What is rated."""
    return controllers.only(run, *PRINTED)


def claims(table: Table) -> Iterator[Claim]:
    """The columns, and how many cells are as printed."""
    yield from controllers.ranked(table, "same", "tab4.2", RANKS)
    yield from symbols.claims(table, "same", "tab4.2", PRINTED)
    yield Claim(
        id="tab4.2/c6",
        says="PSAND is the only scheme with at least ++ everywhere",
        expected="the least of its printed symbols is ++, that of each other scheme is less",
        holds=all_of(
            (Sample(_least(scheme)) >= 2.0 if scheme == "PSAND" else Sample(_least(scheme)) < 2.0).at(scheme)
            for scheme in CONTROLLERS
        ),
        must_hold=True,
    )


def _least(scheme: str) -> float:
    return float(min(symbols.rating(column[scheme]) for column in PRINTED.values()))


def draw(shown: Shown) -> Figure:
    """The table."""
    return symbols.draw(shown, "same", PRINTED)
