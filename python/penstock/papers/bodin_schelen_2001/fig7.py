"""Figure 7: loss, SACK and strict WRED (Section 3.3)."""

from penstock.papers.bodin_schelen_2001 import setup
from penstock.papers.bodin_schelen_2001.setup import WHOLE, da, dfq, loss, loss_out
from penstock.reproduce.figure import Claim, most, needing

SACK, RENO = "SACK, strict", "Reno, strict"
study = setup.sweep(SACK, RENO)

CLAIMS = needing(
    WHOLE,
    Claim(
        "c10",
        "with DFQ Reno and SACK lose alike",
        (dfq(loss)(setting=SACK) / dfq(loss)(setting=RENO)).between(0.85, 1.15),
    ),
    Claim(
        "c11",
        "with DA SACK loses more of what is out of profile than Reno",
        most(0.7, da(loss_out)(setting=SACK) > da(loss_out)(setting=RENO)),
    ),
)

draw = setup.panel("loss_out", "loss out of profile (%)", scale=100, setting=SACK)
