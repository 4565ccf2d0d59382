"""Figure 8: throughput, SACK and strict WRED (Section 3.3)."""

from penstock.reproduce.figure import at_least_share, claims_if_measured, every

from . import setup
from .setup import WHOLE, claim, da, dfq, lack, throughput

SACK, RENO = "SACK, strict", "Reno, strict"
study = setup.sweep(SACK, RENO)

CLAIMS = claims_if_measured(
    WHOLE,
    claim(
        "c12",
        every(
            at_least_share(0.7, da(throughput) < dfq(throughput))(setting=SACK), lack(setting=SACK) < lack(setting=RENO)
        ),
        "throughput: DA < DFQ at 70 % of the rates in profile or more; mean difference smaller than with Reno",
    ),
)

draw = setup.panel("goodput", "throughput (Mb/s)", scale=1e-6, setting=SACK)
