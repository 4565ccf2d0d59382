"""Figure 5.10: eight sources of datagrams (Section 5.4.3)."""

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import panels, tables5
from penstock.papers.alemu_2004.tables5 import CROSSING, TEN
from penstock.reproduce.figure import Choice, Claim, SummaryTable, every, needing

PANELS = {"16,1": ("a", 15, 50), "16,2": ("b", 30, 70), "16,4": ("c", 40, 80)}
"""Panel, and up to how many flows RED is the better with eight sources and with one."""
CODES = list(PANELS)

# Eight sources, and one to compare with.
study = tables5.study(Choice(CODES[:1], CODES), Choice([10, 60], list(range(5, 101, 5))), sources=8) + tables5.study(
    Choice(CODES[:1], CODES), Choice([10, 50], TEN)
)

EIGHT, ONE = CROSSING(sources=8), CROSSING(sources=1)
CLAIMS = needing(
    {"flows": 100},
    *(
        Claim(
            f"fig5.10{panel}/c1",
            f"({code}), eight sources: RED is better below {flows} flows only (one source: {alone})",
            EIGHT(code=code).reads(flows, flows - 10, flows + 10),
            f"PLR(RED) rises above PLR(DT) at {flows} +- 10 flows",
        )
        for code, (panel, flows, alone) in PANELS.items()
    ),
    Claim(
        "fig5.10/c2",
        "these numbers are below those of one source, and grow with h",
        every(
            (EIGHT < ONE)(code=CODES), EIGHT(code="16,1") < EIGHT(code="16,2"), EIGHT(code="16,2") < EIGHT(code="16,4")
        ),
        "each crossing below that of one source; h = 1 < 2 < 4",
    ),
)


def draw(shown: SummaryTable) -> Figure:
    """Losses before and after correction, for each code."""
    where = [({"code": code, "sources": 8}, f"({code})") for code in shown.axis("code")]
    return panels.draw(shown, [panels.Panel("flows", y, "scheme", *at) for at in where for y in ("PLRBC", "PLR")])
