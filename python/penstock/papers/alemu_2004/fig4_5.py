"""Figure 4.5: mean and variance of the queue and losses, equal round trips (Section 4.6.1)."""

from penstock.papers.alemu_2004 import controllers
from penstock.papers.alemu_2004.controllers import AVQS, LREDS, MANY, NOT_MANY, REM, averaged, higher, lower, others
from penstock.papers.alemu_2004.judge import rises, swept
from penstock.papers.alemu_2004.setup import AQS, PLR, VQS
from penstock.reproduce.figure import Claim, above, at_most, every, gather, some
from penstock.results.sample import all_of

study = controllers.study("same")
draw = controllers.draw("same", "AQS", "VQS", "PLR")

CLAIMS = (
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
)
