"""Figure 10: loss, Reno and gentle WRED (Section 3.4)."""

from penstock.reproduce.figure import at_least_share, claims_if_measured, every

from . import setup
from .setup import WHOLE, claim, loss, loss_out, under_da, under_dfq

SETTING = "Reno, gentle"
study = setup.strategy_sweep(SETTING)

CLAIMS = claims_if_measured(
    WHOLE,
    claim(
        "c14",
        every(*(at_least_share(0.7, under_dfq(lost) > under_da(lost)) for lost in (loss, loss_out)))(setting=SETTING),
    ),
)

draw = setup.losses(SETTING)
