"""Tables 5.1 and 5.2 together: losses before correction (Section 5.4.1.2)."""

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
    """Drop-tail against both REDs, one code against the other."""
    flows = table.axis("flows")

    def of(scheme: str, n: int, code: str = "16,1") -> Sample:
        return table("PLRBC", scheme=scheme, flows=n, code=code)

    for red, reading in tables5.reds(table):
        yield Claim(
            id="tab5/c2",
            says="RED loses more before correction, and the more the more flows",
            expected="PLRBC_RED >= PLRBC_DT at every n; gap 0.03 points at 10 to 2.1 at 100 (+- 0.5), rising",
            holds=all_of(
                judge.sweep((of(red, n) >= of("DT", n)).at(f"{n} flows") for n in flows),
                judge.plr(of(red, 10) - of("DT", 10), 0.03).at("10"),
                judge.plr(of(red, 100) - of("DT", 100), 2.1).at("100"),
                judge.rising([of(red, n) - of("DT", n) for n in flows]).at("rising"),
            ),
            reading=reading,
        )
        yield Claim(
            id="tab5/c3",
            says="losses before correction hardly depend on the redundancy",
            expected="PLRBC of (16,4) and (16,1) within 0.2 points at every n",
            holds=all_of(
                (abs(of(s, n, "16,4") - of(s, n)) <= 0.2).at(f"{s}, {n} flows") for s in ("DT", red) for n in flows
            ),
            reading=reading,
        )


def draw(shown: SummaryTable) -> Figure:
    """Losses before correction with both codes."""
    return panels.draw(
        shown, [panels.Panel("flows", "PLRBC", "scheme", {"code": code}, f"({code})") for code in ("16,1", "16,4")]
    )
