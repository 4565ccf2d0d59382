"""Figure 3 (c): mean queueing delay by the number of flows (Section 4)."""

from penstock.reproduce.figure import at_least, every, formula, spread

from .setup import (
    RED,
    STANDARD,
    claim,
    delay,
    everlasting,
    filled,
    flows_figure,
    mean_queue,
    redopt_in_packets,
    thresholds,
)

study = everlasting

buffer = formula(lambda flows: redopt_in_packets(flows).buffer, "the buffer")
min_th = formula(lambda scheme, flows: thresholds(scheme, redopt_in_packets(flows))[0], "min_th")
max_th = formula(lambda scheme, flows: thresholds(scheme, redopt_in_packets(flows))[1], "max_th")
place = (mean_queue - min_th) / (max_th - min_th)
"""The mean queue between the thresholds, from 0 to 1."""
varies = (delay / buffer).along("flows", spread)

CLAIMS = (
    claim("c07", delay.at_next_value("flows") > delay),
    claim(
        "c08",
        every(
            filled(scheme="TD", flows=at_least(64)) >= 0.85,
            place(scheme=RED) <= 1,
            delay(scheme="TD") > delay(scheme=RED),
        ),
        "queue(TD) >= 0.85 buffer for N >= 64; queue(RED) <= max_th; delay(TD) > delay(RED), every N",
    ),
    claim(
        "c09",
        every(varies(scheme="REDopt") < varies(scheme=STANDARD), place.between(0.25, 0.75)(scheme="REDopt")),
        "range over N of delay / buffer: REDopt < REDstd, GREDstd; queue nearer to the middle than to a threshold",
    ),
    claim(
        "c10",
        (place.at_next_value("flows") > place)(scheme=STANDARD),
        "mean queue between the thresholds increasing in N",
        must_hold=True,
    ),
)

draw = flows_figure("delay", "queueing delay (ms)")
