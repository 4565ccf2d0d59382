"""Figure 4.8: mean and variance of the queue and losses, unequal round trips (Section 4.6.2)."""

from penstock.papers.alemu_2004 import controllers
from penstock.papers.alemu_2004.controllers import AVQS, MANY, NOT_MANY, averaged, better, higher, lower, others
from penstock.papers.alemu_2004.judge import swept
from penstock.papers.alemu_2004.setup import AQS, LU, PLR, VQS
from penstock.reproduce.figure import Claim, Number, at_least, at_most, every, in_cells, some

study = controllers.study("diff") + controllers.study("same")
draw = controllers.draw("diff", "AQS", "VQS", "PLR")

FEW = at_most(13)


def _same(number: Number) -> Number:
    """The average over the numbers of flows with equal round trips."""
    return averaged(number(topology="same"))


CHANGE = averaged(PLR) - _same(PLR)
ALIKE = every(
    *((averaged(q) / _same(q)).reads(1, share=share) for q, share in ((AQS, 0.25), (VQS, 0.4))), CHANGE.between(-2, 2)
)
WORSE = every(averaged(AQS) > _same(AQS) * 1.25, averaged(VQS) > _same(VQS) * 1.4, CHANGE > 2)

CLAIMS = in_cells(
    {"topology": "diff"},
    Claim(
        "fig4.8/c1",
        "BLUE, REM and PSAND change little from equal to unequal round trips; PI, AVQ and LRED get much worse",
        every(
            ALIKE(scheme=["BLUE", "REM", "PSAND"]), *(some(WORSE(scheme=scheme)) for scheme in ("PI", "AVQ", "LRED"))
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
                lower(PLR, "PSAND", AVQS), higher(PLR, "AVQ*", "AVQ")(flows=MANY), lower(LU, "AVQ*", "AVQ")(flows=MANY)
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
            every(higher(VQS, "LRED*", "PSAND")(flows=at_most(53)), lower(VQS, "LRED*", "PSAND")(flows=at_least(93)))
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
)
