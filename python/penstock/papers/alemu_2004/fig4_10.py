"""Figure 4.10: runs of losses of a flow, unequal round trips (Section 4.6.2)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.alemu_2004 import controllers, panels
from penstock.papers.alemu_2004.controllers import Eight, others
from penstock.papers.alemu_2004.judge import sweep
from penstock.papers.alemu_2004.measures import Numbers
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

METRICS = ("LRL1", "LRL2", "LRL3")


def study(effort: Effort) -> Study:
    """The schemes of chapter 4."""
    return controllers.study(effort, "diff")


def measure(run: ps.Run) -> Numbers:
    """What the panels show, and runs of more than 2."""
    return controllers.only(run, *METRICS, "LRL>2")


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of the figure."""
    eight = Eight(table, "diff")
    yield Claim(
        id="fig4.10a/c1",
        says="PSAND has most single losses",
        expected="LRL(1) above the seven others for every N",
        holds=sweep(eight.above("LRL1", "PSAND", others("PSAND"))),
    )
    yield Claim(
        id="fig4.10c/c1",
        says="PSAND loses more than two in a row least often, AVQ and PI most often",
        expected="LRL(>2) below the seven others for every N; averages of AVQ and PI above the five others",
        holds=all_of(
            sweep(eight.below("LRL>2", "PSAND", others("PSAND"))),
            *(eight.better("LRL>2", s, bad) for bad in ("AVQ", "PI") for s in others("AVQ", "PI", "PSAND")),
        ),
    )


def draw(shown: Shown) -> Figure:
    """The panels."""
    return panels.draw(shown, controllers.panels("diff", *METRICS), columns=3)
