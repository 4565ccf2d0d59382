"""Figure 2.16: the upper bound of PSAND's max_p, with factor and power 1 (Section 2.4.5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import fig2_15, panels
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]


def study(effort: Effort) -> Study:
    """Both pairs of factor and power."""
    one, other = fig2_15.study(effort, 1, 1), fig2_15.study(effort)
    return replace(one, labels={"pair": "1, 1"}) + replace(other, labels={"pair": "1.75, 1.5"})


def claims(table: Table) -> Iterator[Claim]:
    """Against Figure 2.15."""
    highs, flows = table.axis("high"), table.axis("flows")

    def of(metric: str, pair: str, high: float, n: int) -> Sample:
        return table(metric, pair=pair, high=high, flows=n)

    yield Claim(
        id="fig2.16b/c1",
        says="the bound does not lower the mean queue significantly, which stays above that of Figure 2.15",
        expected="AQS at bound 1 within 25 % of that at 0.1 for each N; AQS above Figure 2.15's at every bound and N",
        holds=all_of(
            *(
                (of("AQS", "1, 1", 1.0, n) / of("AQS", "1, 1", 0.1, n)).reads(1, share=0.25).at(f"{n} flows")
                for n in flows
            ),
            *(
                (of("AQS", "1, 1", high, n) > of("AQS", "1.75, 1.5", high, n)).at(f"{high:g}, {n} flows")
                for high in highs
                for n in flows
            ),
        ),
    )
    yield Claim(
        id="fig2.16a/c1",
        says="the variance is above that of Figure 2.15",
        expected="at every bound and N",
        holds=all_of(
            (of("VQS", "1, 1", high, n) > of("VQS", "1.75, 1.5", high, n)).at(f"{high:g}, {n} flows")
            for high in highs
            for n in flows
        ),
    )


def draw(shown: Shown) -> Figure:
    """The two panels."""
    where = {"pair": "1, 1"}
    return panels.draw(shown, [panels.Panel("high", metric, "flows", where) for metric in ("VQS", "AQS")])
