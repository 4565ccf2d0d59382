"""Figure 1.3: the two slopes of DSRED (Section 1.2.1.5)."""

from penstock.papers.alemu_2004 import functions
from penstock.papers.alemu_2004.functions import d, draw
from penstock.reproduce.figure import Claim, Effort, formula

__all__ = ["CLAIMS", "draw", "rows"]


def rows(_: Effort) -> functions.Rows:
    """Kl 5, Kh 25, gamma 0.96."""
    return functions.rows("DSRED", "dsred:min_th=5,max_th=25,gamma=0.96", 40)


def law(x: float) -> float:
    """Equation 1.12."""
    return 0.0 if x < 5 else 0.004 * (x - 5) if x < 15 else min(0.04 + 0.096 * (x - 15), 1.0)


CLAIMS = (
    Claim(
        "fig1.3/c1",
        "the slopes meet half-way and end at 1",
        abs(d - formula(law)) <= 1e-6,
        "1 - gamma = 0.04 at Km = 15, 1 from Kh = 25 on, linear between; to 1e-6",
        must_hold=True,
    ),
)
