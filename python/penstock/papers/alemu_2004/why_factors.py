"""Why what Section 2.4.3 says of PSAND's factor and power is contradicted: few flows, and other adaptive REDs.

Factors and powers of Figure 2.14 are not left (guess 12). With 3 flows receivers have delayed acknowledgements, with
which Table 2.2 is met; the adaptive REDs drop each packet by itself, with many flows also without ns-2's guards.
"""

import penstock as ps
from penstock.reproduce.figure import Choice, Sweep, Table, above, at_least, by_table, every
from penstock.results.sample import Condition

from . import cells, judge, tables2, why
from .factors import COEFS, GAMMAS
from .judge import falls, rises, swept
from .setup import AQS, AREDS, PLR, VQS, feng, floyd, load, psand

MANY = [53, 73, 103]


def _pair(coef: float, gamma: float, flows: int) -> ps.Scenario:
    return load(psand(coef, gamma), flows, acks="delayed" if flows == 3 else "each")


def _ared(scheme: str, flows: int) -> ps.Scenario:
    made = {"Feng": feng, "Floyd": floyd}[scheme](spacing="none", guards=flows == 3)
    return load(made, flows, acks="delayed" if flows == 3 else "each")


# Factors and powers with 3 flows and with many, and the adaptive REDs.
POWERS = Choice([1.5, 2], GAMMAS)
study = (
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
    printed = cells.as_table(tables2.printed("tab2-2"))
    large, small = (printed("PLR", **tables2.at(row, 28)) for row in ("PSAND3", "PSAND2"))
    return large < small


own = why.own("why-factors")
CLAIMS = (
    own(
        "few",
        "3 flows: losses rise with the factor and fall with the power",
        every(rises(PLR(coef=ANY, gamma=at_least(1)), "coef"), falls(PLR(coef=at_least(1.5), gamma=ANY), "gamma"))(
            flows=3
        ),
        "as fig2.14/c1, powers >= 1, factors >= 1.5",
    ),
    own(
        "large",
        "3 flows: factor 3 loses 1.8 % with powers 1.5 and 2",
        every(every(judge.plr(PLR, 1.8), PLR < 2)(coef=3, gamma=HIGH), judge.plr(PLR(scheme=AREDS), 0.9))(flows=3),
        "+- 0.5 %, < 2 %; adaptive REDs 0.9 +- 0.5 %",
    ),
    own(
        "near-1",
        "3 flows, factor 1.25, powers above 1: shorter and steadier",
        swept(
            every(
                *(q(coef=1.25, gamma=HIGH) < q(scheme=AREDS) for q in (AQS, VQS)),
                PLR(coef=1.25, gamma=HIGH) - PLR(scheme=AREDS) <= 0.5,
            )
        )(flows=3),
        "as fig2.12-14/c6",
    ),
    own(
        "alike",
        "many flows: losses hardly depend on either",
        (abs(PLR(**ALL) - PLR(coef=1.75, gamma=1.5)) <= 1.5)(flows=MANY),
        "PLR within 1.5 points of (1.75, 1.5)",
        needs={"flows": MANY[0]},
    ),
    own(
        "many",
        "many flows, adaptive REDs to the letter: shorter, and loses less",
        swept(every(*(q(coef=at_least(1.75), gamma=ANY) < q(scheme=AREDS) for q in (AQS, PLR)))(flows=MANY)),
        "as fig2.14/c5, factors >= 1.75",
        needs={"flows": MANY[0]},
    ),
    own("table", "Table 2.2, 28 flows: the other way round", by_table(_in_print, "PLR (2, 0.25) < (1.75, 1.5)")),
)
