"""What RED's drop function says of PSAND's Max and of its largest max_p, without PSAND: max_p is held fixed.

RED's average is where its drop function gives the losses that the load asks for: with fixed max_p it is the higher, the
larger Max is. PSAND lowers max_p where the average is below its target, but not above its bound, so that a small Max
does not lengthen its queue. Where max_p stays at its bound, factor and power do not matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import penstock as ps
from penstock.papers.alemu_2004 import judge
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.papers.alemu_2004.setup import KT, load, psand, red
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "measure", "study"]

MAXIMA, MINIMA = [10.5, 15, 20, 35], [0, 9.5]
PAIRS = {"(1, 1)": (1, 1), "(1.75, 1.5)": (1.75, 1.5)}
LOWEST, PRINTED = 0.1, 25
"""The smallest bound of Figures 2.15 and 2.16, and the mean queue there with 103 flows (Section 2.4.5)."""


def study(effort: Effort) -> Study:
    """RED with max_p 0.75 in both modes, and PSAND with the least and the largest bound."""

    def fixed(max_th: float, min_th: float, flows: int, gentle: bool) -> ps.Scenario:
        return load(red(max_p=0.75, min_th=min_th, max_th=max_th, gentle=gentle), flows)

    def bounded(pair: str, high: float) -> ps.Scenario:
        return load(psand(*PAIRS[pair], high), 103)

    seeds = effort.choose(5, 20)
    axes: Mapping[str, Sequence[Any]] = {
        "max_th": MAXIMA,
        "min_th": MINIMA,
        "flows": effort.choose([103], [23, 53, 73, 103]),
        "gentle": [True],
    }
    strict: Mapping[str, Sequence[Any]] = {"max_th": [10.5], "min_th": [0], "flows": [103], "gentle": [False]}
    return (
        Study(fixed, axes, seeds=seeds, labels={"part": "fixed"})
        + Study(fixed, strict, seeds=seeds, labels={"part": "fixed"})
        + Study(bounded, {"pair": list(PAIRS), "high": [LOWEST, 1.0]}, seeds=seeds, labels={"part": "bounded"})
    )


def claims(table: Table) -> Iterator[Claim]:
    """Against Max, the strict mode, and against the bound."""
    fixed, bounded = table.where(part="fixed"), table.where(part="bounded")
    gentle = fixed.where(gentle=True)
    yield Claim(
        id="why-slope/max",
        says="RED with max_p 0.75: the larger Max, the longer the queue, at every load",
        expected="rank correlation of AQS with Max >= 0.8 for each Min, least at Max 10.5",
        holds=all_of(
            condition.at(f"Min {low:g}, {n} flows")
            for low in MINIMA
            for n in gentle.axis("flows")
            for condition in (
                judge.rising([gentle("AQS", max_th=high, min_th=low, flows=n) for high in MAXIMA]),
                judge.lowest(10.5, [(high, gentle("AQS", max_th=high, min_th=low, flows=n)) for high in MAXIMA]),
            )
        ),
        reading="own",
    )
    yield Claim(
        id="why-slope/twice",
        says="at Max 20 its queue is longer than at 10.5 by more than a fifth",
        expected="AQS at Max 20 > 1.2 times that at 10.5, Min 0, every load",
        holds=all_of(
            (gentle("AQS", max_th=20, min_th=0, flows=n) > gentle("AQS", max_th=10.5, min_th=0, flows=n) * 1.2).at(
                f"{n} flows"
            )
            for n in gentle.axis("flows")
        ),
        reading="own",
    )
    yield Claim(
        id="why-slope/strict",
        says="strict with Max 10.5 has a shorter queue than gentle with Max 20, 103 flows",
        expected="AQS below",
        holds=fixed("AQS", max_th=10.5, min_th=0, flows=103, gentle=False)
        < fixed("AQS", max_th=20, min_th=0, flows=103, gentle=True),
        reading="own",
    )
    one, other = ({high: bounded("AQS", pair=pair, high=high) for high in (LOWEST, 1.0)} for pair in PAIRS)
    yield Claim(
        id="why-slope/bound",
        says="at a bound of 0.1 the pair does not matter, 103 flows; at 1 the pair (1, 1) comes near its target",
        expected=f"AQS of the pairs within 2 %, {PRINTED} +- 25 % (Section 2.4.5); at 1 {KT} +- 25 % with (1, 1)",
        holds=all_of(
            (abs(one[LOWEST] / other[LOWEST] - 1) <= 0.02).at("pairs"),
            one[LOWEST].reads(PRINTED, share=0.25).at("0.1"),
            one[1.0].reads(KT, share=0.25).at("1"),
        ),
        reading="own",
    )
