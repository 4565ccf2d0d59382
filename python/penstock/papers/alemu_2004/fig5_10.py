"""Figure 5.10: eight sources of datagrams (Section 5.4.3)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import panels, tables5
from penstock.papers.alemu_2004.measures import of_codes as measure
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

CODES = {"16,1": ("a", 15, 50), "16,2": ("b", 30, 70), "16,4": ("c", 40, 80)}
"""Panel, and up to how many flows RED is the better with eight sources and with one."""


def study(effort: Effort) -> Study:
    """Eight sources, and one to compare with."""
    codes = effort.choose(["16,1"], list(CODES))
    flows = effort.choose([10, 60], list(range(5, 101, 5)))
    schemes = ["DT", "RED", "automatic RED"]
    one = tables5.study(effort, codes, effort.choose([10, 50], tables5.TEN), schemes)
    return tables5.study(effort, codes, flows, schemes, sources=8) + one


def claims(table: Table) -> Iterator[Claim]:
    """Where RED ceases to be the better."""
    eight, one = table.where(sources=8), table.where(sources=1)
    for red, reading in tables5.reds(table):
        for code, (panel, flows, alone) in CODES.items():
            if not eight.has(code=code, flows=100):
                continue
            yield Claim(
                id=f"fig5.10{panel}/c1",
                says=f"({code}), eight sources: RED is better below {flows} flows only (one source: {alone})",
                expected=f"PLR(RED) rises above PLR(DT) at {flows} +- 10 flows",
                holds=tables5.crossing(eight, code, red).reads(flows, low=flows - 10, high=flows + 10),
                reading=reading,
            )
        if not eight.has(flows=100):
            continue
        at = {code: tables5.crossing(eight, code, red) for code in CODES}
        yield Claim(
            id="fig5.10/c2",
            says="these numbers are below those of one source, and grow with h",
            expected="each crossing below that of one source; h = 1 < 2 < 4",
            holds=all_of(
                *((at[code] < tables5.crossing(one, code, red)).at(f"({code})") for code in CODES),
                (at["16,1"] < at["16,2"]).at("h 1 to 2"),
                (at["16,2"] < at["16,4"]).at("h 2 to 4"),
            ),
            reading=reading,
        )


def draw(shown: SummaryTable) -> Figure:
    """Losses before and after correction, for each code."""
    return panels.draw(
        shown,
        [
            panels.Panel("flows", y, "scheme", {"code": code, "sources": 8}, f"({code})")
            for code in shown.axis("code")
            for y in ("PLRBC", "PLR")
        ],
    )
