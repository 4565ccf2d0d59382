"""Figure 3 (c): mean queueing delay by the number of flows (Section 4)."""

from penstock.reproduce.figure import at_least, every, formula, spread

from .setup import (
    RED,
    SETTING,
    STANDARD,
    Design,
    claim,
    delay,
    design,
    everlasting,
    filled,
    mean_queue,
    panel,
    thresholds,
)

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
as_the_buffer = for_each_packet(flows=256) / for_each_packet(flows=16) >= 0.85
CLAIMS = (
    claim(
        "c07",
        every(growing, as_the_buffer)(setting=SETTING),
        "delay larger for each larger N; from N = 16 to 256 by at least 0.85 times the factor of the buffer",
        others={"whether or not in proportion to the buffer": growing(setting=SETTING)},
    ),
    claim(
        "c08",
        every(
            filled(scheme="TD", flows=at_least(64)) >= 0.85,
            place(scheme=RED) <= 1,
            delay(scheme="TD") > delay(scheme=RED),
        )(setting=SETTING),
        "queue(TD) >= 0.85 buffer for N >= 64; queue(RED) <= max_th; delay(TD) > delay(RED), every N",
    ),
    claim(
        "c09",
        every(
            varies(scheme="REDopt") < varies(scheme=STANDARD),
            (mean_queue / ((min_th + max_th) / 2)).between(0.85, 1.15)(scheme="REDopt"),
        )(setting=SETTING),
        "range over N of delay / buffer: REDopt < REDstd, GREDstd; queue within 15 % of (min_th + max_th) / 2",
    ),
    claim(
        "c10",
        (place.next("flows") > place)(scheme=STANDARD, setting=SETTING),
        "mean queue between the thresholds increasing in N",
        must_hold=True,
    ),
)

draw = panel("delay", "queueing delay (ms)")
