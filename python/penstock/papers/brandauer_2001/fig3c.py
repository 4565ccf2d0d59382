"""Figure 3 (c): mean queueing delay by the number of flows (Section 4)."""

from penstock.papers.brandauer_2001.setup import (
    RED,
    SETTING,
    STANDARD,
    Design,
    delay,
    design,
    everlasting,
    filled,
    mean_queue,
    panel,
    thresholds,
)
from penstock.reproduce.figure import Claim, at_least, every, formula, judged, mean, spread

study = everlasting


def _design(setting: str, flows: int) -> Design:
    return design(flows, 2 if setting == "testbed" else 1)


buffer = formula(lambda setting, flows: _design(setting, flows).buffer, "the buffer")
min_th = formula(lambda setting, scheme, flows: thresholds(scheme, _design(setting, flows))[0], "min_th")
max_th = formula(lambda setting, scheme, flows: thresholds(scheme, _design(setting, flows))[1], "max_th")
place = (mean_queue - min_th) / (max_th - min_th)
"""The mean queue between the thresholds, from 0 to 1."""
for_each_packet = delay / buffer
varies = for_each_packet.along("flows", spread)

growing = delay.next("flows") > delay
in_proportion = judged(
    lambda share: share.between(0.85, 1.15),
    for_each_packet / for_each_packet.along("flows", mean),
    text="delay / buffer within 15 % of its mean over the flows",
)
CLAIMS = (
    Claim(
        "c07",
        "the delay of all mechanisms grows with the number of flows, as the buffer does",
        every(growing, in_proportion)(setting=SETTING),
        others={"whether or not in proportion to the buffer": growing(setting=SETTING)},
    ),
    Claim(
        "c08",
        "tail-drop's queue converges to the buffer, RED's stays below max_th, so that its delay is shorter",
        every(
            filled(scheme="TD", flows=at_least(64)) >= 0.85,
            place(scheme=RED) <= 1,
            delay(scheme="TD") > delay(scheme=RED),
        )(setting=SETTING),
        "queue(TD) >= 0.85 buffer for N >= 64; queue(RED) <= max_th; delay(TD) > delay(RED), every N",
    ),
    Claim(
        "c09",
        "REDopt's delay varies least with the load, as its queue stays half-way between the thresholds",
        every(
            varies(scheme="REDopt") < varies(scheme=STANDARD),
            (mean_queue / ((min_th + max_th) / 2)).between(0.85, 1.15)(scheme="REDopt"),
        )(setting=SETTING),
        "range over N of delay / buffer: REDopt < REDstd, GREDstd; queue within 15 % of (min_th + max_th) / 2",
    ),
    Claim(
        "c10",
        "standard RED's queue drifts from min_th towards max_th",
        (place.next("flows") > place)(scheme=STANDARD, setting=SETTING),
        "mean queue between the thresholds increasing in N",
        must_hold=True,
    ),
)

draw = panel("delay", "queueing delay (ms)")
