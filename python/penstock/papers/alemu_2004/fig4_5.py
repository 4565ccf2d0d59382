"""Figure 4.5: mean and variance of the queue and losses, equal round trips (Section 4.6.1)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.alemu_2004 import controllers, panels
from penstock.papers.alemu_2004.controllers import Eight, others
from penstock.papers.alemu_2004.judge import rising, sweep
from penstock.papers.alemu_2004.measures import Numbers
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of, any_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

METRICS = ("AQS", "VQS", "PLR")


def study(effort: Effort) -> Study:
    """The schemes of chapter 4."""
    return controllers.study(effort, "same")


def measure(run: ps.Run) -> Numbers:
    """What the panels show."""
    return controllers.only(run, *METRICS)


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of the figure."""
    eight = Eight(table, "same")
    yield Claim(
        id="fig4.5/c1",
        says="PSAND is better than BLUE and PI",
        expected="AQS and VQS below for every N (Table 4.2 contradicts the other metrics of the text)",
        holds=sweep(c for metric in ("AQS", "VQS") for c in eight.below(metric, "PSAND", ["BLUE", "PI"])),
    )
    for rem, reading in (("REM", ""), ("REM of ns-2", "REM's price by the arrivals, as in ns-2")):
        yield Claim(
            id="fig4.5a/c1",
            says="REM's queue is shorter than PSAND's, about the same for all N and far below 10",
            expected="every N: AQS < PSAND's, within 25 % of its mean over N and < 7.5",
            holds=sweep(
                [
                    *eight.below("AQS", rem, ["PSAND"]),
                    *(
                        (abs(eight.of("AQS", rem, n) / eight.mean("AQS", rem) - 1) <= 0.25).at(f"constant, {n}")
                        for n in eight.flows
                    ),
                    *((eight.of("AQS", rem, n) < 7.5).at(f"below 7.5, {n}") for n in eight.flows),
                ]
            ),
            reading=reading,
        )
    yield Claim(
        id="fig4.5a/c2",
        says="PSAND's queue grows slowly with N",
        expected="rank correlation >= 0.8",
        holds=rising([eight.of("AQS", "PSAND", n) for n in eight.flows]),
        must_hold=True,
    )
    for rem, reading in (("REM", ""), ("REM of ns-2", "REM's price by the arrivals, as in ns-2")):
        yield Claim(
            id="fig4.5b/c1",
            says="REM's queue varies more than PSAND's",
            expected="VQS(REM) > VQS(PSAND) for every N",
            holds=sweep(eight.above("VQS", rem, ["PSAND"])),
            reading=reading,
        )
    for rem, reading in (("REM", ""), ("REM of ns-2", "REM's price by the arrivals, as in ns-2")):
        yield Claim(
            id="fig4.5c/c1",
            says="REM loses more than PSAND",
            expected="PLR(REM) > PLR(PSAND) for every N",
            holds=sweep(eight.above("PLR", rem, ["PSAND"])),
            reading=reading,
        )
    yield Claim(
        id="fig4.5a/c3",
        says="AVQ* has the shortest queue",
        expected="AQS(AVQ*) below the seven others for every N",
        holds=sweep(eight.below("AQS", "AVQ*", others("AVQ*"))),
    )
    yield Claim(
        id="fig4.5b/c2",
        says="AVQ* has the steadiest queue",
        expected="VQS(AVQ*) below the seven others for every N",
        holds=sweep(eight.below("VQS", "AVQ*", others("AVQ*"))),
    )
    yield Claim(
        id="fig4.5c/c2",
        says="AVQ or AVQ* loses least, and AVQ less than AVQ* at high load",
        expected="every N: PLR of one below the six others; N >= 73: PLR(AVQ) < PLR(AVQ*)",
        holds=sweep(
            [
                *(
                    any_of(all_of(eight.below("PLR", own, others("AVQ", "AVQ*"), [n])) for own in ("AVQ", "AVQ*")).at(
                        f"least, {n}"
                    )
                    for n in eight.flows
                ),
                *eight.below("PLR", "AVQ", ["AVQ*"], eight.many),
            ]
        ),
    )
    yield Claim(
        id="fig4.5/c2",
        says="at high load AVQ* has a shorter and steadier queue than AVQ, and loses more",
        expected="N >= 73: AQS and VQS below, PLR above AVQ's",
        holds=all_of(
            *(c for metric in ("AQS", "VQS") for c in eight.below(metric, "AVQ*", ["AVQ"], eight.many)),
            *eight.above("PLR", "AVQ*", ["AVQ"], eight.many),
        ),
    )
    yield Claim(
        id="fig4.5/c3",
        says="AVQ and AVQ* are better than PSAND but for AVQ's variance at high load",
        expected="AQS, VQS, PLR below PSAND's for every N; VQS(AVQ) above for N >= 73",
        holds=sweep(
            [
                *(c for s in ("AVQ", "AVQ*") for m in ("AQS", "PLR") for c in eight.below(m, s, ["PSAND"])),
                *eight.below("VQS", "AVQ*", ["PSAND"]),
                *eight.below("VQS", "AVQ", ["PSAND"], [n for n in eight.flows if n not in eight.many]),
                *eight.above("VQS", "AVQ", ["PSAND"], eight.many),
            ]
        ),
    )
    yield Claim(
        id="fig4.5a/c4",
        says="the queue of LRED and LRED* is about 10 for all N, PSAND's is shorter",
        expected="AQS 10 +- 25 % at every N; PSAND's below both",
        holds=sweep(
            [
                *(
                    eight.of("AQS", s, n).reads(10, share=0.25).at(f"{s}, {n}")
                    for s in ("LRED", "LRED*")
                    for n in eight.flows
                ),
                *eight.below("AQS", "PSAND", ["LRED", "LRED*"]),
            ]
        ),
    )
    yield Claim(
        id="fig4.5b/c3",
        says="LRED's queue varies as PSAND's, more with few flows; that of LRED* less than both",
        expected="VQS(LRED) within 40 % of PSAND's, above for N <= 13; LRED* below both, PLR at most 2 points above",
        holds=sweep(
            [
                *(
                    (eight.of("VQS", "LRED", n) / eight.of("VQS", "PSAND", n)).reads(1, share=0.4).at(f"alike, {n}")
                    for n in eight.flows
                    if n > 13
                ),
                *eight.above("VQS", "LRED", ["PSAND"], [n for n in eight.flows if n <= 13]),
                *eight.below("VQS", "LRED*", ["LRED", "PSAND"]),
                *(
                    (eight.of("PLR", "LRED*", n) - eight.of("PLR", "PSAND", n) <= 2.0).at(f"PLR, {n}")
                    for n in eight.flows
                ),
            ]
        ),
    )


def draw(shown: Shown) -> Figure:
    """The panels."""
    return panels.draw(shown, controllers.panels("same", *METRICS), columns=3)
