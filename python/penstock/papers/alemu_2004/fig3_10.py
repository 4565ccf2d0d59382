"""Figure 3.10: method 2, Max rises with the average, 103 flows (Section 3.3)."""

from penstock.papers.alemu_2004 import adaptations
from penstock.papers.alemu_2004.adaptations import measure
from penstock.papers.alemu_2004.setup import AQS, KT, VQS
from penstock.reproduce.figure import Claim, every, metric

__all__ = ["CLAIMS", "draw", "measure", "study"]

study = adaptations.study(["max-up", "max-down"], 103)

CLAIMS = (
    Claim(
        "fig3.10/c1",
        "Max stays between twice the target and the buffer; the queue swings less than with method 1 and is long",
        every(
            metric("max_th from 20", "%", "time with Max >= 20")(method="max-up") >= 90,
            VQS(method="max-up") < VQS(method="max-down"),
            AQS(method="max-up") > KT,
        ),
    ),
)

draw = adaptations.draw("max-up")
