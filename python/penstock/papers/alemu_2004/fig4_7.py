"""Figure 4.7: runs of losses of a flow, equal round trips (Section 4.6.1)."""

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
from penstock.results.sample import Sample, per_run
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

METRICS = ("LRL1", "LRL2", "LRL3")


def study(effort: Effort) -> Study:
    """The schemes of chapter 4."""
    return controllers.study(effort, "same")


def measure(run: ps.Run) -> Numbers:
    """What the panels show, and runs of more than 2."""
    return controllers.only(run, *METRICS, "LRL>2")


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of the figure."""
    eight = Eight(table, "same")
    for rem, reading in (("REM", ""), ("REM of ns-2", "REM's price by the arrivals, as in ns-2")):
        yield Claim(
            id="fig4.7/c1",
            says="REM loses more packets in a row than PSAND",
            expected="LRL(1) below PSAND's for every N",
            holds=sweep(eight.below("LRL1", rem, ["PSAND"])),
            reading=reading,
        )
    yield Claim(
        id="fig4.7a/c1",
        says="PSAND has most single losses, the others are alike",
        expected="LRL(1) above the seven others for every N; those within 25 % of their mean",
        holds=sweep(
            [
                *eight.above("LRL1", "PSAND", others("PSAND")),
                *(
                    (abs(eight.of("LRL1", s, n) / _mean(eight, n) - 1) <= 0.25).at(f"alike, {s}, {n}")
                    for s in others("PSAND")
                    for n in eight.flows
                ),
            ]
        ),
    )
    yield Claim(
        id="fig4.7bc/c1",
        says="PSAND loses two and three in a row least often",
        expected="LRL(2), LRL(3) and LRL(>2) below the seven others for every N",
        holds=sweep(c for m in ("LRL2", "LRL3", "LRL>2") for c in eight.below(m, "PSAND", others("PSAND"))),
    )
    yield Claim(
        id="fig4.7/c2",
        says="LRED and LRED* lose more in a row than PSAND",
        expected="LRL(1) below PSAND's for every N",
        holds=sweep(c for s in ("LRED", "LRED*") for c in eight.below("LRL1", s, ["PSAND"])),
    )


def _mean(eight: Eight, n: int) -> Sample:
    samples = [eight.of("LRL1", scheme, n) for scheme in others("PSAND")]
    return per_run(lambda values: float(values.mean()), samples)


def draw(shown: Shown) -> Figure:
    """The panels."""
    return panels.draw(shown, controllers.panels("same", *METRICS), columns=3)
