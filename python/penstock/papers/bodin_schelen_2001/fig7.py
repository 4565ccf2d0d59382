"""Figure 7: loss, SACK and strict WRED (Section 3.3)."""

from penstock.reproduce.figure import at_least_share, claims_if_measured

from . import setup
from .setup import WHOLE, claim, da, dfq, loss, loss_out

SACK, RENO = "SACK, strict", "Reno, strict"
study = setup.sweep(SACK, RENO)

CLAIMS = claims_if_measured(
    WHOLE,
    claim("c10", (dfq(loss)(setting=SACK) / dfq(loss)(setting=RENO)).between(0.85, 1.15)),
    claim("c11", at_least_share(0.7, da(loss_out)(setting=SACK) > da(loss_out)(setting=RENO))),
)

draw = setup.panel("loss_out", "loss out of profile (%)", scale=100, setting=SACK)
