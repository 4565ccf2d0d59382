"""Figure 3.2: the queue against Max for a large Min (Section 3.2.1)."""

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

MINIMA: list[float] = [7, 9.5]


def study(effort: Effort) -> Study:
    """These thresholds at all loads."""
    return thresholds.study(effort, minima=MINIMA)


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of the figure; what it says of Figures 3.1 to 3.4 together is in fig3-1-4."""

    def of(metric: str, min_th: float, max_th: float, n: int) -> Sample:
        return table(metric, min_th=min_th, max_th=max_th, flows=n)

    highs = table.axis("max_th")
    if 13 in highs:
        least = {23: 13, 53: 15, 73: 18, 103: 20}
        yield Claim(
            id="fig3.2c/c1",
            says="with a large Min the Max with the shortest queue grows with the flows",
            expected="Min 9.5: least AQS at Max 13 for 23 flows, 15 for 53, 18 for 73, 20 for 103",
            holds=all_of(
                judge.lowest(best, [(high, of("AQS", 9.5, high, n)) for high in highs]).at(f"{n} flows")
                for n, best in least.items()
            ),
        )


def draw(shown: Shown) -> Figure:
    """AQS and VQS."""
    return panels.draw(shown, thresholds.against_max(MINIMA))
