"""Figure 2.14: losses against PSAND's factor and power (Section 2.4.3)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import judge, panels
from penstock.papers.alemu_2004.factors import large, study
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.reproduce.claim import Claim
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table

__all__ = ["claims", "draw", "measure", "study"]

AREDS = ("Feng", "Floyd")


def claims(table: Table) -> Iterator[Claim]:
    """How it goes with each, and what the text says of Figures 2.12 to 2.14 together."""
    coefs, gammas, flows = table.axis("coef"), table.axis("gamma"), table.axis("flows")

    def of(metric: str, coef: float, gamma: float, n: int) -> Sample:
        return table(metric, coef=coef, gamma=gamma, flows=n)

    def ared(metric: str, scheme: str, n: int) -> Sample:
        return table(metric, scheme=scheme, flows=n)

    yield Claim(
        id="fig2.14/c1",
        says="losses rise with the factor and fall with the power",
        expected="for every N and power; for every N and factor above 1",
        holds=all_of(
            *(
                judge.rising([of("PLR", c, g, n) for c in coefs]).at(f"{n} flows, power {g:g}")
                for g in gammas
                for n in flows
            ),
            *(
                judge.falling([of("PLR", c, g, n) for g in gammas]).at(f"{n} flows, factor {c:g}")
                for c in coefs
                if c > 1
                for n in flows
            ),
        ),
    )

    def more(n: int) -> Sample:
        return of("PLR", 1.75, gammas[0], n) - of("PLR", 1.75, gammas[-1], n)

    yield Claim(
        id="fig2.14/c2",
        says="a smaller power costs most with few flows",
        expected="rise of PLR from the largest to the least power (factor 1.75) larger at 3 flows than at each other N",
        holds=all_of((more(3) > more(n)).at(f"{n} flows") for n in large(table)),
    )
    yield Claim(
        id="fig2.14/c3",
        says="with few flows and a large factor losses are about 1.8 %, against 0.9 % of the adaptive REDs",
        expected="3 flows, factor 3: PLR 1.8 +- 0.5 % and < 2 % for every power; Feng, Floyd 0.9 +- 0.5 %",
        holds=all_of(
            *(judge.plr(of("PLR", 3, g, 3), 1.8).at(f"power {g:g}") for g in gammas),
            *((of("PLR", 3, g, 3) < 2.0).at(f"power {g:g}") for g in gammas),
            *(judge.plr(ared("PLR", s, 3), 0.9).at(s) for s in AREDS),
        ),
    )
    yield Claim(
        id="fig2.14/c4",
        says="with a small factor losses are lower and the queue longer",
        expected="factor 0.5 against 3, power 1.5, every N",
        holds=all_of(
            condition.at(f"{n} flows")
            for n in flows
            for condition in (
                of("PLR", 0.5, 1.5, n) < of("PLR", 3, 1.5, n),
                of("AQS", 0.5, 1.5, n) > of("AQS", 3, 1.5, n),
            )
        ),
    )
    yield Claim(
        id="fig2.14/c5",
        says="with many flows and a factor above 1 both queue and losses are below the adaptive REDs'",
        expected="AQS and PLR for N = 53, 73, 103 and every power",
        holds=judge.sweep(
            (of(metric, c, g, n) < ared(metric, s, n)).at(f"{metric}, {s}, {n} flows, {c:g}, {g:g}")
            for metric in ("AQS", "PLR")
            for s in AREDS
            for n in large(table)
            for c in coefs
            if c > 1
            for g in gammas
        ),
    )
    yield Claim(
        id="fig2.12-14/c6",
        says="with few flows a factor near 1 and a power above 1 improve mean and variance without much more loss",
        expected="3 flows, factor 1, power > 1: AQS, VQS below Feng's and Floyd's, PLR at most 0.5 points more",
        holds=all_of(
            condition.at(f"{s}, power {g:g}")
            for s in AREDS
            for g in gammas
            if g > 1
            for condition in (
                of("AQS", 1, g, 3) < ared("AQS", s, 3),
                of("VQS", 1, g, 3) < ared("VQS", s, 3),
                of("PLR", 1, g, 3) - ared("PLR", s, 3) <= 0.5,
            )
        ),
    )


def draw(shown: Shown) -> Figure:
    """A panel for each number of flows."""
    return panels.draw(
        shown, [panels.Panel("coef", "PLR", "gamma", {"flows": n}, f"{n} flows") for n in shown.axis("flows")]
    )
