"""Figure 5.5: the queue behind drop-tail and RED (Section 5.4.1.3)."""

from penstock.papers.alemu_2004 import panels
from penstock.papers.alemu_2004.fig5_3 import study
from penstock.papers.alemu_2004.judge import swept
from penstock.papers.alemu_2004.setup import AQS, VQS
from penstock.papers.alemu_2004.tables5 import BOTH, RED, TAIL
from penstock.reproduce.figure import Claim, at_least, at_most, every, in_cells

__all__ = ["CLAIMS", "draw", "study"]

CLAIMS = in_cells(
    {"code": "16,1"},
    Claim(
        "fig5.5a/c1",
        "RED's queue is shorter, whatever the redundancy",
        every(swept(AQS(scheme=RED) < AQS(scheme=TAIL)), (abs(AQS(code="16,4") / AQS - 1) <= 0.05)(scheme=BOTH)),
        "AQS(RED) < AQS(DT) for every n; with (16,4) within 5 % of (16,1)",
    ),
    Claim(
        "fig5.5b/c1",
        "RED's queue is steadier with few flows, drop-tail's with many",
        every(
            (VQS(scheme=RED) < VQS(scheme=TAIL))(flows=at_most(20)),
            (VQS(scheme=RED) > VQS(scheme=TAIL))(flows=at_least(90)),
        ),
        "VQS(RED) < VQS(DT) at 20 flows and below, > from 90 on",
    ),
)

draw = panels.of(*(panels.Panel("flows", y, "scheme", {"code": "16,1"}) for y in ("AQS", "VQS")))
