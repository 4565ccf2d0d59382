"""Figure 2.12: the mean queue against PSAND's factor and power (Section 2.4.3)."""

from penstock.papers.alemu_2004 import panels
from penstock.papers.alemu_2004.factors import ANY, study
from penstock.papers.alemu_2004.judge import falls, rises
from penstock.papers.alemu_2004.setup import AQS
from penstock.reproduce.figure import Claim, above

__all__ = ["CLAIMS", "draw", "study"]

CLAIMS = (
    Claim("fig2.12/c1", "the mean queue falls with the factor", falls(AQS(**ANY), "coef")),
    Claim("fig2.12/c2", "the mean queue rises with the power", rises(AQS(coef=above(1), gamma=above(0)), "gamma")),
)

draw = panels.for_each_load("coef", "AQS", "gamma")
