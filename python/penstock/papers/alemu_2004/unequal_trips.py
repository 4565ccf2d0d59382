"""Figures 4.8 to 4.10 and Table 4.3: the schemes of chapter 4, unequal round trips (Section 4.6.2)."""

from __future__ import annotations

from functools import partial

from penstock.reproduce.figure import Claim, Exhibit, Number, at_least, at_most, claims_in_cells, every, some
from penstock.reproduce.shape import along_sweep

from . import controllers, symbols
from .controllers import AVQS, LREDS, MANY, NOT_MANY, at_each, averaged, better, higher, lower, others
from .setup import AQS, EMPTY, LONG_RUNS, LRL1, LU, PLR, VQS, F, claim

FEW = at_most(13)


def _same(number: Number) -> Number:
    """The average over the numbers of flows with equal round trips."""
    return averaged(number(topology="same"))


CHANGE = averaged(PLR) - _same(PLR)
LITTLE = every(
    *((averaged(q) / _same(q)).matches_printed(1, share=share) for q, share in ((AQS, 0.25), (VQS, 0.4))),
    CHANGE.between(-2, 2),
)
WORSE = every(averaged(AQS) > _same(AQS) * 1.25, averaged(VQS) > _same(VQS) * 1.4, CHANGE > 2)
fig4_8 = Exhibit(
    "Figure 4.8: mean and variance of the queue and losses, unequal round trips (Section 4.6.2)",
    *claims_in_cells(
        {"topology": "diff"},
        claim(
            "fig4.8/c1",
            every(
                LITTLE(scheme=["BLUE", "REM", "PSAND"]),
                *(some(WORSE(scheme=scheme)) for scheme in ("PI", "AVQ", "LRED")),
            ),
            "averages over N: AQS within 25 %, VQS 40 %, PLR 2 points; for the latter one worse by more",
        ),
        claim("fig4.8a/c1", along_sweep(higher(AQS, "PI", others("PI")))),
        claim(
            "fig4.8b/c1",
            along_sweep(
                every(
                    (VQS(scheme="PI") <= VQS(scheme="PSAND") * 1.4)(flows=at_least(28)),
                    higher(VQS, "PI", "PSAND")(flows=FEW),
                )
            ),
        ),
        claim(
            "fig4.8c/c1",
            along_sweep(
                every(lower(PLR, "PI", others("PI"))(flows=FEW), lower(PLR, "PSAND", others("PSAND"))(flows=MANY))
            ),
        ),
        claim(
            "fig4.8a/c2",
            along_sweep(
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
        claim(
            "fig4.8b/c2",
            along_sweep(
                every(
                    higher(VQS, "AVQ", "PSAND"),
                    higher(VQS, "AVQ*", "PSAND")(flows=NOT_MANY),
                    lower(VQS, "AVQ*", others("AVQ*"))(flows=MANY),
                )
            ),
        ),
        claim(
            "fig4.8c/c2",
            along_sweep(
                every(
                    lower(PLR, "PSAND", AVQS),
                    higher(PLR, "AVQ*", "AVQ")(flows=MANY),
                    lower(LU, "AVQ*", "AVQ")(flows=MANY),
                )
            ),
        ),
        claim(
            "fig4.8b/c3",
            every(better("VQS", "LRED", ["BLUE", "AVQ"]), better("VQS", others("BLUE", "AVQ", "LRED"), "LRED")),
        ),
        claim(
            "fig4.8b/c4",
            along_sweep(
                every(
                    higher(VQS, "LRED*", "PSAND")(flows=at_most(53)), lower(VQS, "LRED*", "PSAND")(flows=at_least(93))
                )
            ),
        ),
        claim(
            "fig4.8a/c3",
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
    claim(
        "fig4.9b/c1", along_sweep(PI_BUSIEST), others={"from 8 flows on": along_sweep(PI_BUSIEST(flows=at_least(8)))}
    ),
    claim("fig4.9a/c1", along_sweep(abs(F(scheme=others("PSAND")) / F(scheme="PSAND") - 1) <= 0.1)),
    claim("fig4.8-9/c2", along_sweep(every(higher(PLR, LREDS, "PSAND"), lower(LU, LREDS, "PSAND")))),
    study=controllers.study("diff"),
    draw=controllers.draw("diff", "F", "LU", "empty"),
)


fig4_10 = Exhibit(
    "Figure 4.10: runs of losses of a flow, unequal round trips (Section 4.6.2)",
    claim("fig4.10a/c1", along_sweep(higher(LRL1, "PSAND", others("PSAND")))),
    claim(
        "fig4.10c/c1",
        every(
            along_sweep(lower(LONG_RUNS, "PSAND", others("PSAND"))),
            better("LRL>2", others("AVQ", "PI", "PSAND"), ["AVQ", "PI"]),
        ),
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
    claim(
        "ch4/c1",
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
    claim("ch4/c2", along_sweep(higher(LRL1, "PSAND", OTHERS))),
    claim(
        "concl/c3",
        every(
            *(some(every(*(at_each(name, "PSAND", OTHERS) for name in METRICS)), "metric")(**on) for on in (SAME, DIFF))
        ),
        "PSAND better than each other one by at least one metric at every N",
        must_hold=True,
    ),
    claim(
        "concl/c4",
        every(
            every(*(higher(q, "LRED", "PSAND") for q in (VQS, EMPTY)), lower(LU, "LRED", "PSAND"))(flows=3),
            *((q(scheme="PSAND") <= q(scheme="LRED") * 1.4)(flows=MANY) for q in (AQS, VQS)),
        )(**SAME),
        "3 flows: VQS, P(X=0) of LRED above, LU below; N >= 73: AQS, VQS of PSAND at most 1.4 of LRED's",
    ),
    study=controllers.study("same") + controllers.study("diff"),
)
