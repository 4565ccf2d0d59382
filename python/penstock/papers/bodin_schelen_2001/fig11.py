"""Figure 11: throughput, Reno and gentle WRED (Section 3.4)."""

from penstock.papers.bodin_schelen_2001 import setup
from penstock.papers.bodin_schelen_2001.setup import WHOLE, lack
from penstock.reproduce.figure import Claim, every, needing

SETTING, STRICT = "Reno, gentle", ["Reno, strict", "SACK, strict"]
study = setup.sweep(SETTING, *STRICT)

CLAIMS = needing(
    WHOLE,
    Claim(
        "c15",
        "DA still has the lower throughput, by less than with strict WRED",
        every(lack(setting=SETTING) > 0, lack(setting=SETTING) < lack(setting=STRICT)),
        "throughput, mean over the sweep: 0 < DFQ - DA, smaller than with strict WRED, Reno and SACK",
    ),
)

draw = setup.panel("goodput", "throughput (Mb/s)", scale=1e-6, setting=SETTING)
