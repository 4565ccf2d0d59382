"""The ends of chapters 2 to 4 and of the thesis: PSAND against all others (Section 4.7, Conclusion)."""

from __future__ import annotations

from collections.abc import Iterator

import penstock as ps
from penstock.papers.alemu_2004 import controllers
from penstock.papers.alemu_2004.controllers import Eight, others
from penstock.papers.alemu_2004.judge import sweep
from penstock.papers.alemu_2004.measures import Numbers
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of, any_of
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "measure", "study"]

METRICS = ("AQS", "VQS", "PLR", "LU", "F", "empty", "LRL1")


def study(effort: Effort) -> Study:
    """The schemes of chapter 4 on both links."""
    return controllers.study(effort, "same") + controllers.study(effort, "diff")


def measure(run: ps.Run) -> Numbers:
    """The metrics of the chapter."""
    return controllers.only(run, *METRICS)


def claims(table: Table) -> Iterator[Claim]:
    """What the conclusions say."""
    same, diff = Eight(table, "same"), Eight(table, "diff")
    yield Claim(
        id="ch4/c1",
        says="with unequal round trips PSAND is best by all metrics",
        expected="averages over N better than the seven others (Table 4.3: not AQS, LU, F)",
        holds=all_of(diff.better(metric, "PSAND", s) for metric in METRICS for s in others("PSAND")),
    )
    yield Claim(
        id="ch4/c1",
        says="with unequal round trips PSAND is best by all metrics but fairness",
        expected="averages over N better than the seven others",
        holds=all_of(diff.better(metric, "PSAND", s) for metric in METRICS if metric != "F" for s in others("PSAND")),
        reading="all but fairness, as in the Conclusion",
    )
    yield Claim(
        id="ch4/c2",
        says="PSAND has most single losses on both links",
        expected="LRL(1) above the seven others for every N",
        holds=sweep(c for eight in (same, diff) for c in eight.above("LRL1", "PSAND", others("PSAND"))),
    )
    yield Claim(
        id="concl/c3",
        says="no scheme is better than PSAND by all metrics at once, on either link",
        expected="PSAND better than each other one by the average of at least one metric",
        holds=all_of(
            any_of(eight.better(metric, "PSAND", s) for metric in METRICS).at(s)
            for eight in (same, diff)
            for s in others("PSAND")
        ),
        must_hold=True,
    )
    yield Claim(
        id="concl/c4",
        says="PSAND works with few and with many flows, LRED fails with few",
        expected="3 flows: VQS, P(X=0) of LRED above, LU below; N >= 73: AQS, VQS of PSAND at most 1.4 of LRED's",
        holds=all_of(
            *same.above("VQS", "LRED", ["PSAND"], [3]),
            *same.above("empty", "LRED", ["PSAND"], [3]),
            *same.below("LU", "LRED", ["PSAND"], [3]),
            *(
                (same.of(metric, "PSAND", n) <= same.of(metric, "LRED", n) * 1.4).at(f"{metric}, {n}")
                for metric in ("AQS", "VQS")
                for n in same.many
            ),
        ),
    )
