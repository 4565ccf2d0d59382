"""Figures 2.3 to 2.6 together: what the text says of all steps up (Section 2.4.2.1.1)."""

from penstock.papers.alemu_2004 import traces
from penstock.papers.alemu_2004.judge import falls, rises, swept
from penstock.papers.alemu_2004.setup import AREDS, EMPTY, FULL, LONG, LONGER, OTHERS, VQS, WAQS, added
from penstock.papers.alemu_2004.traces import ADAPTIVE, WAQS_OFF, measure
from penstock.reproduce.figure import Claim, Curves, at_least, every

__all__ = ["CLAIMS", "draw", "measure", "study"]

LARGE = at_least(50)

study = traces.steps(added, [20, 50, 70, 100], traced=False)

CLAIMS = (
    Claim(
        "fig2.4-6/c1",
        "beyond 20 more flows the adaptive REDs do not come back to the target, and PSAND comes nearer",
        swept(every(WAQS(scheme=AREDS) > 11, WAQS_OFF(scheme=AREDS) > WAQS_OFF(scheme="PSAND")))(
            window="60-100", flows=LARGE
        ),
    ),
    Claim(
        "fig2.4-6/c2",
        "PSAND's level rises with the flows",
        rises(WAQS(scheme="PSAND", window="60-100", flows=LARGE), "flows"),
        must_hold=True,
    ),
    Claim(
        "fig2.3-6/c1",
        "with more flows the queue is empty less often",
        falls(EMPTY(scheme=ADAPTIVE, window="50-100"), "flows"),
    ),
    Claim(
        "fig2.3-6/c2",
        "PSAND's queue is empty less often than the adaptive REDs'",
        swept(EMPTY(scheme="PSAND") < EMPTY(scheme=AREDS))(window="50-100"),
    ),
    Claim(
        "fig2.3-6/c3",
        "PSAND's queue is long least often",
        swept(every(*(q(scheme="PSAND") < q(scheme=OTHERS) for q in (LONG, LONGER))))(window="50-100"),
    ),
    Claim(
        "fig2.3-6/c4",
        "once it has adapted PSAND never fills the buffer; the adaptive REDs often do beyond 20 more flows",
        every(FULL(scheme="PSAND") <= 0, FULL(scheme=AREDS, flows=LARGE) >= 1)(window="60-100"),
    ),
    Claim(
        "fig2.3-6/c4",
        "once they have adapted no scheme fills the buffer often, and PSAND fills it at times, too",
        every(FULL(scheme=ADAPTIVE) < 1, FULL(scheme="PSAND", flows=LARGE) > 0)(window="60-100"),
        reading="how often it is",
    ),
    Claim(
        "fig2.3-6/c5",
        "RED fills the buffer more often than the adaptive REDs",
        swept(FULL(scheme="RED") > FULL(scheme=AREDS))(window="50-100"),
    ),
    Claim(
        "fig2.3-6/c6", "PSAND's queue swings least", swept(VQS(scheme="PSAND") < VQS(scheme=OTHERS))(window="50-100")
    ),
)

draw = Curves("flows", "WAQS", "scheme", where={"window": "60-100"}, labels=("flows that join", "mean WAQS (packets)"))
