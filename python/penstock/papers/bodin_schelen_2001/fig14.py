"""Figure 14: throughput, SACK and gentle WRED (Section 3.5)."""

from penstock.reproduce.figure import claims_if_measured

from . import setup
from .setup import WHOLE, claim, throughput, under_da, under_dfq

SETTING = "SACK, gentle"
study = setup.strategy_sweep(SETTING)

CLAIMS = claims_if_measured(
    WHOLE,
    claim("c20", (under_da(throughput) / under_dfq(throughput)).between(0.99, 1.01)(setting=SETTING)),
)

draw = setup.sweep_figure("goodput", "throughput (Mb/s)", scale=1e-6, setting=SETTING)
