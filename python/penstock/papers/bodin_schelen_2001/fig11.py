"""Figure 11: throughput, Reno and gentle WRED (Section 3.4)."""

from penstock.reproduce.figure import claims_if_measured, every

from . import setup
from .setup import WHOLE, claim, lack

SETTING, STRICT = "Reno, gentle", ["Reno, strict", "SACK, strict"]
study = setup.strategy_sweep(SETTING, *STRICT)

CLAIMS = claims_if_measured(
    WHOLE,
    claim(
        "c15",
        every(lack(setting=SETTING) > 0, lack(setting=SETTING) < lack(setting=STRICT)),
        "throughput, mean over the sweep: 0 < DFQ - DA, smaller than with strict WRED, Reno and SACK",
    ),
)

draw = setup.sweep_figure("goodput", "throughput (Mb/s)", scale=1e-6, setting=SETTING)
