"""Figure 5.9: the size of a block with fixed redundancy, 100 flows (Section 5.4.2.2)."""

from collections.abc import Iterator

from penstock.papers.alemu_2004 import blocks
from penstock.papers.alemu_2004.blocks import CROSSING, redundancies, redundancy, trends
from penstock.papers.alemu_2004.tables5 import RED, for_each_red
from penstock.reproduce.figure import Claim, Table, by_table, every
from penstock.results.sample import Condition

study = blocks.by_size([50, 100])
draw = blocks.draw([100], "h", [1, 2, 4])


def _as_with_50(red: str) -> Iterator[Claim]:
    crossing = CROSSING.replaced(RED, red)

    def holds(table: Table) -> Condition:
        return every(
            *trends(table, 100, red),
            *((crossing(flows=100) <= crossing(flows=50))(code=redundancy(h)) for h in redundancies(table)),
        ).on(table)

    yield Claim(
        "fig5.9/c1",
        "with 100 flows the trends are the same, and RED is better for smaller blocks only or never",
        by_table(holds, "rank correlations as in Figure 5.8; crossing at no larger k for each h"),
    )


CLAIMS = tuple(for_each_red(_as_with_50))
