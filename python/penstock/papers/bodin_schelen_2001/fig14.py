"""Figure 14: throughput, SACK and gentle WRED (Section 3.5)."""

from penstock.papers.bodin_schelen_2001 import setup
from penstock.papers.bodin_schelen_2001.setup import WHOLE, da, dfq, throughput
from penstock.reproduce.figure import Claim, needing

SETTING = "SACK, gentle"
study = setup.sweep(SETTING)

CLAIMS = needing(
    WHOLE,
    Claim(
        "c20",
        "both strategies have the same throughput",
        (da(throughput) / dfq(throughput)).between(0.99, 1.01)(setting=SETTING),
    ),
)

draw = setup.panel("goodput", "throughput (Mb/s)", scale=1e-6, setting=SETTING)
