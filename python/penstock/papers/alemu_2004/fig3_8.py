"""Figure 3.8: directions in which methods 3 to 6 move the thresholds (Section 3.3)."""

from penstock.papers.alemu_2004.adaptations import SIGNS
from penstock.papers.alemu_2004.setup import KT
from penstock.papers.alemu_2004.tab3_2 import MAX, MIN, measure, study
from penstock.reproduce.figure import Claim, every

__all__ = ["CLAIMS", "measure", "study"]

CLAIMS = (
    Claim(
        "fig3.8/c1",
        "when the average rises 3 moves both inwards, 4 outwards, 5 up, 6 down; 3 and 4 stay symmetric",
        every(
            *(
                sign * (after - before)(method=method) > 0
                for method in ("squeeze", "spread", "shift-up", "shift-down")
                for (before, after), sign in zip((MIN, MAX), SIGNS[method], strict=True)
            ),
            (abs(MIN[1] + MAX[1] - 2 * KT) <= 1e-6)(method=["squeeze", "spread"]),
        ),
        "the sign of each move at a rise from 10 to 12; Min + Max = 2 KT for 3 and 4 to 1e-6",
        must_hold=True,
    ),
)
