"""Figure 4.3: the queue over time under PSAND with 103 flows (Section 4.5)."""

from penstock.papers.alemu_2004 import starts
from penstock.papers.alemu_2004.fig4_2 import END, LEFT
from penstock.papers.alemu_2004.setup import AQS, EMPTY, NEAR, OFF, VQS
from penstock.papers.alemu_2004.starts import measure, study
from penstock.reproduce.figure import Claim, Number, every, in_cells

__all__ = ["CLAIMS", "draw", "measure", "study"]


def own(number: Number, **part: str) -> Number:
    """Of PSAND."""
    return number(scheme="PSAND", **part)


SLOW = ["PI", "BLUE"]

draw = starts.draw(["PSAND"])
CLAIMS = in_cells(
    {"part": "all"},
    Claim(
        "fig4.3/c1",
        "PSAND is one of the quick ones",
        own(LEFT) < 20,
        "below 25 packets first before 20 s",
        must_hold=True,
    ),
    Claim(
        "fig4.3/c2",
        "it swings less than PI and BLUE and is empty more often",
        every(own(VQS, **END) < VQS(scheme=SLOW, **END), own(EMPTY) > EMPTY(scheme=SLOW)),
        "VQS on [80, 100] s below, P(X=0) above",
    ),
    Claim(
        "fig4.3/c3",
        "it swings less than REM, with a shorter queue, is empty less often and near 10 more often",
        every(*(own(q) < q(scheme="REM") for q in (VQS, AQS, EMPTY)), own(NEAR) > NEAR(scheme="REM")),
        "VQS, AQS (Figure 4.5(a) says the contrary) and P(X=0) below, P(5<X<=15) above REM's",
    ),
    Claim(
        "fig4.3/c4",
        "AVQ* has the shorter and steadier queue, PSAND is empty less often",
        every(*(q(scheme="AVQ*") < own(q) for q in (AQS, VQS)), own(EMPTY) < EMPTY(scheme="AVQ*")),
        "AQS and VQS of AVQ* below, P(X=0) above PSAND's",
    ),
    Claim(
        "fig4.3/c5",
        "LRED* swings less and is nearer to 10, and is empty more often",
        every(*(q(scheme="LRED*") < own(q) for q in (VQS, OFF)), EMPTY(scheme="LRED*") > own(EMPTY)),
        "VQS and |AQS - 10| of LRED* below, P(X=0) above PSAND's",
    ),
)
