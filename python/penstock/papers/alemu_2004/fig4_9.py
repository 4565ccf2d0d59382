"""Figure 4.9: fairness, utilization and empty queues, unequal round trips (Section 4.6.2)."""

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
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

METRICS = ("F", "LU", "empty")


def study(effort: Effort) -> Study:
    """The schemes of chapter 4."""
    return controllers.study(effort, "diff")


def measure(run: ps.Run) -> Numbers:
    """What the panels show, and the losses."""
    return controllers.only(run, *METRICS, "PLR")


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of the figure."""
    eight = Eight(table, "diff")
    yield Claim(
        id="fig4.9b/c1",
        says="PI uses most of the link and is empty least often",
        expected="LU above and P(X=0) below the seven others for every N",
        holds=sweep([*eight.above("LU", "PI", others("PI")), *eight.below("empty", "PI", others("PI"))]),
    )
    yield Claim(
        id="fig4.9b/c1",
        says="PI uses most of the link and is empty least often",
        expected="LU above and P(X=0) below the seven others from 8 flows on",
        holds=sweep(
            condition
            for more in [[n for n in eight.flows if n >= 8]]
            for condition in (
                *eight.above("LU", "PI", others("PI"), more),
                *eight.below("empty", "PI", others("PI"), more),
            )
        ),
        reading="from 8 flows on",
    )
    yield Claim(
        id="fig4.9a/c1",
        says="the schemes do not differ in fairness",
        expected="F of each within 10 % of PSAND's for every N",
        holds=sweep(
            (abs(eight.of("F", s, n) / eight.of("F", "PSAND", n) - 1) <= 0.1).at(f"{s}, {n}")
            for s in others("PSAND")
            for n in eight.flows
        ),
    )
    yield Claim(
        id="fig4.8-9/c2",
        says="LRED and LRED* lose slightly more than PSAND and use less of the link",
        expected="PLR above, LU below PSAND's for every N",
        holds=sweep(
            c for s in ("LRED", "LRED*") for c in (*eight.above("PLR", s, ["PSAND"]), *eight.below("LU", s, ["PSAND"]))
        ),
    )


def draw(shown: Shown) -> Figure:
    """The panels."""
    return panels.draw(shown, controllers.panels("diff", *METRICS), columns=3)
