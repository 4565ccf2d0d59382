"""Figure 1.5: RIO's two drop functions (Section 1.4.3)."""

from penstock.papers.alemu_2004 import functions
from penstock.papers.alemu_2004.functions import d, draw
from penstock.reproduce.figure import Claim, Effort

__all__ = ["CLAIMS", "draw", "rows"]


def rows(_: Effort) -> functions.Rows:
    """RED's function with the thresholds that RIO has by default for In and for Out packets (the thesis has none)."""
    inside = functions.rows("In", "red:min_th=15,max_th=30,max_p=0.02", 40)
    return inside + functions.rows("Out", "red:min_th=5,max_th=15,max_p=0.2", 40)


CLAIMS = (
    Claim(
        "fig1.5/c1",
        "Out packets are never less likely to be dropped",
        d(curve="Out") - d(curve="In") >= 0,
        "d_out(a) >= d_in(a) at every average, with the same queue for both",
        must_hold=True,
    ),
)
