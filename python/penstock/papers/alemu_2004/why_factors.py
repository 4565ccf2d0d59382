"""Why claims of Sections 2.4.3, 2.4.5 and 3.2 on PSAND's parameters are contradicted."""

from __future__ import annotations

import penstock as ps
from penstock.reproduce.figure import Choice, Exhibit, Sweep, Table, above, at_least, by_table, every
from penstock.reproduce.shape import falls, least_at, rises, swept
from penstock.results.condition import Condition

from . import judge, tables2, why
from .factors import COEFS, GAMMAS
from .setup import AQS, AREDS, KT, PLR, VQS, feng, floyd, load, psand, red

MANY = [53, 73, 103]


def _pair(coef: float, gamma: float, flows: int) -> ps.Scenario:
    return load(psand(coef, gamma), flows, acks="delayed" if flows == 3 else "each")


def _ared(scheme: str, flows: int) -> ps.Scenario:
    queue = {"Feng": feng, "Floyd": floyd}[scheme](spacing="none", guards=flows == 3)
    return load(queue, flows, acks="delayed" if flows == 3 else "each")


# Factors and powers with 3 flows and with many, and the adaptive REDs.
POWERS = Choice([1.5, 2], GAMMAS)
FACTORS = (
    Sweep(_pair, {"coef": COEFS, "gamma": POWERS, "flows": [3]}, seeds=Choice(5, 30))
    + Sweep(_ared, {"scheme": AREDS, "flows": [3]}, seeds=Choice(5, 30))
    + Sweep(_pair, {"coef": COEFS, "gamma": POWERS, "flows": MANY}, seeds=10, only_full=True)
    + Sweep(_ared, {"scheme": AREDS, "flows": MANY}, seeds=10, only_full=True)
)
ANY, HIGH = above(0), above(1)
"""The factors or powers of PSAND: all, and those above 1."""
ALL = {"coef": ANY, "gamma": ANY}


def _in_print(_: Table) -> Condition:
    """By Table 2.2 with 28 flows a larger factor and a smaller power lose less."""
    printed = tables2.QUEUES.numbers()
    large, small = (printed("PLR", **tables2.at(row, 28)) for row in ("PSAND3", "PSAND2"))
    return large < small


of_factors = why.own("why-factors")

# Factors and powers are those of Figure 2.14 (guess 12). With 3 flows receivers delay acknowledgements, with which
# Table 2.2 is met. The adaptive REDs drop each packet independently; with many flows also without ns-2's guards.
why_factors = Exhibit(
    "Why what Section 2.4.3 says of PSAND's factor and power is contradicted: few flows, and other adaptive REDs",
    of_factors(
        "few",
        every(rises(PLR(coef=ANY, gamma=at_least(1)), "coef"), falls(PLR(coef=at_least(1.5), gamma=ANY), "gamma"))(
            flows=3
        ),
        "as fig2.14/c1, powers >= 1, factors >= 1.5",
    ),
    of_factors(
        "large",
        every(every(judge.plr(PLR, 1.8), PLR < 2)(coef=3, gamma=HIGH), judge.plr(PLR(scheme=AREDS), 0.9))(flows=3),
    ),
    of_factors(
        "near-1",
        swept(
            every(
                *(q(coef=1.25, gamma=HIGH) < q(scheme=AREDS) for q in (AQS, VQS)),
                PLR(coef=1.25, gamma=HIGH) - PLR(scheme=AREDS) <= 0.5,
            )
        )(flows=3),
        "as fig2.12-14/c6",
    ),
    of_factors("alike", (abs(PLR(**ALL) - PLR(coef=1.75, gamma=1.5)) <= 1.5)(flows=MANY), needs={"flows": MANY[0]}),
    of_factors(
        "many",
        swept(every(*(q(coef=at_least(1.75), gamma=ANY) < q(scheme=AREDS) for q in (AQS, PLR)))(flows=MANY)),
        "as fig2.14/c5, factors >= 1.75",
        needs={"flows": MANY[0]},
    ),
    of_factors("table", by_table(_in_print, "PLR (2, 0.25) < (1.75, 1.5)")),
    study=FACTORS,
)


MAXIMA, MINIMA = [10.5, 15, 20, 35], [0, 9.5]
BOTH_PAIRS = {"(1, 1)": (1, 1), "(1.75, 1.5)": (1.75, 1.5)}
LOWEST, PRINTED = 0.1, 25
"""The smallest bound of Figures 2.15 and 2.16, and the mean queue there with 103 flows (Section 2.4.5)."""


def _fixed(max_th: float, min_th: float, flows: int, gentle: bool) -> ps.Scenario:
    return load(red(max_p=0.75, min_th=min_th, max_th=max_th, gentle=gentle), flows)


# RED with max_p 0.75 in both modes, and PSAND with the least and the largest bound.
FIXED, BOUNDED, SEEDS = {"part": "fixed"}, {"part": "bounded"}, Choice(5, 20)
LOADS = Choice([103], [23, 53, 73, 103])
SLOPES = (
    Sweep(_fixed, {"max_th": MAXIMA, "min_th": MINIMA, "flows": LOADS, "gentle": [True]}, seeds=SEEDS, labels=FIXED)
    + Sweep(_fixed, {"max_th": [10.5], "min_th": [0], "flows": [103], "gentle": [False]}, seeds=SEEDS, labels=FIXED)
    + Sweep(
        lambda pair, high: load(psand(*BOTH_PAIRS[pair], high), 103),
        {"pair": list(BOTH_PAIRS), "high": [LOWEST, 1.0]},
        seeds=SEEDS,
        labels=BOUNDED,
    )
)
GENTLE = {"gentle": True, **FIXED}
of_slope = why.own("why-slope")

# RED's average settles where its drop function gives the loss rate that the load needs. With max_p fixed the average
# therefore rises with Max. PSAND lowers max_p while the average is below its target, so a small Max does not lengthen
# its queue. While max_p stays at its bound, factor and power do not matter.
why_slope = Exhibit(
    "What RED's drop function says of PSAND's Max and of its largest max_p, without PSAND: max_p is held fixed",
    of_slope(
        "max",
        every(rises(AQS, "max_th"), least_at(AQS, "max_th", 10.5))(**GENTLE),
        "rank correlation of AQS with Max >= 0.8 for each Min, least at Max 10.5",
    ),
    of_slope("twice", (AQS(max_th=20) > AQS(max_th=10.5) * 1.2)(min_th=0, **GENTLE)),
    of_slope(
        "strict",
        (AQS(max_th=10.5, gentle=False) < AQS(max_th=20, gentle=True))(min_th=0, flows=103, **FIXED),
        "AQS below",
    ),
    of_slope(
        "bound",
        every(
            abs(AQS(pair="(1, 1)") / AQS(pair="(1.75, 1.5)") - 1)(high=LOWEST) <= 0.02,
            AQS(pair="(1, 1)", high=LOWEST).reads(PRINTED, share=0.25),
            AQS(pair="(1, 1)", high=1.0).reads(KT, share=0.25),
        )(**BOUNDED),
        f"AQS of the pairs within 2 %, {PRINTED} +- 25 % (Section 2.4.5); at 1 {KT} +- 25 % with (1, 1)",
    ),
    study=SLOPES,
)
