"""Figures 3.1 to 3.4 together: what the text says of all pairs of thresholds (Section 3.2.1)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import judge, panels
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.papers.alemu_2004.setup import KT
from penstock.papers.alemu_2004.thresholds import study
from penstock.reproduce.claim import Claim
from penstock.results.sample import Sample, all_of, any_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table

__all__ = ["claims", "draw", "measure", "study"]


class _Grid:
    """The table by thresholds."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.lows, self.highs, self.flows = (table.axis(name) for name in ("min_th", "max_th", "flows"))
        self.heavy = [n for n in self.flows if n >= 73]

    def of(self, metric: str, low: float, high: float, n: int) -> Sample:
        return self.table(metric, min_th=low, max_th=high, flows=n)

    def over_max(self, metric: str, low: float, n: int) -> list[Sample]:
        return [self.of(metric, low, high, n) for high in self.highs]

    def over_min(self, metric: str, high: float, n: int) -> list[Sample]:
        return [self.of(metric, low, high, n) for low in self.lows]

    def least(self, metric: str, low: float, n: int) -> Sample:
        """The least over Max, in groups of runs."""
        return Sample([float(row.min()) for row in judge.grouped(self.over_max(metric, low, n))])

    def place(self, low: float, n: int) -> Sample:
        """The Max with the shortest queue, in groups of runs."""
        return Sample([self.highs[int(row.argmin())] for row in judge.grouped(self.over_max("AQS", low, n))])


def claims(table: Table) -> Iterator[Claim]:
    """Against Max, against Min, and the recommended pair."""
    grid = _Grid(table)
    yield from _against_max(grid)
    yield from _variance(grid)
    yield from _against_min(grid)


def _against_max(grid: _Grid) -> Iterator[Claim]:
    of, lows, highs, flows = grid.of, grid.lows, grid.highs, grid.flows
    small, large = highs[0], highs[-1]
    yield Claim(
        id="fig3.1-4/c0",
        says="losses are similar for all Max",
        expected="PLR within 2 points (half a point below 5 %) of that at Max 20, for every Min and N",
        holds=all_of(
            (abs(of("PLR", low, high, n) - of("PLR", low, 20, n)) <= (0.5 if n == 3 else 2.0)).at(
                f"Min {low:g}, Max {high:g}, {n} flows"
            )
            for low in lows
            for high in highs
            if high != 20
            for n in flows
        ),
    )
    yield Claim(
        id="fig3.1-2/c2",
        says="with few flows and a larger Min the queue grows with Max",
        expected="3 and 23 flows, Min >= 5: AQS rises with Max and is least at the smallest",
        holds=all_of(
            condition.at(f"Min {low:g}, {n} flows")
            for low in lows
            if low >= 5
            for n in flows
            if n <= 23
            for condition in (
                judge.rising(grid.over_max("AQS", low, n)),
                judge.lowest(small, list(zip(highs, grid.over_max("AQS", low, n), strict=True))),
            )
        ),
    )
    yield Claim(
        id="fig3.1-2/c3",
        says="Max matters more with more flows",
        expected="largest - least AQS over Max rises with N for each Min",
        holds=all_of(
            judge.rising([_range(grid.over_max("AQS", low, n)) for n in flows]).at(f"Min {low:g}") for low in lows
        ),
    )
    yield Claim(
        id="fig3.1-2/c4",
        says="with many flows the queue exceeds the target for a small and for a large Max",
        expected=f"73 and 103 flows: AQS > 10 at Max {small:g} and {large:g} for every Min, and lower between",
        holds=judge.sweep(
            condition.at(f"Min {low:g}, {n} flows")
            for low in lows
            for n in grid.heavy
            for condition in (
                of("AQS", low, small, n) > float(KT),
                of("AQS", low, large, n) > float(KT),
                all_of(
                    any_of(of("AQS", low, high, n) < of("AQS", low, end, n) for high in highs[1:-1])
                    for end in (small, large)
                ),
            )
        ),
    )
    yield Claim(
        id="fig3.1-2/c5",
        says="the best Max is at most twice the target and does not fall with the flows",
        expected="Max with least AQS <= 20 for every N and Min, rank correlation with N >= 0",
        holds=judge.sweep(
            [
                *((grid.place(low, n) <= 20.0).at(f"Min {low:g}, {n} flows") for low in lows for n in flows),
                *((judge.trend([grid.place(low, n) for n in flows]) >= 0.0).at(f"Min {low:g}") for low in lows),
            ]
        ),
    )
    yield Claim(
        id="fig3.1-2/c6",
        says="Max 20 is never far from the best",
        expected="AQS at Max 20 within 20 % of the least over Max for every N and Min",
        holds=judge.sweep(
            all_of(of("AQS", low, 20, n) <= of("AQS", low, high, n) * 1.2 for high in highs if high != 20).at(
                f"Min {low:g}, {n} flows"
            )
            for low in lows
            for n in flows
        ),
    )
    printed = {0: 9, 2: 11, 5: 12, 7: 15.5, 9.5: 14}
    yield Claim(
        id="fig3.1-2/c7",
        says="with 103 flows the shortest queue is 9, 11, 12, 15.5, 14 packets for Min 0, 2, 5, 7, 9.5",
        expected="least AQS over Max +- 25 %",
        holds=all_of(
            judge.aqs(grid.least("AQS", low, 103), value).at(f"Min {low:g}")
            for low, value in printed.items()
            if low in lows
        ),
    )


def _variance(grid: _Grid) -> Iterator[Claim]:
    of, lows, highs = grid.of, grid.lows, grid.highs
    small, large = highs[0], highs[-1]
    yield Claim(
        id="fig3.1-2/c8",
        says="with 3 flows Max hardly matters for the variance",
        expected="spread of VQS over Max <= 40 % for each Min",
        holds=all_of((judge.relative_spread(grid.over_max("VQS", low, 3)) <= 0.4).at(f"Min {low:g}") for low in lows),
    )
    if 23 in grid.flows:
        yield Claim(
            id="fig3.1f,3.2b,3.2d/c1",
            says="with 23 flows and Min from 5 on the variance rises with Max",
            expected="rank correlation >= 0.8 for Min 5, 7, 9.5",
            holds=all_of(judge.rising(grid.over_max("VQS", low, 23)).at(f"Min {low:g}") for low in lows if low >= 5),
        )
    yield Claim(
        id="fig3.1-2/c9",
        says="with many flows the variance is large at a small Max, least near 20 and rises beyond",
        expected="73 and 103 flows: VQS at the smallest Max > at the largest > at 20, for every Min; the latter rise "
        "grows with Min",
        holds=judge.sweep(
            [
                *(
                    condition.at(f"Min {low:g}, {n} flows")
                    for low in lows
                    for n in grid.heavy
                    for condition in (
                        of("VQS", low, small, n) > of("VQS", low, large, n),
                        of("VQS", low, large, n) > of("VQS", low, 20, n),
                    )
                ),
                *(
                    judge.rising([of("VQS", low, large, n) - of("VQS", low, 20, n) for low in lows]).at(f"{n} flows")
                    for n in grid.heavy
                ),
            ]
        ),
    )
    yield Claim(
        id="fig3.1-2/c10",
        says="the least variance over Max rises with Min",
        expected="rank correlation >= 0.8 for each N",
        holds=all_of(judge.rising([grid.least("VQS", low, n) for low in lows]).at(f"{n} flows") for n in grid.flows),
    )


def _against_min(grid: _Grid) -> Iterator[Claim]:
    of, lows, highs, flows = grid.of, grid.lows, grid.highs, grid.flows
    small, large = highs[0], highs[-1]
    yield Claim(
        id="fig3.3-4/c1",
        says="the queue is shortest at Min 0 and grows with Min",
        expected="AQS at Min 0 lowest, rank correlation >= 0.8, for every N and Max",
        holds=judge.sweep(
            condition.at(f"Max {high:g}, {n} flows")
            for high in highs
            for n in flows
            for condition in (
                judge.lowest(0, list(zip(lows, grid.over_min("AQS", high, n), strict=True))),
                judge.rising(grid.over_min("AQS", high, n)),
            )
        ),
    )
    yield Claim(
        id="fig3.3-4/c2",
        says="with a large Max the variance is least at Min 0, with a small one Min hardly matters",
        expected=f"every N: VQS at Max {large:g} lowest at Min 0; at Max {small:g} its spread over Min <= 40 %",
        holds=judge.sweep(
            condition.at(f"{n} flows")
            for n in flows
            for condition in (
                judge.lowest(0, list(zip(lows, grid.over_min("VQS", large, n), strict=True))),
                judge.relative_spread(grid.over_min("VQS", small, n)) <= 0.4,
            )
        ),
    )
    yield Claim(
        id="fig3.3-4/c3",
        says="a small Min is best whatever the number of flows",
        expected="least AQS over Max and least VQS over Max lower at Min 0 than at Min 5 and more, for every N",
        holds=judge.sweep(
            (grid.least(metric, 0, n) < grid.least(metric, low, n)).at(f"{metric}, Min {low:g}, {n} flows")
            for metric in ("AQS", "VQS")
            for n in flows
            for low in lows
            if low >= 5
        ),
    )
    yield Claim(
        id="fig3.1-4/c12",
        says="(0, 20) is recommended: the queue is at most at the target and nearly as steady as possible",
        expected="AQS <= 10, VQS within 20 % of the least of all pairs, for every N",
        holds=judge.sweep(
            condition.at(f"{n} flows")
            for n in flows
            for condition in (
                of("AQS", 0, 20, n) <= float(KT),
                all_of(
                    of("VQS", 0, 20, n) <= of("VQS", low, high, n) * 1.2
                    for low, high in itertools.product(lows, highs)
                    if (low, high) != (0, 20)
                ),
            )
        ),
    )


def _range(samples: list[Sample]) -> Sample:
    return Sample([float(row.max() - row.min()) for row in judge.grouped(samples)])


def draw(shown: Shown) -> Figure:
    """Against Max at the recommended Min, against Min at the recommended Max."""
    where = [("max_th", {"min_th": 0}, "Min 0"), ("min_th", {"max_th": 20}, "Max 20")]
    return panels.draw(shown, [panels.Panel(x, y, "flows", at, name) for x, at, name in where for y in ("AQS", "VQS")])
