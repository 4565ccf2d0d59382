"""What RED's drop function says of PSAND's Max and of its largest max_p, without PSAND: max_p is held fixed.

RED's average is where its drop function gives the losses that the load asks for: with fixed max_p it is the higher, the
larger Max is. PSAND lowers max_p where the average is below its target, but not above its bound, so that a small Max
does not lengthen its queue. Where max_p stays at its bound, factor and power do not matter.
"""

import penstock as ps
from penstock.reproduce.figure import Choice, Sweep, every

from . import why
from .judge import least_at, rises
from .setup import AQS, KT, load, psand, red

MAXIMA, MINIMA = [10.5, 15, 20, 35], [0, 9.5]
PAIRS = {"(1, 1)": (1, 1), "(1.75, 1.5)": (1.75, 1.5)}
LOWEST, PRINTED = 0.1, 25
"""The smallest bound of Figures 2.15 and 2.16, and the mean queue there with 103 flows (Section 2.4.5)."""


def _fixed(max_th: float, min_th: float, flows: int, gentle: bool) -> ps.Scenario:
    return load(red(max_p=0.75, min_th=min_th, max_th=max_th, gentle=gentle), flows)


# RED with max_p 0.75 in both modes, and PSAND with the least and the largest bound.
FIXED, BOUNDED, SEEDS = {"part": "fixed"}, {"part": "bounded"}, Choice(5, 20)
LOADS = Choice([103], [23, 53, 73, 103])
study = (
    Sweep(_fixed, {"max_th": MAXIMA, "min_th": MINIMA, "flows": LOADS, "gentle": [True]}, seeds=SEEDS, labels=FIXED)
    + Sweep(_fixed, {"max_th": [10.5], "min_th": [0], "flows": [103], "gentle": [False]}, seeds=SEEDS, labels=FIXED)
    + Sweep(
        lambda pair, high: load(psand(*PAIRS[pair], high), 103),
        {"pair": list(PAIRS), "high": [LOWEST, 1.0]},
        seeds=SEEDS,
        labels=BOUNDED,
    )
)

GENTLE = {"gentle": True, **FIXED}
own = why.own("why-slope")

CLAIMS = (
    own(
        "max",
        "RED with max_p 0.75: the larger Max, the longer the queue, at every load",
        every(rises(AQS, "max_th"), least_at(AQS, "max_th", 10.5))(**GENTLE),
        "rank correlation of AQS with Max >= 0.8 for each Min, least at Max 10.5",
    ),
    own(
        "twice",
        "at Max 20 its queue is longer than at 10.5 by more than a fifth",
        (AQS(max_th=20) > AQS(max_th=10.5) * 1.2)(min_th=0, **GENTLE),
        "AQS at Max 20 > 1.2 times that at 10.5, Min 0, every load",
    ),
    own(
        "strict",
        "strict with Max 10.5 has a shorter queue than gentle with Max 20, 103 flows",
        (AQS(max_th=10.5, gentle=False) < AQS(max_th=20, gentle=True))(min_th=0, flows=103, **FIXED),
        "AQS below",
    ),
    own(
        "bound",
        "at a bound of 0.1 the pair does not matter, 103 flows; at 1 the pair (1, 1) comes near its target",
        every(
            abs(AQS(pair="(1, 1)") / AQS(pair="(1.75, 1.5)") - 1)(high=LOWEST) <= 0.02,
            AQS(pair="(1, 1)", high=LOWEST).reads(PRINTED, share=0.25),
            AQS(pair="(1, 1)", high=1.0).reads(KT, share=0.25),
        )(**BOUNDED),
        f"AQS of the pairs within 2 %, {PRINTED} +- 25 % (Section 2.4.5); at 1 {KT} +- 25 % with (1, 1)",
    ),
)
