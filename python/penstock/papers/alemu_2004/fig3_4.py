"""Figure 3.4: the queue against Min for a large Max (Section 3.2.1)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import judge, panels, thresholds
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

MAXIMA: list[float] = [20, 30, 35]


def study(effort: Effort) -> Study:
    """These thresholds at all loads."""
    return thresholds.study(effort, maxima=MAXIMA)


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of the figure; what it says of Figures 3.1 to 3.4 together is in fig3-1-4."""

    def of(metric: str, min_th: float, max_th: float, n: int) -> Sample:
        return table(metric, min_th=min_th, max_th=max_th, flows=n)

    lows, highs, flows = table.axis("min_th"), table.axis("max_th"), table.axis("flows")
    yield Claim(
        id="fig3.3-4/c1",
        says="the queue is shortest at Min 0 and grows with Min",
        expected="AQS at Min 0 lowest, rank correlation >= 0.8, for every N and Max 20, 30, 35",
        holds=judge.sweep(
            condition.at(f"Max {high:g}, {n} flows")
            for high in highs
            for n in flows
            for condition in (
                judge.lowest(0, [(low, of("AQS", low, high, n)) for low in lows]),
                judge.rising([of("AQS", low, high, n) for low in lows]),
            )
        ),
        reading="large Max alone",
    )


def draw(shown: Shown) -> Figure:
    """AQS and VQS."""
    return panels.draw(shown, thresholds.against_min(MAXIMA))
