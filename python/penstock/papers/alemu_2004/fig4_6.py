"""Figure 4.6: fairness, utilization and empty queues, equal round trips (Section 4.6.1)."""

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
from penstock.results.sample import most_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

METRICS = ("F", "LU", "empty")


def study(effort: Effort) -> Study:
    """The schemes of chapter 4."""
    return controllers.study(effort, "same")


def measure(run: ps.Run) -> Numbers:
    """What the panels show."""
    return controllers.only(run, *METRICS)


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of the figure."""
    eight = Eight(table, "same")
    for rem, reading in (("REM", ""), ("REM of ns-2", "REM's price by the arrivals, as in ns-2")):
        yield Claim(
            id="fig4.6/c1",
            says="PSAND uses more of the link than REM and is fairer",
            expected="LU and F above REM's for every N (Table 4.2 has F equal)",
            holds=sweep(c for metric in ("LU", "F") for c in eight.above(metric, "PSAND", [rem])),
            reading=reading,
        )
    yield Claim(
        id="fig4.6a/c1",
        says="AVQ and AVQ* are least fair",
        expected="F below the six others for every N",
        holds=sweep(c for s in ("AVQ", "AVQ*") for c in eight.below("F", s, others("AVQ", "AVQ*"))),
    )
    yield Claim(
        id="fig4.6b/c1",
        says="AVQ and AVQ* use the link among the least",
        expected="LU below four of the six others at least, for every N",
        holds=sweep(
            most_of(4 / 6, eight.below("LU", s, others("AVQ", "AVQ*"), [n])).at(f"{s}, {n}")
            for s in ("AVQ", "AVQ*")
            for n in eight.flows
        ),
    )
    yield Claim(
        id="fig4.6c/c1",
        says="the queue of AVQ and AVQ* is empty most often",
        expected="P(X=0) above the six others for every N",
        holds=sweep(c for s in ("AVQ", "AVQ*") for c in eight.above("empty", s, others("AVQ", "AVQ*"))),
    )
    yield Claim(
        id="fig4.6a/c2",
        says="PSAND is slightly fairer than LRED",
        expected="F above for every N",
        holds=sweep(eight.above("F", "PSAND", ["LRED"])),
    )
    yield Claim(
        id="fig4.6b/c2",
        says="PSAND uses more of the link than LRED",
        expected="LU above for every N",
        holds=sweep(eight.above("LU", "PSAND", ["LRED"])),
    )


def draw(shown: Shown) -> Figure:
    """The panels."""
    return panels.draw(shown, controllers.panels("same", *METRICS), columns=3)
