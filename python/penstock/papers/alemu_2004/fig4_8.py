"""Figure 4.8: mean and variance of the queue and losses, unequal round trips (Section 4.6.2)."""

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
from penstock.results.sample import all_of, any_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

METRICS = ("AQS", "VQS", "PLR")


def study(effort: Effort) -> Study:
    """The schemes of chapter 4, with unequal and with equal round trips."""
    return controllers.study(effort, "diff") + controllers.study(effort, "same")


def measure(run: ps.Run) -> Numbers:
    """What the panels show, and the utilization."""
    return controllers.only(run, *METRICS, "LU")


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of the figure."""
    eight = Eight(table, "diff")
    same = Eight(table, "same")
    few = [n for n in eight.flows if n <= 13]
    yield Claim(
        id="fig4.8/c1",
        says="BLUE, REM and PSAND change little from equal to unequal round trips; PI, AVQ and LRED get much worse",
        expected="averages over N: AQS within 25 %, VQS 40 %, PLR 2 points; for the latter one worse by more",
        holds=all_of(
            *(
                condition.at(s)
                for s in ("BLUE", "REM", "PSAND")
                for condition in (
                    (eight.mean("AQS", s) / same.mean("AQS", s)).reads(1, share=0.25).at("AQS"),
                    (eight.mean("VQS", s) / same.mean("VQS", s)).reads(1, share=0.4).at("VQS"),
                    (eight.mean("PLR", s) - same.mean("PLR", s)).between(-2, 2).at("PLR"),
                )
            ),
            *(
                any_of(
                    eight.mean("AQS", s) > same.mean("AQS", s) * 1.25,
                    eight.mean("VQS", s) > same.mean("VQS", s) * 1.4,
                    eight.mean("PLR", s) - same.mean("PLR", s) > 2.0,
                ).at(s)
                for s in ("PI", "AVQ", "LRED")
            ),
        ),
    )
    yield Claim(
        id="fig4.8a/c1",
        says="PI has the longest queue",
        expected="AQS above the seven others for every N",
        holds=sweep(eight.above("AQS", "PI", others("PI"))),
    )
    yield Claim(
        id="fig4.8b/c1",
        says="PI's variance is competitive with PSAND's but for few flows",
        expected="VQS(PI) <= 1.4 VQS(PSAND) for N >= 28, above PSAND's for N <= 13",
        holds=sweep(
            [
                *(
                    (eight.of("VQS", "PI", n) <= eight.of("VQS", "PSAND", n) * 1.4).at(f"{n} flows")
                    for n in eight.flows
                    if n >= 28
                ),
                *eight.above("VQS", "PI", ["PSAND"], few),
            ]
        ),
    )
    yield Claim(
        id="fig4.8c/c1",
        says="PI loses least with few flows, PSAND with many",
        expected="PLR below the seven others: PI for N <= 13, PSAND for N >= 73",
        holds=sweep(
            [
                *eight.below("PLR", "PI", others("PI"), few),
                *eight.below("PLR", "PSAND", others("PSAND"), eight.many),
            ]
        ),
    )
    yield Claim(
        id="fig4.8a/c2",
        says="the queue of AVQ and AVQ* gets longer; PSAND's is shorter but than that of AVQ* with many flows",
        expected="mean AQS of AVQ 25 % above, AVQ* above equal round trips'; PSAND below both, above AVQ* for N >= 73",
        holds=sweep(
            [
                (eight.mean("AQS", "AVQ") > same.mean("AQS", "AVQ") * 1.25).at("AVQ"),
                (eight.mean("AQS", "AVQ*") > same.mean("AQS", "AVQ*")).at("AVQ*"),
                *eight.below("AQS", "PSAND", ["AVQ"]),
                *eight.below("AQS", "PSAND", ["AVQ*"], [n for n in eight.flows if n not in eight.many]),
                *eight.above("AQS", "PSAND", ["AVQ*"], eight.many),
            ]
        ),
    )
    yield Claim(
        id="fig4.8b/c2",
        says="AVQ and AVQ* have a less steady queue than PSAND, but AVQ* the steadiest with many flows",
        expected="VQS above PSAND's; for N >= 73 VQS(AVQ*) below the seven others",
        holds=sweep(
            [
                *eight.above("VQS", "AVQ", ["PSAND"]),
                *eight.above("VQS", "AVQ*", ["PSAND"], [n for n in eight.flows if n not in eight.many]),
                *eight.below("VQS", "AVQ*", others("AVQ*"), eight.many),
            ]
        ),
    )
    yield Claim(
        id="fig4.8c/c2",
        says="PSAND loses less than AVQ and AVQ*, which pays with losses and utilization for its gain",
        expected="PLR(PSAND) below both; N >= 73: PLR of AVQ* above, LU below AVQ's",
        holds=sweep(
            [
                *eight.below("PLR", "PSAND", ["AVQ", "AVQ*"]),
                *eight.above("PLR", "AVQ*", ["AVQ"], eight.many),
                *eight.below("LU", "AVQ*", ["AVQ"], eight.many),
            ]
        ),
    )
    yield Claim(
        id="fig4.8b/c3",
        says="BLUE and AVQ have the least steady queues, then LRED",
        expected="averages of VQS: BLUE and AVQ above LRED, LRED above the five others",
        holds=all_of(
            *(eight.better("VQS", "LRED", s) for s in ("BLUE", "AVQ")),
            *(eight.better("VQS", s, "LRED") for s in others("BLUE", "AVQ", "LRED")),
        ),
    )
    yield Claim(
        id="fig4.8b/c4",
        says="LRED* varies more than PSAND but with very many flows",
        expected="VQS(LRED*) above PSAND's for N <= 53, below for N >= 93",
        holds=sweep(
            [
                *eight.above("VQS", "LRED*", ["PSAND"], [n for n in eight.flows if n <= 53]),
                *eight.below("VQS", "LRED*", ["PSAND"], [n for n in eight.flows if n >= 93]),
            ]
        ),
    )
    yield Claim(
        id="fig4.8a/c3",
        says="LRED can compete with PSAND by its mean queue only",
        expected="averages: AQS at most 25 % above PSAND's; VQS, PLR and LU worse",
        holds=all_of(
            (eight.mean("AQS", "LRED") <= eight.mean("AQS", "PSAND") * 1.25).at("AQS"),
            *(eight.better(metric, "PSAND", "LRED") for metric in ("VQS", "PLR", "LU")),
        ),
    )


def draw(shown: Shown) -> Figure:
    """The panels."""
    return panels.draw(shown, controllers.panels("diff", *METRICS), columns=3)
