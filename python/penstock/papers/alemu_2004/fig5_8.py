"""Figure 5.8: the size of a block with fixed redundancy, 50 flows (Section 5.4.2.2)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import blocks, judge, panels, tables5
from penstock.papers.alemu_2004.blocks import SIZES
from penstock.papers.alemu_2004.measures import of_codes as measure
from penstock.papers.alemu_2004.tables5 import numbers
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Condition, Sample, all_of
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]


def study(effort: Effort, flows: tuple[int, ...] = (50,)) -> Study:
    """1, 2 and 4 packets of redundancy."""
    quick = [f"{k},{h}" for h in (1, 4) for k in (4, 16, 40)]
    return blocks.study(effort, quick, [f"{k},{h}" for h in (1, 2, 4) for k in SIZES], flows)


def codes_of(table: Table, h: int) -> list[str]:
    """The codes with this redundancy."""
    return [code for code in table.axis("code") if numbers(code)[1] == h]


def crossing(table: Table, h: int, n: int, red: str) -> Sample:
    """The k from which on RED leaves more losses than drop-tail."""
    codes = codes_of(table, h)
    first, second = ([table("PLR", code=code, scheme=s, flows=n) for code in codes] for s in (red, "DT"))
    return judge.crossing([numbers(code)[0] for code in codes], first, second)


def trends(table: Table, n: int, red: str) -> Iterator[Condition]:
    """PLRBC falls, PLR rises with k."""
    for h in dict.fromkeys(numbers(code)[1] for code in table.axis("code")):
        for scheme in ("DT", red):
            before, after = (
                [table(metric, code=code, scheme=scheme, flows=n) for code in codes_of(table, h)]
                for metric in ("PLRBC", "PLR")
            )
            yield judge.falling(before).at(f"PLRBC, {scheme}, h {h}")
            yield judge.rising(after).at(f"PLR, {scheme}, h {h}")


def claims(table: Table) -> Iterator[Claim]:
    """Drop-tail against the REDs."""
    for red, reading in tables5.reds(table):
        yield Claim(
            id="fig5.8/c1",
            says="with more data packets in a block losses before correction fall slightly, those after it rise",
            expected="rank correlations <= -0.8 and >= 0.8 for each h and scheme",
            holds=all_of(trends(table, 50, red)),
            reading=reading,
        )
        if table.has(code="64,1"):
            yield Claim(
                id="fig5.8/c2",
                says="RED is better below k = 16 for h = 1 and below k = 40 for h = 4",
                expected="crossings at 16 and 40, +- 30 %",
                holds=all_of(
                    crossing(table, h, 50, red).reads(k, share=0.3).at(f"h {h}") for h, k in ((1, 16), (4, 40))
                ),
                reading=reading,
            )
            yield Claim(
                id="fig5.8/c3",
                says="this k grows with h",
                expected="crossings of h = 1 < 2 < 4",
                holds=all_of(
                    crossing(table, a, 50, red) < crossing(table, b, 50, red) for a, b in itertools.pairwise((1, 2, 4))
                ),
                reading=reading,
            )


def draw(shown: SummaryTable) -> Figure:
    """For each redundancy."""
    return panels.draw(blocks.by_size(shown), blocks.panels([50], "h", [1, 2, 4]))
