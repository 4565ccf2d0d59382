"""Figure 7: loss, SACK and strict WRED (Section 3.3)."""

from penstock.reproduce.figure import at_least_share, claims_if_measured

from . import setup
from .setup import WHOLE, claim, loss, loss_out, under_da, under_dfq

SACK, RENO = "SACK, strict", "Reno, strict"
study = setup.strategy_sweep(SACK, RENO)

CLAIMS = claims_if_measured(
    WHOLE,
    claim("c10", (under_dfq(loss)(setting=SACK) / under_dfq(loss)(setting=RENO)).between(0.85, 1.15)),
    claim("c11", at_least_share(0.7, under_da(loss_out)(setting=SACK) > under_da(loss_out)(setting=RENO))),
)

draw = setup.losses(SACK)
