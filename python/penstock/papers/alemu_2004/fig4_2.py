"""Figure 4.2: the queue over time under six schemes with 103 flows (Section 4.5)."""

from penstock.papers.alemu_2004 import starts
from penstock.papers.alemu_2004.setup import AQS, EMPTY, KT, VQS
from penstock.papers.alemu_2004.starts import measure, study
from penstock.reproduce.figure import Claim, every, in_cells, metric

__all__ = ["CLAIMS", "draw", "measure", "study"]

QUICK, SLOW = ["REM", "AVQ*", "LRED", "PSAND"], ["BLUE", "PI"]
OTHERS = [scheme for scheme in starts.SCHEMES if scheme != "AVQ*"]

LEFT = metric("left", "s", "time until the queue is below 25 packets")(part="course")
END = {"part": "end"}
"""The last 20 s."""

draw = starts.draw(starts.SIX)
CLAIMS = in_cells(
    {"part": "all"},
    Claim(
        "fig4.2a/c1",
        "BLUE's queue is full until about 60 s",
        LEFT(scheme="BLUE").reads(60, 30, 120),
        "mean over 1 s below 25 packets first at 30 to 120 s",
        must_hold=True,
    ),
    Claim(
        "fig4.2d/c1",
        "PI's queue is full for more than 60 s, longer than BLUE's",
        every(LEFT(scheme="PI") > 60, LEFT(scheme="PI") > LEFT(scheme="BLUE")),
        "below 25 packets first after 60 s, and after BLUE's",
    ),
    Claim(
        "fig4.2/c1",
        "then BLUE and PI swing more than the others",
        VQS(scheme=SLOW, **END) > VQS(scheme=QUICK, **END),
        "variance of X on [80, 100] s above REM, AVQ*, LRED, PSAND",
    ),
    Claim(
        "fig4.2/c2",
        "REM, AVQ*, LRED and PSAND shorten the queue within about 10 s",
        LEFT(scheme=QUICK) < 20,
        "below 25 packets first before 20 s",
        must_hold=True,
    ),
    Claim(
        "fig4.2/c3",
        "the quick ones are empty more often than PI and BLUE",
        EMPTY(scheme=QUICK) > EMPTY(scheme=SLOW),
        "P(X=0) of REM, AVQ*, LRED, PSAND > PI, BLUE",
    ),
    Claim(
        "fig4.2c/c1",
        "AVQ* swings least and has a short queue, but is empty more often",
        every(
            VQS(scheme="AVQ*") < VQS(scheme=OTHERS),
            AQS(scheme="AVQ*") < KT,
            EMPTY(scheme="AVQ*") > EMPTY(scheme=OTHERS),
        ),
        "VQS least, AQS < 10, P(X=0) largest",
    ),
    Claim(
        "fig4.2b/c1",
        "REM is often empty, with a longer and less steady queue than AVQ*",
        every(EMPTY(scheme="REM") >= 5, *(q(scheme="REM") > q(scheme="AVQ*") for q in (AQS, VQS))),
        "P(X=0) >= 5 %, AQS and VQS above AVQ*'s",
    ),
    Claim("fig4.2e/c1", "LRED swings about 10 packets", AQS(scheme="LRED").reads(KT, share=0.25), "AQS 10 +- 25 %"),
    Claim(
        "fig4.2f/c1",
        "LRED* is empty less often than LRED and nearer to 10",
        every(*(q(scheme="LRED*") < q(scheme="LRED") for q in (EMPTY, VQS))),
        "P(X=0) and VQS below LRED's",
    ),
)
