"""Why what Section 2.4.3 says of PSAND's factor and power is contradicted: few flows, and other adaptive REDs.

Factors and powers of Figure 2.14 are not left (guess 12). With 3 flows receivers have delayed acknowledgements, with
which Table 2.2 is met; the adaptive REDs drop each packet by itself, with many flows also without ns-2's guards.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import penstock as ps
from penstock.papers.alemu_2004 import cells, judge, tables2
from penstock.papers.alemu_2004.factors import COEFS, GAMMAS
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.papers.alemu_2004.setup import feng, floyd, load, psand
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "measure", "study"]

AREDS = {"Feng": feng, "Floyd": floyd}
MANY = [53, 73, 103]


def study(effort: Effort) -> Study:
    """Factors and powers with 3 flows and with many, and the adaptive REDs."""

    def pair(coef: float, gamma: float, flows: int) -> ps.Scenario:
        return load(psand(coef, gamma), flows, acks="delayed" if flows == 3 else "each")

    def ared(scheme: str, flows: int) -> ps.Scenario:
        own = AREDS[scheme](spacing="none", guards=flows == 3)
        return load(own, flows, acks="delayed" if flows == 3 else "each")

    def both(flows: list[int], seeds: int) -> Study:
        axes: Mapping[str, Sequence[Any]] = {"coef": COEFS, "gamma": effort.choose([1.5, 2], GAMMAS), "flows": flows}
        return Study(pair, axes, seeds=seeds) + Study(ared, {"scheme": list(AREDS), "flows": flows}, seeds=seeds)

    few = both([3], effort.choose(5, 30))
    return few if effort.quick else few + both(MANY, 10)


def claims(table: Table) -> Iterator[Claim]:
    """With 3 flows, with many, and what Table 2.2 has."""
    gammas, flows = table.axis("gamma"), table.axis("flows")

    def of(metric: str, coef: float, gamma: float, n: int = 3) -> Sample:
        return table(metric, coef=coef, gamma=gamma, flows=n)

    def ared(metric: str, scheme: str, n: int = 3) -> Sample:
        return table(metric, scheme=scheme, flows=n)

    high = [g for g in gammas if g > 1]
    yield Claim(
        id="why-factors/few",
        says="3 flows: losses rise with the factor and fall with the power",
        expected="as fig2.14/c1, powers >= 1, factors >= 1.5",
        holds=all_of(
            *(judge.rising([of("PLR", c, g) for c in COEFS]).at(f"power {g:g}") for g in gammas if g >= 1),
            *(judge.falling([of("PLR", c, g) for g in gammas]).at(f"factor {c:g}") for c in COEFS if c >= 1.5),
        ),
        reading="own",
    )
    yield Claim(
        id="why-factors/large",
        says="3 flows: factor 3 loses 1.8 % with powers 1.5 and 2",
        expected="+- 0.5 %, < 2 %; adaptive REDs 0.9 +- 0.5 %",
        holds=all_of(
            *(judge.plr(of("PLR", 3, g), 1.8).at(f"power {g:g}") for g in high),
            *((of("PLR", 3, g) < 2.0).at(f"power {g:g}") for g in high),
            *(judge.plr(ared("PLR", s), 0.9).at(s) for s in AREDS),
        ),
        reading="own",
    )
    yield Claim(
        id="why-factors/near-1",
        says="3 flows, factor 1.25, powers above 1: shorter and steadier",
        expected="as fig2.12-14/c6",
        holds=judge.sweep(
            condition.at(f"{s}, power {g:g}")
            for s in AREDS
            for g in high
            for condition in (
                of("AQS", 1.25, g) < ared("AQS", s),
                of("VQS", 1.25, g) < ared("VQS", s),
                of("PLR", 1.25, g) - ared("PLR", s) <= 0.5,
            )
        ),
        reading="own",
    )
    many = [n for n in flows if n in MANY]
    if many:
        yield Claim(
            id="why-factors/alike",
            says="many flows: losses hardly depend on either",
            expected="PLR within 1.5 points of (1.75, 1.5)",
            holds=all_of(
                (abs(of("PLR", c, g, n) - of("PLR", 1.75, 1.5, n)) <= 1.5).at(f"{c:g}, {g:g}, {n} flows")
                for c, g, n in itertools.product(COEFS, gammas, many)
            ),
            reading="own",
        )
        yield Claim(
            id="why-factors/many",
            says="many flows, adaptive REDs to the letter: shorter, and loses less",
            expected="as fig2.14/c5, factors >= 1.75",
            holds=judge.sweep(
                (of(metric, c, g, n) < ared(metric, s, n)).at(f"{metric}, {s}, {n} flows, {c:g}, {g:g}")
                for metric in ("AQS", "PLR")
                for s in AREDS
                for c, g, n in itertools.product((c for c in COEFS if c >= 1.75), gammas, many)
            ),
            reading="own",
        )
    printed = cells.as_table(tables2.printed("tab2-2"))

    def row(name: str) -> Sample:
        return printed("PLR", **tables2.at(name, 28))

    yield Claim(
        id="why-factors/table",
        says="Table 2.2, 28 flows: the other way round",
        expected="PLR (2, 0.25) < (1.75, 1.5)",
        holds=row("PSAND3") < row("PSAND2"),
        reading="own",
    )
