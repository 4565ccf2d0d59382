"""Why claims that chapter 1 cites are contradicted: the part that fails, and another link on which it holds.

The thesis gives no set-up (guess 16). A link ten times as fast, with the same buffer, is closer to the usual set-ups of
the cited works.
"""

import math

import penstock as ps
from penstock.reproduce.figure import Choice, Sweep, above, at_least, each_run, every, formula, metric, some
from penstock.reproduce.shape import falls
from penstock.scenario.scenario import Document

from . import judge, why
from .ch1 import ENDS, FLOWS, SCHEMES, gamma_swing, measure
from .changes import under
from .setup import AQS, KT, LU, OFF, PLR, VQS, load

__all__ = ["CLAIMS", "measure", "study"]

TIMES = 10
"""Factor by which the other link and its accesses are faster."""
MAX_P = 0.15
"""Of SRED."""


def _rem(gamma: float) -> ps.Rem:
    return ps.Rem(**ENDS, gamma=gamma, alpha=0.1, phi=1.1, target=f"{KT}p", interval="10ms")


def _marked(scheme: str, flows: int) -> Document:
    return under("marks instead of drops", load(SCHEMES[scheme](), flows))


def _fast(scheme: str, flows: int) -> Document:
    tree = load(SCHEMES[scheme](), flows, sampling="100ms" if scheme == "GREEN" else "10ms").document().tree
    for name, link in tree["links"].items():
        link["rate"] = f"{TIMES * (1.5 if name == 'bottleneck' else 10):g}Mbit"
    return Document(tree)


SEEDS = Choice(5, 20)
AS_CITED, MARKED, FAST = {"part": "as cited"}, {"part": "marks"}, {"part": "fast"}
FASTER = ["LRED", "SRED", "BLUE", "Floyd", "AVQ"]

# REM by its gamma; schemes as in chapter 1, with marks, and on a faster link.
study = (
    Sweep(
        lambda gamma, flows: load(_rem(gamma), flows),
        {"gamma": Choice([0.001, 0.1], [0.001, 0.005, 0.02, 0.05, 0.1]), "flows": FLOWS},
        SEEDS,
    )
    + Sweep(
        lambda scheme, flows: load(SCHEMES[scheme](), flows),
        {"scheme": ["RED", "P", "steep P"], "flows": FLOWS},
        SEEDS,
        labels=AS_CITED,
    )
    + Sweep(_marked, {"scheme": ["RED", "BLUE"], "flows": FLOWS}, SEEDS, labels=MARKED)
    + Sweep(_fast, {"scheme": FASTER, "flows": FLOWS}, SEEDS, labels=FAST)
    + Sweep(_fast, {"scheme": ["GREEN"], "flows": FLOWS}, SEEDS, labels=FAST, keep=gamma_swing)
)

GAMMA, LARGER = above(0), above(0.001)
SWING = each_run(math.sqrt, VQS, text="sqrt({})") / AQS
"""Standard deviation of the queue over its mean."""
own = why.own("why-cited")

CLAIMS = (
    own("rem-gamma", falls(VQS(gamma=GAMMA), "gamma")),
    own(
        "rem-target",
        every(judge.aqs(AQS, KT), LU < 95)(gamma=LARGER),
        f"gamma from 0.005 on: AQS 10 +- 25 %, LU below 95 %, at {FLOWS} flows",
    ),
    own(
        "steep-P",
        every(SWING(scheme="steep P") > SWING(scheme="P"), LU(scheme="steep P") < LU(scheme="P"))(**AS_CITED),
        "sd / mean of the queue above, LU below that with the shallow slope, at 13, 53 and 103 flows",
    ),
    own(
        "sred",
        PLR(scheme="RED", **AS_CITED) / 2 > formula(lambda flows: 200 * MAX_P * (flows / 256) ** 2),
        "2 max_p (N / 256)^2, of the full variant, below half of RED's PLR at 13, 53 and 103 flows",
    ),
    own(
        "blue-marks",
        every(PLR(scheme="BLUE") < PLR(scheme="RED"), some(VQS(scheme="BLUE") > VQS(scheme="RED")))(**MARKED),
    ),
    own(
        "green-fast",
        every(metric("gamma swing") >= 2, LU(flows=103) < LU(flows=13))(scheme="GREEN", **FAST),
    ),
    own(
        "lred-fast",
        every(
            (VQS(scheme="LRED") < VQS(scheme=["SRED", "BLUE", "Floyd"]))(flows=at_least(53)),
            (OFF(scheme="LRED") < OFF(scheme=["SRED", "Floyd"]))(flows=at_least(53)),
            (VQS(scheme="LRED") < VQS(scheme="AVQ"))(flows=53),
        )(**FAST),
    ),
)
