"""Figure 3.11: method 4, symmetric, 23 flows (Section 3.3)."""

from penstock.papers.alemu_2004 import adaptations
from penstock.papers.alemu_2004.adaptations import measure
from penstock.reproduce.figure import Claim, metric

__all__ = ["CLAIMS", "draw", "measure", "study"]

between = metric("between", "%", "time with Min <= WAQS <= Max")

study = adaptations.study(["spread"], 23)
CLAIMS = (Claim("fig3.11/c1", "the average stays between the thresholds", between(method="spread") >= 90),)
draw = adaptations.draw("spread")
