"""Figure 2.3: 20 flows join three at 50 s (Section 2.4.2.1.1)."""

from penstock.papers.alemu_2004 import traces
from penstock.papers.alemu_2004.setup import AREDS, WAQS, added
from penstock.papers.alemu_2004.traces import ADAPTIVE, WAQS_OFF, measure, recovery
from penstock.reproduce.figure import Claim, every, metric

__all__ = ["CLAIMS", "draw", "measure", "study"]

swing = metric("ratio of sd", says="sd of WAQS on [60, 100] s / [20, 50] s")

study = traces.steps(added, [20])

CLAIMS = (
    Claim(
        "fig2.3/c1",
        "PSAND recovers within 5 s of the step, Floyd's scheme in about 10, Feng's in about 15",
        every(
            recovery(scheme="PSAND") < 5,
            recovery(scheme="Floyd").reads(10, 5, 20),
            recovery(scheme="Feng").reads(15, 7.5, 30),
            recovery(scheme="PSAND") < recovery(scheme="Floyd"),
            recovery(scheme="Floyd") < recovery(scheme="Feng"),
        )(window="all"),
    ),
    Claim(
        "fig2.3/c2",
        "the adaptive schemes end near the target, RED does not",
        every(WAQS(scheme=ADAPTIVE).between(8, 12), WAQS_OFF(scheme="RED") > WAQS_OFF(scheme=ADAPTIVE))(
            window="70-100"
        ),
    ),
    Claim(
        "fig2.3d/c1",
        "PSAND's average swings after the step as before it",
        (abs(swing(scheme="PSAND") - 1) < abs(swing(scheme=AREDS) - 1))(window="all"),
    ),
)

draw = traces.draw(20)
