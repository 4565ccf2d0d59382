"""Figure 10: loss, Reno and gentle WRED (Section 3.4)."""

from penstock.reproduce.figure import at_least_share, claims_if_measured, every

from . import setup
from .setup import WHOLE, claim, da, dfq, loss, loss_out

SETTING = "Reno, gentle"
study = setup.sweep(SETTING)

CLAIMS = claims_if_measured(
    WHOLE,
    claim("c14", every(*(at_least_share(0.7, dfq(lost) > da(lost)) for lost in (loss, loss_out)))(setting=SETTING)),
)

draw = setup.panel("loss_out", "loss out of profile (%)", scale=100, setting=SETTING)
