"""Figure 5.5: the queue behind drop-tail and RED (Section 5.4.1.3)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import judge, panels, tables5
from penstock.papers.alemu_2004.fig5_3 import study
from penstock.papers.alemu_2004.measures import of_codes as measure
from penstock.reproduce.claim import Claim
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Table

__all__ = ["claims", "draw", "measure", "study"]


def claims(table: Table) -> Iterator[Claim]:
    """Drop-tail against both REDs."""
    flows = table.axis("flows")

    def of(metric: str, scheme: str, n: int, code: str = "16,1") -> Sample:
        return table(metric, scheme=scheme, flows=n, code=code)

    for red, reading in tables5.reds(table):
        yield Claim(
            id="fig5.5a/c1",
            says="RED's queue is shorter, whatever the redundancy",
            expected="AQS(RED) < AQS(DT) for every n; with (16,4) within 5 % of (16,1)",
            holds=all_of(
                judge.sweep((of("AQS", red, n) < of("AQS", "DT", n)).at(f"{n} flows") for n in flows),
                *(
                    (abs(of("AQS", s, n, "16,4") / of("AQS", s, n) - 1) <= 0.05).at(f"(16,4), {s}, {n} flows")
                    for s in ("DT", red)
                    for n in flows
                ),
            ),
            reading=reading,
        )
        yield Claim(
            id="fig5.5b/c1",
            says="RED's queue is steadier with few flows, drop-tail's with many",
            expected="VQS(RED) < VQS(DT) at 20 flows and below, > from 90 on",
            holds=all_of(
                *((of("VQS", red, n) < of("VQS", "DT", n)).at(f"{n} flows") for n in flows if n <= 20),
                *((of("VQS", red, n) > of("VQS", "DT", n)).at(f"{n} flows") for n in flows if n >= 90),
            ),
            reading=reading,
        )


def draw(shown: SummaryTable) -> Figure:
    """Mean and variance."""
    return panels.draw(shown, [panels.Panel("flows", y, "scheme", {"code": "16,1"}) for y in ("AQS", "VQS")])
