"""Figure 3 (e): standard deviation of the queueing delay by the number of flows (Section 4)."""

from penstock.papers.brandauer_2001.setup import RED, SETTING, everlasting, panel, sd
from penstock.reproduce.figure import Claim, every, spread

study = everlasting

tail_drop = sd(scheme="TD")
CLAIMS = (
    Claim(
        "c12",
        "under light load synchronization makes tail-drop's delay vary most; with the load this disappears",
        every(
            (tail_drop > sd(scheme=RED))(flows=16),
            tail_drop.next("flows") < tail_drop,
            tail_drop(flows=256) / tail_drop(flows=16) <= 0.5,
        )(setting=SETTING),
    ),
    Claim(
        "c13",
        "the deviation of the variants of RED varies less with the load than tail-drop's",
        (sd(scheme=RED).along("flows", spread) < tail_drop.along("flows", spread))(setting=SETTING),
    ),
)

draw = panel("sd", "sd of delay (ms)")
