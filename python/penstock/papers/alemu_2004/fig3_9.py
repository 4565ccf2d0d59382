"""Figure 3.9: method 1, Max falls as the average rises, 103 flows (Section 3.3)."""

from penstock.papers.alemu_2004 import adaptations
from penstock.papers.alemu_2004.adaptations import above, crossings, measure
from penstock.papers.alemu_2004.setup import AQS, VQS
from penstock.reproduce.figure import Claim, every, metric

__all__ = ["CLAIMS", "draw", "measure", "study"]

study = adaptations.study(["max-down", "none"], 103)

CLAIMS = (
    Claim(
        "fig3.9/c1",
        "Max stays near the target; the queue swings much and is long",
        every(
            metric("mean max_th", "packets", "mean Max")(method="max-down").reads(10, share=0.25),
            VQS(method="max-down") > VQS(method="none"),
            AQS(method="max-down") > AQS(method="none"),
        ),
    ),
    Claim(
        "fig3.9/c2",
        "the average exceeds Max, where more is dropped, falls below, and so on",
        every(crossings >= 10, above.between(5, 95))(method="max-down"),
    ),
)

draw = adaptations.draw("max-down")
