"""Figure 10: loss, Reno and gentle WRED (Section 3.4)."""

from penstock.papers.bodin_schelen_2001 import setup
from penstock.papers.bodin_schelen_2001.setup import WHOLE, da, dfq, loss, loss_out
from penstock.reproduce.figure import Claim, every, most, needing

SETTING = "Reno, gentle"
study = setup.sweep(SETTING)

CLAIMS = needing(
    WHOLE,
    Claim(
        "c14",
        "with gentle WRED it is the other way round: DFQ loses more",
        every(*(most(0.7, dfq(lost) > da(lost)) for lost in (loss, loss_out)))(setting=SETTING),
    ),
)

draw = setup.panel("loss_out", "loss out of profile (%)", scale=100, setting=SETTING)
