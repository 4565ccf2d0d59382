"""The end of chapter 3: a Max that moves far from twice the target does harm (Section 3.3)."""

from penstock.papers.alemu_2004.setup import AQS, VQS
from penstock.papers.alemu_2004.tab3_3 import study
from penstock.reproduce.figure import Claim, every

__all__ = ["CLAIMS", "study"]

CLAIMS = (
    Claim(
        "ch3/c1",
        "a very small or a very large Max makes the queue longer and less steady than one about twice the target",
        every(*(q(method=["max-down", "max-up"]) > q(method="none") for q in (AQS, VQS)))(flows=103),
    ),
)
