"""Delay variation and bursts of losses in the four settings (Sections 3.5 and 3.6)."""

from penstock.reproduce.figure import Claim, Number, claims_if_measured, mean, metric

from . import setup
from .setup import AT_MUCH, HALF, MUCH, WHOLE, claim, delay_sd, loss, swing, under_da, under_dfq

study = setup.strategy_sweep(*setup.SETTINGS)

STRICT = ["Reno, strict", "SACK, strict"]
burst_out = metric("burst_out", says="mean consecutive losses out of profile")
burst = metric("burst", says="mean consecutive losses")
loss_run = metric("loss_run", says="mean consecutive losses of a flow")


def _longer(bursts: Number, reading: str = "", x: float = HALF) -> Claim:
    return claim("c24", (under_da(bursts) > under_dfq(bursts))(x=x), reading=reading)


more_lost = (under_da(loss).along("x", mean) > under_dfq(loss).along("x", mean))(setting=STRICT)
"""Over the sweep; the text calls the losses with DA "generally higher" (Section 3.4)."""
CLAIMS = (
    claim("m1", (under_da(swing) > under_dfq(swing))(setting=list(setup.SETTINGS), x=HALF)),
    *claims_if_measured(WHOLE, claim("m2", more_lost)),
    claim("c23", (under_da(delay_sd) > under_dfq(delay_sd))(x=HALF)),
    _longer(burst_out),
    *claims_if_measured(WHOLE, _longer(burst_out, AT_MUCH, MUCH)),
    _longer(burst, "bursts of all packets, which also end with a packet in profile"),
    _longer(loss_run, "bursts of one flow: its losses between two packets that arrived"),
)

draw = setup.sweep_figure("burst_out", "consecutive losses", setting="Reno, gentle")
