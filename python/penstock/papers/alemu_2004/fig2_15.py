"""Figure 2.15: the upper bound of PSAND's max_p, with factor 1.75 and power 1.5 (Section 2.4.5)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import judge, panels
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.papers.alemu_2004.setup import LOADS, load, psand
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]


def study(effort: Effort, coef: float = 1.75, gamma: float = 1.5) -> Study:
    """PSAND with each bound and load."""
    tenths = [i / 10 for i in range(1, 11)]
    return Study(
        lambda high, flows: load(psand(coef, gamma, high), flows),
        {"high": effort.choose([0.1, 0.4, 0.7, 1.0], tenths), "flows": effort.choose([3, 53, 103], LOADS)},
        seeds=effort.choose(5, 100),
    )


def claims(table: Table) -> Iterator[Claim]:
    """How mean, variance and losses go with the bound."""
    highs, flows = table.axis("high"), table.axis("flows")
    many = [n for n in flows if n >= 53]

    def of(metric: str, high: float, n: int) -> Sample:
        return table(metric, high=high, flows=n)

    def fall(n: int) -> Sample:
        return of("AQS", 0.1, n) - of("AQS", 1.0, n)

    yield Claim(
        id="fig2.15b/c1",
        says="the mean queue falls as the bound rises, and more so at a high load",
        expected="AQS falls at 53, 73, 103 flows; from bound 0.1 to 1 by more the more flows",
        holds=all_of(
            *(judge.falling([of("AQS", high, n) for high in highs]).at(f"{n} flows") for n in many),
            *((fall(b) > fall(a)).at(f"{a} to {b} flows") for a, b in itertools.pairwise(flows)),
        ),
        must_hold=True,
    )
    yield Claim(
        id="fig2.15b/c2",
        says="with 103 flows the mean queue goes from 25 packets to 8",
        expected="AQS 25 +- 25 % at bound 0.1, 8 +- 25 % at 1",
        holds=all_of(judge.aqs(of("AQS", 0.1, 103), 25).at("0.1"), judge.aqs(of("AQS", 1.0, 103), 8).at("1")),
    )
    yield Claim(
        id="fig2.15/c3",
        says="with 3 flows the bound hardly matters",
        expected="3 flows: spread of AQS over the bounds <= 25 %, of VQS <= 40 %, of PLR <= 0.5 points",
        holds=judge.sweep(
            [
                (judge.relative_spread([of("AQS", high, 3) for high in highs]) <= 0.25).at("AQS"),
                (judge.relative_spread([of("VQS", high, 3) for high in highs]) <= 0.4).at("VQS"),
                *((abs(of("PLR", high, 3) - of("PLR", 1.0, 3)) <= 0.5).at(f"PLR, {high:g}") for high in highs),
            ]
        ),
    )
    falling = [high for high in highs if high <= 0.7]
    yield Claim(
        id="fig2.15a/c1",
        says="at a high load the variance falls up to a bound of 0.7 and rises slowly beyond",
        expected="73 and 103 flows: VQS falls over 0.1 to 0.7, and is larger at 1 than at 0.7",
        holds=all_of(
            condition.at(f"{n} flows")
            for n in flows
            if n >= 73
            for condition in (
                judge.falling([of("VQS", high, n) for high in falling]),
                of("VQS", 1.0, n) > of("VQS", 0.7, n),
            )
        ),
    )
    yield Claim(
        id="fig2.15c/c1",
        says="at a high load losses rise only slightly with the bound",
        expected="73 and 103 flows: PLR at 1 between 0 and 2 points above that at 0.1",
        holds=all_of((of("PLR", 1.0, n) - of("PLR", 0.1, n)).between(0, 2).at(f"{n} flows") for n in flows if n >= 73),
    )


def draw(shown: Shown) -> Figure:
    """The three panels."""
    return panels.draw(shown, [panels.Panel("high", metric, "flows") for metric in ("VQS", "AQS", "PLR")])
