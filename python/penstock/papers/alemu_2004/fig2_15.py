"""Figure 2.15: the upper bound of PSAND's max_p, with factor 1.75 and power 1.5 (Section 2.4.5)."""

from collections.abc import Mapping

from penstock.papers.alemu_2004 import panels
from penstock.papers.alemu_2004.judge import falls, swept, varies
from penstock.papers.alemu_2004.setup import AQS, LOADS, PLR, VQS, load, psand
from penstock.reproduce.figure import Choice, Claim, Sweep, at_least, at_most, every


def bounds(coef: float, gamma: float, labels: Mapping[str, str] | None = None) -> Sweep:
    """PSAND with each bound and load."""
    return Sweep(
        lambda high, flows: load(psand(coef, gamma, high), flows),
        {"high": Choice([0.1, 0.4, 0.7, 1.0], [i / 10 for i in range(1, 11)]), "flows": Choice([3, 53, 103], LOADS)},
        seeds=Choice(5, 100),
        labels=labels or {},
    )


study = bounds(1.75, 1.5)

MANY = at_least(73)
fall = AQS(high=0.1) - AQS(high=1.0)

CLAIMS = (
    Claim(
        "fig2.15b/c1",
        "the mean queue falls as the bound rises, and more so at a high load",
        every(falls(AQS(flows=at_least(53)), "high"), fall.next("flows") > fall),
        must_hold=True,
    ),
    Claim(
        "fig2.15b/c2",
        "with 103 flows the mean queue goes from 25 packets to 8",
        every(AQS(high=0.1).reads(25, share=0.25), AQS(high=1.0).reads(8, share=0.25))(flows=103),
    ),
    Claim(
        "fig2.15/c3",
        "with 3 flows the bound hardly matters",
        swept(
            every(
                varies(AQS, "high") <= 0.25,
                varies(VQS, "high") <= 0.4,
                abs(PLR(high=at_least(0)) - PLR(high=1.0)) <= 0.5,
            )
        )(flows=3),
    ),
    Claim(
        "fig2.15a/c1",
        "at a high load the variance falls up to a bound of 0.7 and rises slowly beyond",
        every(falls(VQS(high=at_most(0.7)), "high"), VQS(high=1.0) > VQS(high=0.7))(flows=MANY),
    ),
    Claim(
        "fig2.15c/c1",
        "at a high load losses rise only slightly with the bound",
        (PLR(high=1.0) - PLR(high=0.1)).between(0, 2)(flows=MANY),
    ),
)

draw = panels.of(*(panels.Panel("high", metric, "flows") for metric in ("VQS", "AQS", "PLR")))
