"""Figure 2.14: losses against PSAND's factor and power (Section 2.4.3)."""

from penstock.papers.alemu_2004 import panels
from penstock.papers.alemu_2004.factors import ANY, MANY, study
from penstock.papers.alemu_2004.judge import falls, rises, swept
from penstock.papers.alemu_2004.setup import AQS, AREDS, PLR, VQS
from penstock.reproduce.figure import Claim, Curve, above, every
from penstock.results.sample import Sample

__all__ = ["CLAIMS", "draw", "study"]


def rise(curve: Curve) -> Sample:
    """From the largest to the least power."""
    values = list(curve.values())
    return values[0] - values[-1]


more = PLR(coef=1.75, gamma=above(0)).along("gamma", rise)

CLAIMS = (
    Claim(
        "fig2.14/c1",
        "losses rise with the factor and fall with the power",
        every(rises(PLR(**ANY), "coef"), falls(PLR(coef=above(1), gamma=above(0)), "gamma")),
    ),
    Claim("fig2.14/c2", "a smaller power costs most with few flows", more(flows=3) > more(flows=MANY)),
    Claim(
        "fig2.14/c3",
        "with few flows and a large factor losses are about 1.8 %, against 0.9 % of the adaptive REDs",
        every(
            PLR(coef=3, gamma=above(0)).reads(1.8, 1.3, 2.3),
            PLR(coef=3, gamma=above(0)) < 2,
            PLR(scheme=AREDS).reads(0.9, 0.4, 1.4),
        )(flows=3),
    ),
    Claim(
        "fig2.14/c4",
        "with a small factor losses are lower and the queue longer",
        every(PLR(coef=0.5) < PLR(coef=3), AQS(coef=0.5) > AQS(coef=3))(gamma=1.5),
    ),
    Claim(
        "fig2.14/c5",
        "with many flows and a factor above 1 both queue and losses are below the adaptive REDs'",
        swept(every(*(q(coef=above(1), gamma=above(0)) < q(scheme=AREDS) for q in (AQS, PLR))))(flows=MANY),
    ),
    Claim(
        "fig2.12-14/c6",
        "with few flows a factor near 1 and a power above 1 improve mean and variance without much more loss",
        every(
            *(q(coef=1, gamma=above(1)) < q(scheme=AREDS) for q in (AQS, VQS)),
            PLR(coef=1, gamma=above(1)) - PLR(scheme=AREDS) <= 0.5,
        )(flows=3),
    ),
)

draw = panels.for_each_load("coef", "PLR", "gamma")
