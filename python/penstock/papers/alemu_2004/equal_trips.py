"""Figures 4.5 to 4.7 and Table 4.2: the schemes of chapter 4, equal round trips (Section 4.6.1)."""

from __future__ import annotations

from functools import partial

from penstock.reproduce.figure import Claim, Exhibit, Table, above, at_most, by_table, every, gather, mean, metric, some
from penstock.results.sample import Condition, Sample, all_of, most_of

from . import controllers, symbols
from .controllers import AVQS, LREDS, MANY, NOT_MANY, REM, averaged, higher, lower, others
from .judge import rises, swept
from .setup import AQS, CONTROLLERS, EMPTY, LONG_RUNS, LRL1, LU, PLR, VQS, F

fig4_5 = Exhibit(
    "Figure 4.5: mean and variance of the queue and losses, equal round trips (Section 4.6.1)",
    Claim(
        "fig4.5/c1",
        "PSAND is better than BLUE and PI",
        swept(every(*(lower(q, "PSAND", ["BLUE", "PI"]) for q in (AQS, VQS)))),
        "AQS and VQS below for every N (Table 4.2 contradicts the other metrics of the text)",
    ),
    Claim(
        "fig4.5a/c1",
        "REM's queue is shorter than PSAND's, about the same for all N and far below 10",
        swept(
            every(lower(AQS, REM, "PSAND"), (abs(AQS / averaged(AQS) - 1) <= 0.25)(scheme=REM), AQS(scheme=REM) < 7.5)
        ),
        "every N: AQS < PSAND's, within 25 % of its mean over N and < 7.5",
    ),
    Claim("fig4.5a/c2", "PSAND's queue grows slowly with N", rises(AQS(scheme="PSAND"), "flows"), must_hold=True),
    Claim("fig4.5b/c1", "REM's queue varies more than PSAND's", swept(higher(VQS, REM, "PSAND"))),
    Claim("fig4.5c/c1", "REM loses more than PSAND", swept(higher(PLR, REM, "PSAND"))),
    Claim("fig4.5a/c3", "AVQ* has the shortest queue", swept(lower(AQS, "AVQ*", others("AVQ*")))),
    Claim("fig4.5b/c2", "AVQ* has the steadiest queue", swept(lower(VQS, "AVQ*", others("AVQ*")))),
    Claim(
        "fig4.5c/c2",
        "AVQ or AVQ* loses least, and AVQ less than AVQ* at high load",
        swept(
            every(
                some(every(*(gather(all_of, lower(PLR, s, others(*AVQS)), "scheme") for s in AVQS)), "scheme"),
                lower(PLR, "AVQ", "AVQ*")(flows=MANY),
            )
        ),
        "every N: PLR of one below the six others; N >= 73: PLR(AVQ) < PLR(AVQ*)",
    ),
    Claim(
        "fig4.5/c2",
        "at high load AVQ* has a shorter and steadier queue than AVQ, and loses more",
        every(*(lower(q, "AVQ*", "AVQ") for q in (AQS, VQS)), higher(PLR, "AVQ*", "AVQ"))(flows=MANY),
    ),
    Claim(
        "fig4.5/c3",
        "AVQ and AVQ* are better than PSAND but for AVQ's variance at high load",
        swept(
            every(
                *(lower(q, AVQS, "PSAND") for q in (AQS, PLR)),
                lower(VQS, "AVQ*", "PSAND"),
                lower(VQS, "AVQ", "PSAND")(flows=NOT_MANY),
                higher(VQS, "AVQ", "PSAND")(flows=MANY),
            )
        ),
    ),
    Claim(
        "fig4.5a/c4",
        "the queue of LRED and LRED* is about 10 for all N, PSAND's is shorter",
        swept(every(AQS(scheme=LREDS).reads(10, share=0.25), lower(AQS, "PSAND", LREDS))),
    ),
    Claim(
        "fig4.5b/c3",
        "LRED's queue varies as PSAND's, more with few flows; that of LRED* less than both",
        swept(
            every(
                (VQS(scheme="LRED") / VQS(scheme="PSAND")).reads(1, share=0.4)(flows=above(13)),
                higher(VQS, "LRED", "PSAND")(flows=at_most(13)),
                lower(VQS, "LRED*", ["LRED", "PSAND"]),
                PLR(scheme="LRED*") - PLR(scheme="PSAND") <= 2,
            )
        ),
        "VQS(LRED) within 40 % of PSAND's, above for N <= 13; LRED* below both, PLR at most 2 points above",
    ),
    study=controllers.study("same"),
    draw=controllers.draw("same", "AQS", "VQS", "PLR"),
)


OTHERS = others(*AVQS)
fig4_6 = Exhibit(
    "Figure 4.6: fairness, utilization and empty queues, equal round trips (Section 4.6.1)",
    Claim(
        "fig4.6/c1",
        "PSAND uses more of the link than REM and is fairer",
        swept(every(*(higher(q, "PSAND", REM) for q in (LU, F)))),
        "LU and F above REM's for every N (Table 4.2 has F equal)",
    ),
    Claim("fig4.6a/c1", "AVQ and AVQ* are least fair", swept(lower(F, AVQS, OTHERS))),
    Claim(
        "fig4.6b/c1",
        "AVQ and AVQ* use the link among the least",
        swept(every(*(gather(partial(most_of, 4 / 6), lower(LU, s, OTHERS), "scheme") for s in AVQS))),
        "LU below four of the six others at least, for every N",
    ),
    Claim("fig4.6c/c1", "the queue of AVQ and AVQ* is empty most often", swept(higher(EMPTY, AVQS, OTHERS))),
    Claim("fig4.6a/c2", "PSAND is slightly fairer than LRED", swept(higher(F, "PSAND", "LRED"))),
    Claim("fig4.6b/c2", "PSAND uses more of the link than LRED", swept(higher(LU, "PSAND", "LRED"))),
    study=controllers.study("same"),
    draw=controllers.draw("same", "F", "LU", "empty"),
)


BUT_PSAND = others("PSAND")
ALIKE = (abs(LRL1 / LRL1.along("scheme", mean) - 1) <= 0.25)(scheme=BUT_PSAND)
fig4_7 = Exhibit(
    "Figure 4.7: runs of losses of a flow, equal round trips (Section 4.6.1)",
    Claim("fig4.7/c1", "REM loses more packets in a row than PSAND", swept(lower(LRL1, REM, "PSAND"))),
    Claim(
        "fig4.7a/c1",
        "PSAND has most single losses, the others are alike",
        swept(every(higher(LRL1, "PSAND", BUT_PSAND), ALIKE)),
        "LRL(1) above the seven others for every N; those within 25 % of their mean",
    ),
    Claim(
        "fig4.7bc/c1",
        "PSAND loses two and three in a row least often",
        swept(every(*(lower(q, "PSAND", BUT_PSAND) for q in (metric("LRL2"), metric("LRL3"), LONG_RUNS)))),
        "LRL(2), LRL(3) and LRL(>2) below the seven others for every N",
    ),
    Claim("fig4.7/c2", "LRED and LRED* lose more in a row than PSAND", swept(lower(LRL1, LREDS, "PSAND"))),
    study=controllers.study("same"),
    draw=controllers.draw("same", "LRL1", "LRL2", "LRL3"),
)


PRINTED = symbols.read("tab4-2")


def _only_psand(_: Table) -> Condition:
    """PSAND's worst printed symbol is ++ or better, that of each other scheme is not."""
    worst = {s: Sample(float(min(symbols.rating(column[s]) for column in PRINTED.values()))) for s in CONTROLLERS}
    return all_of((own >= 2 if scheme == "PSAND" else own < 2).at(scheme) for scheme, own in worst.items())


tab4_2 = Exhibit(
    "Table 4.2: the schemes rated, equal round trips (Section 4.6.1)",
    *symbols.claims("tab4.2", PRINTED),
    Claim(
        "tab4.2/c6",
        "PSAND is the only scheme with at least ++ everywhere",
        by_table(_only_psand, "the least of its printed symbols is ++, that of each other scheme is less"),
        must_hold=True,
    ),
    study=controllers.study("same"),
    draw=partial(symbols.draw, printed=PRINTED),
)
