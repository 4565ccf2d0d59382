"""Figure 3.12: method 6, not symmetric, 23 flows (Section 3.3)."""

from penstock.papers.alemu_2004 import adaptations
from penstock.papers.alemu_2004.adaptations import above, measure
from penstock.papers.alemu_2004.setup import AQS
from penstock.reproduce.figure import Claim, every

__all__ = ["CLAIMS", "draw", "measure", "study"]

study = adaptations.study(["shift-down", "spread"], 23)

CLAIMS = (
    Claim(
        "fig3.12/c1",
        "the average swings about Max and is often above it; the delay is larger than with method 4",
        every(above(method="shift-down") >= 25, AQS(method="shift-down") > AQS(method="spread")),
    ),
)

draw = adaptations.draw("shift-down")
