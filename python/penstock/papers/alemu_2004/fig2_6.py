"""Figure 2.6: 100 flows join three at 50 s (Section 2.4.2.1.1)."""

from penstock.papers.alemu_2004 import traces
from penstock.papers.alemu_2004.setup import WAQS, added
from penstock.papers.alemu_2004.traces import measure
from penstock.reproduce.figure import Claim

__all__ = ["CLAIMS", "draw", "measure", "study"]

study = traces.steps(added, [100])

CLAIMS = (
    Claim(
        "fig2.6d/c1",
        "PSAND's average is about 18 after the step",
        WAQS(scheme="PSAND", window="60-100").reads(18, share=0.25),
    ),
)

draw = traces.draw(100)
