"""Why c13, c16 and c18: the average of strict RED is held at max_th by forced drops; without them it swings."""

from penstock.reproduce.figure import Claim, Curves, every, needing, read_as, within

from . import step_load
from .fig14 import c16
from .step_load import below, swing

READING = "RED without forced drops above max_th (gentle), the one thing that holds its average there"
study = step_load.runs("RED", "gentle RED", "A-RED", "RED-ECN", "gentle RED-ECN", "A-RED-ECN")

CLAIMS = needing(
    {"flows": 150},
    Claim(
        "c18",
        "A-RED and A-RED-ECN are stable over the whole range, RED is not",
        every(
            swing(queue="A-RED") < swing(queue="gentle RED"), swing(queue="A-RED-ECN") < swing(queue="gentle RED-ECN")
        )(flows=within(200, 300)),
        reading=READING,
    ),
    Claim(
        "c13",
        "RED hits max_th at 200 flows and swings more and more above",
        every(below(flows=200) < 0.99, swing(flows=[250, 300]) > swing(flows=150))(queue="gentle RED"),
        reading=READING,
    ),
    *read_as(READING, [c16], queue="gentle RED-ECN"),
)

draw = Curves("flows", "avg_sd", "queue", labels=("flows", "sd of the average queue (packets)"))
