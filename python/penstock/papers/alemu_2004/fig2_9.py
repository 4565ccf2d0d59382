"""Figure 2.9: variance and mean of the queue and losses against the number of flows (Section 2.4.2.2)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import judge, panels
from penstock.papers.alemu_2004.loads import OTHERS, study
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.reproduce.claim import Claim
from penstock.results.sample import Condition, Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table

__all__ = ["claims", "draw", "measure", "study"]


def claims(table: Table) -> Iterator[Claim]:
    """Each with max_p up to 0.75 and, as another reading, up to 0.5."""
    for own, reading in (("PSAND", ""), ("PSAND 0.5", "max_p at most 0.5")):
        yield from _claims(table, own, reading)
    yield from _lengths(table)
    yield Claim(
        id="fig2.9c/c5",
        says="the adaptive REDs lose slightly more than RED",
        expected="PLR of Feng and Floyd > RED for every N",
        holds=judge.sweep(
            (table("PLR", scheme=scheme, flows=n) > table("PLR", scheme="RED", flows=n)).at(f"{scheme}, {n}")
            for scheme in ("Feng", "Floyd")
            for n in table.axis("flows")
        ),
    )
    yield Claim(
        id="fig2.9/c6",
        says="the adaptive REDs have a shorter and steadier queue than RED",
        expected="VQS and AQS of Feng and Floyd < RED for every N",
        holds=judge.sweep(
            (table(metric, scheme=scheme, flows=n) < table(metric, scheme="RED", flows=n)).at(
                f"{metric}, {scheme}, {n}"
            )
            for metric in ("VQS", "AQS")
            for scheme in ("Feng", "Floyd")
            for n in table.axis("flows")
        ),
    )


def _lengths(table: Table) -> Iterator[Claim]:
    """Why losses and empty queues are not what the text says: both are more with a shorter queue."""
    for metric, word in (("PLR", "loses"), ("empty", "is empty")):
        orders = [
            judge.rank_correlations(
                *([part for _, part in table.along("scheme", name, flows=n)] for name in ("AQS", metric))
            )
            for n in table.axis("flows")
        ]
        yield Claim(
            id=f"fig2.9/length-{metric}",
            says=f"the shorter a scheme's queue the more it {word}",
            expected=f"rank correlation of AQS and {metric} over the schemes, mean over N, below 0"
            + (" (Table 2.2 prints +0.6 at 28)" if metric == "PLR" else ""),
            holds=sum(orders[1:], orders[0]) / len(orders) < 0.0,
            reading="own",
        )


def _claims(table: Table, own: str, reading: str) -> Iterator[Claim]:
    flows = table.axis("flows")
    large = [n for n in flows if n >= 73]

    def of(metric: str, scheme: str, n: int) -> Sample:
        return table(metric, scheme=scheme, flows=n)

    def below(metric: str, over: list[int]) -> Condition:
        return judge.sweep((of(metric, own, n) < of(metric, s, n)).at(f"{s}, {n} flows") for s in OTHERS for n in over)

    for panel, metric in (("a", "VQS"), ("b", "AQS")):
        yield Claim(
            id=f"fig2.9{panel}/c1",
            says=f"PSAND has the lowest {metric}",
            expected=f"{metric}(PSAND) < RED, Feng, Floyd for every N",
            holds=below(metric, flows),
            reading=reading,
        )
    yield Claim(
        id="fig2.9b/c2",
        says="with many flows the adaptive REDs' queue is far above the target, PSAND's nearer",
        expected="N >= 73: AQS of Feng and Floyd > 10, |AQS(PSAND) - 10| smaller",
        holds=all_of(
            condition.at(f"{s}, {n}")
            for s in ("Feng", "Floyd")
            for n in large
            for condition in (of("AQS", s, n) > 10.0, abs(of("AQS", own, n) - 10) < abs(of("AQS", s, n) - 10))
        ),
        reading=reading,
    )
    if few := [n for n in flows if n < 28]:
        yield Claim(
            id="fig2.9b/c3",
            says="with few flows PSAND's queue is below the target",
            expected="AQS(PSAND) < 10 for N < 28",
            holds=judge.sweep((of("AQS", own, n) < 10.0).at(f"{n} flows") for n in few),
            must_hold=not reading,
            reading=reading,
        )
    yield Claim(
        id="fig2.9c/c1",
        says="at 28 flows PSAND loses 1.2 points less than the adaptive REDs",
        expected="1.2 +- 0.5 points (Table 2.2 has 1.0 and 0.9)",
        holds=all_of(judge.gap(of("PLR", s, 28) - of("PLR", own, 28), 1.2).at(s) for s in ("Feng", "Floyd")),
        reading=reading,
    )
    yield Claim(
        id="fig2.9c/c2",
        says="at 28 flows PSAND loses 0.6 points less than RED",
        expected="0.6 +- 0.5 points",
        holds=judge.gap(of("PLR", "RED", 28) - of("PLR", own, 28), 0.6),
        reading=reading,
    )
    yield Claim(
        id="fig2.9c/c3",
        says="PSAND loses less from 28 flows on",
        expected="PLR(PSAND) < RED, Feng, Floyd for N >= 28",
        holds=below("PLR", [n for n in flows if n >= 28]),
        reading=reading,
    )
    yield Claim(
        id="fig2.9c/c4",
        says="PSAND loses less for all N",
        expected="PLR(PSAND) < RED, Feng, Floyd (Table 2.2 has more at 3 flows)",
        holds=below("PLR", flows),
        reading=reading,
    )


def draw(shown: Shown) -> Figure:
    """The three panels."""
    return panels.draw(shown, [panels.Panel("flows", metric, "scheme") for metric in ("VQS", "AQS", "PLR")])
