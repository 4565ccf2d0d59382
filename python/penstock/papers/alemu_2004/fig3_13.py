"""Figure 3.13: method 7, pseudo drop-tail, 23 flows (Section 3.3)."""

from penstock.papers.alemu_2004 import adaptations
from penstock.papers.alemu_2004.adaptations import measure
from penstock.papers.alemu_2004.setup import KT, LU, PLR, WAQS
from penstock.reproduce.figure import Claim, every, metric

__all__ = ["CLAIMS", "draw", "measure", "study"]

OWN, FIXED = "pseudo-drop-tail", "none"

study = adaptations.study([OWN, FIXED], 23)

CLAIMS = (
    Claim(
        "fig3.13/c1",
        "the average is near the target, the queue between 0 and 20; less is used and more lost than with PSAND",
        every(
            WAQS(method=OWN).reads(KT, share=0.25),
            metric("to 20", "%", "P(X<=20)")(method=OWN) >= 90,
            LU(method=OWN) < LU(method=FIXED),
            PLR(method=OWN) > PLR(method=FIXED),
        ),
    ),
)

draw = adaptations.draw(OWN)
