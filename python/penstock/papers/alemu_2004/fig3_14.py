"""Figure 3.14: method 8, sandwich, 23 flows (Section 3.3)."""

from penstock.papers.alemu_2004 import adaptations
from penstock.papers.alemu_2004.adaptations import above, crossings, measure
from penstock.papers.alemu_2004.setup import AQS, KT
from penstock.reproduce.figure import Claim, every

__all__ = ["CLAIMS", "draw", "measure", "study"]

study = adaptations.study(["sandwich"], 23)

CLAIMS = (
    Claim(
        "fig3.14/c1",
        "the average swings about Max; the queue is long",
        every(above.between(25, 75), crossings >= 10, AQS > KT)(method="sandwich"),
    ),
)

draw = adaptations.draw("sandwich")
