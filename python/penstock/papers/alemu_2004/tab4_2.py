"""Table 4.2: the schemes rated, equal round trips (Section 4.6.1)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

import penstock as ps
from penstock.claims import Claim
from penstock.papers.alemu_2004 import controllers, panels
from penstock.papers.alemu_2004.measures import Numbers
from penstock.reproduce import Effort
from penstock.samples import Sample, all_of
from penstock.shown import Shown
from penstock.study import Study, Table

__all__ = ["claims", "draw", "measure", "study"]

METRICS = ("AQS", "VQS", "PLR", "LU", "F")
RANKS: dict[str, list[list[str]]] = {
    "AQS": [["AVQ*"], ["REM"], ["AVQ", "PSAND"], ["LRED", "LRED*"], ["BLUE", "PI"]],
    "VQS": [["AVQ*"], ["LRED*"], ["LRED", "PSAND"], ["AVQ"], ["REM"], ["BLUE", "PI"]],
    "PLR": [["AVQ"], ["AVQ*"], ["PI", "LRED*", "PSAND"], ["BLUE", "LRED"], ["REM"]],
    "LU": [["PSAND"], ["LRED", "LRED*"], ["BLUE", "PI"], ["AVQ"], ["REM"], ["AVQ*"]],
    "F": [["BLUE", "PI"], ["REM", "LRED", "LRED*", "PSAND"], ["AVQ", "AVQ*"]],
}
"""Groups of the same symbol, best first; a blank is worse than "-" (guess 15)."""
PRINTED = {
    "BLUE": (-2, -2, 1, 2, 3), "PI": (-2, -2, 2, 2, 3), "REM": (3, -1, -1, -1, 2), "AVQ": (2, 1, 4, 1, -2),
    "AVQ*": (4, 4, 3, -2, -2), "LRED": (1, 2, 1, 3, 2), "LRED*": (1, 3, 2, 3, 2), "PSAND": (2, 2, 2, 4, 2),
}  # fmt: skip
"""The symbols: number of +, -1 for "-", -2 for a blank."""


def study(effort: Effort) -> Study:
    """The schemes of chapter 4."""
    return controllers.study(effort, "same")


def measure(run: ps.Run) -> Numbers:
    """What is rated."""
    return controllers.only(run, *METRICS)


def claims(table: Table) -> Iterator[Claim]:
    """The columns."""
    yield from controllers.ranked(table, "same", "tab4.2", RANKS)
    yield Claim(
        id="tab4.2/c6",
        says="PSAND is the only scheme with at least ++ everywhere",
        expected="the least of its printed symbols is ++, that of each other scheme is less",
        holds=all_of(
            (Sample(float(min(values))) >= 2.0 if scheme == "PSAND" else Sample(float(min(values))) < 2.0).at(scheme)
            for scheme, values in PRINTED.items()
        ),
        must_hold=True,
    )


def draw(shown: Shown) -> Figure:
    """What is rated, against the number of flows."""
    return panels.draw(shown, controllers.panels("same", *METRICS), columns=3)
