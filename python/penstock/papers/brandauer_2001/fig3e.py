"""Figure 3 (e): standard deviation of the queueing delay by the number of flows (Section 4)."""

from penstock.reproduce.figure import every, spread

from .setup import RED, claim, everlasting, flows_figure, sd

study = everlasting

tail_drop = sd(scheme="TD")
CLAIMS = (
    claim(
        "c12",
        every(
            (tail_drop > sd(scheme=RED))(flows=16),
            tail_drop.at_next_value("flows") < tail_drop,
            tail_drop(flows=256) / tail_drop(flows=16) <= 0.5,
        ),
    ),
    claim("c13", sd(scheme=RED).along("flows", spread) < tail_drop.along("flows", spread)),
)

draw = flows_figure("sd", "sd of delay (ms)")
