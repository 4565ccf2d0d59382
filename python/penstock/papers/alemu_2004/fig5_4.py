"""Figure 5.4: losses before and after correction by four codes (Section 5.4.1.2)."""

from penstock.papers.alemu_2004 import judge, panels, tables5
from penstock.papers.alemu_2004.judge import swept
from penstock.papers.alemu_2004.setup import PLR, PLRBC
from penstock.papers.alemu_2004.tables5 import BOTH, CODES, CROSSING, RED, SETTLED, TAIL
from penstock.reproduce.figure import Claim, Number, at_most, every, needing, of_samples

study = tables5.study(CODES)
draw = panels.of(
    *(panels.Panel("flows", y, "scheme", {"code": code}, f"({code})") for code in CODES for y in ("PLRBC", "PLR"))
)

REPAIRED = of_samples(judge.ratio, PLRBC, PLR, text="{} / {}")
"""By which factor a code divides the losses."""


def _crossing(panel: str, code: str, flows: int, low: int, high: int) -> Claim:
    return Claim(
        f"fig5.4{panel}/c1",
        f"({code}): RED is the better up to about {flows} flows",
        CROSSING(code=code).reads(flows, low, high),
        f"PLR(RED) rises above PLR(DT) at {low} to {high} flows" + (" or later" if high == 100 else ""),
    )


def _between(one: str, other: str) -> Number:
    return CROSSING(code=other) - CROSSING(code=one)


CLAIMS = (
    Claim(
        "fig5.4/c1",
        "before correction RED loses more",
        swept(PLRBC(scheme=RED) > PLRBC(scheme=TAIL)),
        "PLRBC(RED) > PLRBC(DT) for every n and code",
    ),
    Claim(
        "fig5.4/c2",
        "more redundancy leaves fewer losses",
        swept(
            every(*(PLR(code=more) < PLR(code=less) for less, more in (("16,1", "16,2"), ("16,2", "16,4"))))(
                scheme=BOTH
            )
        ),
        "PLR falls from h = 1 over 2 to 4 for both schemes and every n",
    ),
    Claim(
        "fig5.4/c3",
        "after correction RED loses less with few flows, more with many",
        every((PLR(scheme=RED) < PLR(scheme=TAIL))(flows=at_most(20)), (PLR(scheme=RED) > PLR(scheme=TAIL))(flows=100))(
            code=["16,1", "16,2", "16,4"]
        ),
        "(16,1), (16,2), (16,4): PLR(RED) < PLR(DT) at 20 flows and below, > at 100",
    ),
    Claim(
        "fig5.4/c5",
        "at 10 flows (16,1) divides losses by 1.9 behind drop-tail, by 3.4 behind RED",
        every(REPAIRED(scheme=TAIL).reads(1.9, share=0.3), REPAIRED(scheme=RED).reads(3.4, share=0.3))(
            code="16,1", flows=10
        ),
        "PLRBC/PLR +- 30 %",
    ),
    *needing(
        SETTLED,
        Claim(
            "fig5.4/c6",
            "(16,4) divides losses by 33.4 and 66.5 at 10 flows, by 79.6 behind RED at 30",
            every(
                REPAIRED(scheme=TAIL, flows=10).reads(33.4, share=0.3),
                REPAIRED(scheme=RED, flows=10).reads(66.5, share=0.3),
                REPAIRED(scheme=RED, flows=30).reads(79.6, share=0.3),
            )(code="16,4"),
            "PLRBC/PLR +- 30 %",
        ),
        _crossing("a", "16,1", 45, 40, 60),
        _crossing("b", "16,2", 65, 55, 75),
        _crossing("c", "16,4", 80, 70, 90),
        _crossing("d", "8,2", 100, 90, 100),
        Claim(
            "fig5.4/c4",
            "this number grows with the redundancy, by less and less",
            every(
                CROSSING(code="16,1") < CROSSING(code="16,2"),
                CROSSING(code="16,2") < CROSSING(code="16,4"),
                _between("16,2", "16,4") < _between("16,1", "16,2"),
            ),
            "crossings of h = 1 < 2 < 4, second step smaller than the first",
        ),
        Claim(
            "fig5.4d/c2",
            "at equal shares of redundancy smaller blocks favour RED",
            CROSSING(code="8,2") > CROSSING(code="16,4"),
            "crossing of (8,2) above that of (16,4)",
        ),
    ),
)
