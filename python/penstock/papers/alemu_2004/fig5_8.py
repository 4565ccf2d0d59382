"""Figure 5.8: the size of a block with fixed redundancy, 50 flows (Section 5.4.2.2)."""

from collections.abc import Iterator

from penstock.papers.alemu_2004 import blocks
from penstock.papers.alemu_2004.blocks import CROSSING, redundancy, trends
from penstock.papers.alemu_2004.tables5 import for_each_red
from penstock.reproduce.figure import Claim, Number, by_table, every, needing

study = blocks.by_size([50])
draw = blocks.draw([50], "h", [1, 2, 4])


def _trends(red: str) -> Iterator[Claim]:
    yield Claim(
        "fig5.8/c1",
        "with more data packets in a block losses before correction fall slightly, those after it rise",
        by_table(
            lambda table: every(*trends(table, 50, red)).on(table),
            "rank correlations <= -0.8 and >= 0.8 for each h and scheme",
        ),
    )


def _at(h: int) -> Number:
    return CROSSING(code=redundancy(h), flows=50)


CLAIMS = (
    *for_each_red(_trends),
    *needing(
        {"code": "64,1"},
        Claim(
            "fig5.8/c2",
            "RED is better below k = 16 for h = 1 and below k = 40 for h = 4",
            every(_at(1).reads(16, share=0.3), _at(4).reads(40, share=0.3)),
            "crossings at 16 and 40, +- 30 %",
        ),
        Claim(
            "fig5.8/c3", "this k grows with h", every(_at(1) < _at(2), _at(2) < _at(4)), "crossings of h = 1 < 2 < 4"
        ),
    ),
)
