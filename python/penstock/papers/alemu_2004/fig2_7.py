"""Figure 2.7: 20 flows leave three at 50 s (Section 2.4.2.1.2)."""

from penstock.papers.alemu_2004 import traces
from penstock.papers.alemu_2004.setup import AREDS, EMPTY, OTHERS, VQS, WAQS, removed
from penstock.papers.alemu_2004.traces import ADAPTIVE, measure
from penstock.reproduce.figure import Claim, every, metric

__all__ = ["CLAIMS", "draw", "measure", "study"]

settling = metric("settling", "s", "time to settle within a quarter (2 packets at least) for 3 s")
fall = metric("fall", "packets", "mean WAQS of [45, 50] s less the least of [50, 55] s")
change = WAQS(window="20-50") - WAQS(window="60-100")

study = traces.steps(removed, [20])

CLAIMS = (
    Claim(
        "fig2.7/c1",
        "after the flows have gone PSAND is stable within 3 s, the others in about 5",
        every(settling(scheme="PSAND") < 3, settling(scheme=OTHERS).reads(5, 2.5, 10))(window="all"),
    ),
    Claim("fig2.7/c2", "RED's queue falls most at 50 s", (fall(scheme="RED") > fall(scheme=AREDS))(window="all")),
    Claim(
        "fig2.7/c3",
        "afterwards RED's queue is empty most often, the adaptive REDs' more often than PSAND's",
        every(EMPTY(scheme="RED") > EMPTY(scheme=ADAPTIVE), EMPTY(scheme=AREDS) > EMPTY(scheme="PSAND"))(
            window="50-100"
        ),
    ),
    Claim(
        "fig2.7/c4",
        "PSAND's average changes least, the others' falls much",
        every(abs(change(scheme="PSAND")) < abs(change(scheme=OTHERS)), change(scheme=OTHERS) > 0),
        "|change of mean WAQS| from [20, 50] to [60, 100] s smallest for PSAND; the others' falls",
    ),
    Claim(
        "fig2.7/c5",
        "PSAND's queue swings least afterwards",
        (VQS(scheme="PSAND") < VQS(scheme=OTHERS))(window="60-100"),
    ),
)

draw = traces.draw(20)
