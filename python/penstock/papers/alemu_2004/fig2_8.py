"""Figure 2.8: 50 flows leave three at 50 s (Section 2.4.2.1.2)."""

from penstock.papers.alemu_2004 import traces
from penstock.papers.alemu_2004.setup import EMPTY, OTHERS, VQS, removed
from penstock.papers.alemu_2004.traces import WAQS_OFF, measure
from penstock.reproduce.figure import Claim, every

__all__ = ["CLAIMS", "draw", "measure", "study"]

study = traces.steps(removed, [50])

CLAIMS = (
    Claim(
        "fig2.8/c1",
        "with 53 flows RED and the adaptive REDs are farther from the target and swing more than PSAND",
        every(*(q(scheme=OTHERS) > q(scheme="PSAND") for q in (WAQS_OFF, VQS)))(window="10-50"),
    ),
    Claim(
        "fig2.8/c2",
        "after the flows have gone the others are often empty; PSAND swings as before",
        every(
            (EMPTY(scheme=OTHERS) > EMPTY(scheme="PSAND"))(window="50-100"),
            (VQS(window="60-100") / VQS(window="10-50")).reads(1, share=0.4)(scheme="PSAND"),
        ),
    ),
)

draw = traces.draw(50)
