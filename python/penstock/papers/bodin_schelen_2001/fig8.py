"""Figure 8: throughput, SACK and strict WRED (Section 3.3)."""

from penstock.papers.bodin_schelen_2001 import setup
from penstock.papers.bodin_schelen_2001.setup import WHOLE, da, dfq, lack, throughput
from penstock.reproduce.figure import Claim, every, most, needing

SACK, RENO = "SACK, strict", "Reno, strict"
study = setup.sweep(SACK, RENO)

CLAIMS = needing(
    WHOLE,
    Claim(
        "c12",
        "also with SACK DA has the lower throughput, though by less than with Reno",
        every(most(0.7, da(throughput) < dfq(throughput))(setting=SACK), lack(setting=SACK) < lack(setting=RENO)),
        "throughput: DA < DFQ at 70 % of the rates in profile or more; mean difference smaller than with Reno",
    ),
)

draw = setup.panel("goodput", "throughput (Mb/s)", scale=1e-6, setting=SACK)
