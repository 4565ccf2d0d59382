"""Figure 3.1: the queue against Max for a small Min (Section 3.2.1)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import judge, panels, thresholds
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

MINIMA: list[float] = [0, 2, 5]


def study(effort: Effort) -> Study:
    """These thresholds at all loads."""
    return thresholds.study(effort, minima=MINIMA)


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of the figure; what it says of Figures 3.1 to 3.4 together is in fig3-1-4."""

    def of(metric: str, min_th: float, max_th: float, n: int) -> Sample:
        return table(metric, min_th=min_th, max_th=max_th, flows=n)

    highs = table.axis("max_th")
    wide = [high for high in highs if high != 18]
    few = [n for n in table.axis("flows") if n <= 23]
    for over, words, reading in (
        (highs, "Max", ""),
        ([high for high in highs if high <= 20], "Max up to 20", "Max up to 20"),
    ):
        yield Claim(
            id="fig3.1/c1",
            says="with a small Min and few flows Max hardly matters, and the queue is below the target",
            expected=f"Min 0 and 2, 3 and 23 flows: spread of AQS over {words} <= 25 %, of VQS <= 40 %; AQS < 10",
            holds=judge.sweep(
                condition.at(f"Min {low:g}, {n} flows")
                for low in table.axis("min_th")
                if low <= 2
                for n in few
                for condition in (
                    judge.relative_spread([of("AQS", low, high, n) for high in over]) <= 0.25,
                    judge.relative_spread([of("VQS", low, high, n) for high in over]) <= 0.4,
                    *((of("AQS", low, high, n) < 10.0).at(f"Max {high:g}") for high in over),
                )
            ),
            reading=reading,
        )
    if 18 in highs:
        yield Claim(
            id="fig3.1a/c1",
            says="the Max with the shortest queue grows with the flows",
            expected="Min 0: least AQS at Max 10.5 for 3 flows, at 18 for 53, 73 and 103",
            holds=all_of(
                judge.lowest(10.5, [(high, of("AQS", 0, high, 3)) for high in highs]).at("3 flows"),
                *(
                    all_of(of("AQS", 0, 18, n) <= of("AQS", 0, high, n) for high in wide).at(f"{n} flows")
                    for n in (53, 73, 103)
                ),
            ),
        )
    yield Claim(
        id="fig3.1/c11",
        says="the queue is steadiest at a small Max for few flows and at Max 20 for many",
        expected="Min 0: least VQS at Max 10.5 for 3 flows, at 20 for 103",
        holds=all_of(
            judge.lowest(10.5, [(high, of("VQS", 0, high, 3)) for high in highs]).at("3 flows"),
            judge.lowest(20, [(high, of("VQS", 0, high, 103)) for high in highs]).at("103 flows"),
        ),
    )


def draw(shown: Shown) -> Figure:
    """AQS and VQS."""
    return panels.draw(shown, thresholds.against_max(MINIMA))
