"""Figure 2.4: 50 flows join three at 50 s (Section 2.4.2.1.1)."""

from penstock.papers.alemu_2004 import traces
from penstock.papers.alemu_2004.setup import NEAR, OTHERS, WAQS, added
from penstock.papers.alemu_2004.traces import measure, recovery
from penstock.reproduce.figure import Claim, every, metric, some

__all__ = ["CLAIMS", "draw", "measure", "study"]

period = metric("period", "s", "period of WAQS on [50, 100] s")

study = traces.steps(added, [50])

CLAIMS = (
    Claim(
        "fig2.4/c1",
        "Feng's scheme and RED never come back to the target range",
        every(*(some(every(WAQS < 9, WAQS > 11))(scheme=scheme, window="60-100") for scheme in ("Feng", "RED"))),
        "mean WAQS on [60, 100] s outside 9 to 11",
    ),
    Claim(
        "fig2.4c/c1",
        "Floyd's scheme swings with a period of about 15 s",
        period(scheme="Floyd", window="all").reads(15, 10, 20),
    ),
    Claim(
        "fig2.4d/c1",
        "PSAND is back near the target in less than 10 s, at about 10.7",
        every(recovery(window="all") < 10, WAQS(window="60-100").reads(10.7, share=0.25))(scheme="PSAND"),
    ),
    Claim(
        "fig2.4d/c2",
        "PSAND's queue stays between 5 and 15 packets, the others' do not",
        (NEAR(scheme="PSAND") > NEAR(scheme=OTHERS))(window="60-100"),
    ),
)

draw = traces.draw(50)
