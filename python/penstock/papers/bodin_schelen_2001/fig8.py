"""Figure 8: throughput, SACK and strict WRED (Section 3.3)."""

from penstock.reproduce.figure import at_least_share, claims_if_measured, every

from . import setup
from .setup import WHOLE, claim, lack, throughput, under_da, under_dfq

SACK, RENO = "SACK, strict", "Reno, strict"
study = setup.strategy_sweep(SACK, RENO)

CLAIMS = claims_if_measured(
    WHOLE,
    claim(
        "c12",
        every(
            at_least_share(0.7, under_da(throughput) < under_dfq(throughput))(setting=SACK),
            lack(setting=SACK) < lack(setting=RENO),
        ),
        "throughput: DA < DFQ at 70 % of the rates in profile or more; mean difference smaller than with Reno",
    ),
)

draw = setup.sweep_figure("goodput", "throughput (Mb/s)", scale=1e-6, setting=SACK)
