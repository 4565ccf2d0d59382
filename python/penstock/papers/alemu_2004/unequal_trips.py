"""Figures 4.8 to 4.10 and Table 4.3: the schemes of chapter 4, unequal round trips (Section 4.6.2)."""

from __future__ import annotations

from functools import partial

from penstock.reproduce.figure import Claim, Exhibit, Number, at_least, at_most, every, in_cells, some

from . import controllers, symbols
from .controllers import AVQS, LREDS, MANY, NOT_MANY, averaged, better, higher, lower, others
from .judge import swept
from .setup import AQS, EMPTY, LONG_RUNS, LRL1, LU, PLR, VQS, F

FEW = at_most(13)


def _same(number: Number) -> Number:
    """The average over the numbers of flows with equal round trips."""
    return averaged(number(topology="same"))


CHANGE = averaged(PLR) - _same(PLR)
LITTLE = every(
    *((averaged(q) / _same(q)).reads(1, share=share) for q, share in ((AQS, 0.25), (VQS, 0.4))), CHANGE.between(-2, 2)
)
WORSE = every(averaged(AQS) > _same(AQS) * 1.25, averaged(VQS) > _same(VQS) * 1.4, CHANGE > 2)
fig4_8 = Exhibit(
    "Figure 4.8: mean and variance of the queue and losses, unequal round trips (Section 4.6.2)",
    *in_cells(
        {"topology": "diff"},
        Claim(
            "fig4.8/c1",
            "BLUE, REM and PSAND change little from equal to unequal round trips; PI, AVQ and LRED get much worse",
            every(
                LITTLE(scheme=["BLUE", "REM", "PSAND"]),
                *(some(WORSE(scheme=scheme)) for scheme in ("PI", "AVQ", "LRED")),
            ),
            "averages over N: AQS within 25 %, VQS 40 %, PLR 2 points; for the latter one worse by more",
        ),
        Claim(
            "fig4.8a/c1",
            "PI has the longest queue",
            swept(higher(AQS, "PI", others("PI"))),
            "AQS above the seven others for every N",
        ),
        Claim(
            "fig4.8b/c1",
            "PI's variance is competitive with PSAND's but for few flows",
            swept(
                every(
                    (VQS(scheme="PI") <= VQS(scheme="PSAND") * 1.4)(flows=at_least(28)),
                    higher(VQS, "PI", "PSAND")(flows=FEW),
                )
            ),
            "VQS(PI) <= 1.4 VQS(PSAND) for N >= 28, above PSAND's for N <= 13",
        ),
        Claim(
            "fig4.8c/c1",
            "PI loses least with few flows, PSAND with many",
            swept(every(lower(PLR, "PI", others("PI"))(flows=FEW), lower(PLR, "PSAND", others("PSAND"))(flows=MANY))),
            "PLR below the seven others: PI for N <= 13, PSAND for N >= 73",
        ),
        Claim(
            "fig4.8a/c2",
            "the queue of AVQ and AVQ* gets longer; PSAND's is shorter but than that of AVQ* with many flows",
            swept(
                every(
                    (averaged(AQS) > _same(AQS) * 1.25)(scheme="AVQ"),
                    (averaged(AQS) > _same(AQS))(scheme="AVQ*"),
                    lower(AQS, "PSAND", "AVQ"),
                    lower(AQS, "PSAND", "AVQ*")(flows=NOT_MANY),
                    higher(AQS, "PSAND", "AVQ*")(flows=MANY),
                )
            ),
            "mean AQS of AVQ 25 % above, AVQ* above equal round trips'; PSAND below both, above AVQ* for N >= 73",
        ),
        Claim(
            "fig4.8b/c2",
            "AVQ and AVQ* have a less steady queue than PSAND, but AVQ* the steadiest with many flows",
            swept(
                every(
                    higher(VQS, "AVQ", "PSAND"),
                    higher(VQS, "AVQ*", "PSAND")(flows=NOT_MANY),
                    lower(VQS, "AVQ*", others("AVQ*"))(flows=MANY),
                )
            ),
            "VQS above PSAND's; for N >= 73 VQS(AVQ*) below the seven others",
        ),
        Claim(
            "fig4.8c/c2",
            "PSAND loses less than AVQ and AVQ*, which pays with losses and utilization for its gain",
            swept(
                every(
                    lower(PLR, "PSAND", AVQS),
                    higher(PLR, "AVQ*", "AVQ")(flows=MANY),
                    lower(LU, "AVQ*", "AVQ")(flows=MANY),
                )
            ),
            "PLR(PSAND) below both; N >= 73: PLR of AVQ* above, LU below AVQ's",
        ),
        Claim(
            "fig4.8b/c3",
            "BLUE and AVQ have the least steady queues, then LRED",
            every(better("VQS", "LRED", ["BLUE", "AVQ"]), better("VQS", others("BLUE", "AVQ", "LRED"), "LRED")),
            "averages of VQS: BLUE and AVQ above LRED, LRED above the five others",
        ),
        Claim(
            "fig4.8b/c4",
            "LRED* varies more than PSAND but with very many flows",
            swept(
                every(
                    higher(VQS, "LRED*", "PSAND")(flows=at_most(53)), lower(VQS, "LRED*", "PSAND")(flows=at_least(93))
                )
            ),
            "VQS(LRED*) above PSAND's for N <= 53, below for N >= 93",
        ),
        Claim(
            "fig4.8a/c3",
            "LRED can compete with PSAND by its mean queue only",
            every(
                averaged(AQS(scheme="LRED")) <= averaged(AQS(scheme="PSAND")) * 1.25,
                *(better(name, "PSAND", "LRED") for name in ("VQS", "PLR", "LU")),
            ),
            "averages: AQS at most 25 % above PSAND's; VQS, PLR and LU worse",
        ),
    ),
    study=controllers.study("diff") + controllers.study("same"),
    draw=controllers.draw("diff", "AQS", "VQS", "PLR"),
)


PI_BUSIEST = every(higher(LU, "PI", others("PI")), lower(EMPTY, "PI", others("PI")))
fig4_9 = Exhibit(
    "Figure 4.9: fairness, utilization and empty queues, unequal round trips (Section 4.6.2)",
    Claim(
        "fig4.9b/c1",
        "PI uses most of the link and is empty least often",
        swept(PI_BUSIEST),
        others={"from 8 flows on": swept(PI_BUSIEST(flows=at_least(8)))},
    ),
    Claim(
        "fig4.9a/c1",
        "the schemes do not differ in fairness",
        swept(abs(F(scheme=others("PSAND")) / F(scheme="PSAND") - 1) <= 0.1),
        "F of each within 10 % of PSAND's for every N",
    ),
    Claim(
        "fig4.8-9/c2",
        "LRED and LRED* lose slightly more than PSAND and use less of the link",
        swept(every(higher(PLR, LREDS, "PSAND"), lower(LU, LREDS, "PSAND"))),
    ),
    study=controllers.study("diff"),
    draw=controllers.draw("diff", "F", "LU", "empty"),
)


fig4_10 = Exhibit(
    "Figure 4.10: runs of losses of a flow, unequal round trips (Section 4.6.2)",
    Claim("fig4.10a/c1", "PSAND has most single losses", swept(higher(LRL1, "PSAND", others("PSAND")))),
    Claim(
        "fig4.10c/c1",
        "PSAND loses more than two in a row least often, AVQ and PI most often",
        every(
            swept(lower(LONG_RUNS, "PSAND", others("PSAND"))),
            better("LRL>2", others("AVQ", "PI", "PSAND"), ["AVQ", "PI"]),
        ),
        "LRL(>2) below the seven others for every N; averages of AVQ and PI above the five others",
    ),
    study=controllers.study("diff"),
    draw=controllers.draw("diff", "LRL1", "LRL2", "LRL3"),
)


PRINTED = symbols.read("tab4-3")
tab4_3 = Exhibit(
    "Table 4.3: the schemes rated, unequal round trips (Section 4.6.2)",
    *tuple(symbols.claims("tab4.3", PRINTED)),
    study=controllers.study("diff"),
    draw=partial(symbols.draw, printed=PRINTED),
)


METRICS = ("AQS", "VQS", "PLR", "LU", "F", "empty", "LRL1")
OTHERS = others("PSAND")
SAME, DIFF = {"topology": "same"}, {"topology": "diff"}
ch4 = Exhibit(
    "The ends of chapters 2 to 4 and of the thesis: PSAND against all others (Section 4.7, Conclusion)",
    Claim(
        "ch4/c1",
        "with unequal round trips PSAND is best by all metrics",
        every(*(better(name, "PSAND", OTHERS) for name in METRICS))(**DIFF),
        "averages over N better than the seven others (Table 4.3: not AQS, LU, F)",
    ),
    Claim(
        "ch4/c1",
        "with unequal round trips PSAND is best by all metrics but fairness",
        every(*(better(name, "PSAND", OTHERS) for name in METRICS if name != "F"))(**DIFF),
        "averages over N better than the seven others",
        reading="all but fairness, as in the Conclusion",
    ),
    Claim("ch4/c2", "PSAND has most single losses on both links", swept(higher(LRL1, "PSAND", OTHERS))),
    Claim(
        "concl/c3",
        "no scheme is better than PSAND by all metrics at once, on either link",
        every(
            *(
                some(every(*(better(name, "PSAND", scheme) for name in METRICS)))(**on)
                for on in (SAME, DIFF)
                for scheme in OTHERS
            )
        ),
        "PSAND better than each other one by the average of at least one metric",
        must_hold=True,
    ),
    Claim(
        "concl/c4",
        "PSAND works with few and with many flows, LRED fails with few",
        every(
            every(*(higher(q, "LRED", "PSAND") for q in (VQS, EMPTY)), lower(LU, "LRED", "PSAND"))(flows=3),
            *((q(scheme="PSAND") <= q(scheme="LRED") * 1.4)(flows=MANY) for q in (AQS, VQS)),
        )(**SAME),
        "3 flows: VQS, P(X=0) of LRED above, LU below; N >= 73: AQS, VQS of PSAND at most 1.4 of LRED's",
    ),
    study=controllers.study("same") + controllers.study("diff"),
)
