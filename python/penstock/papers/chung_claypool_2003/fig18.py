"""Figure 18: the loss rate at the router (Section V)."""

from penstock.reproduce.figure import CurveFigure, at_least, every, within

from . import step_load
from .setup import claim
from .step_load import DROPPING, LIMIT, MARKING, loss, queue_length

MANY = at_least(250)  # "many TCP sources"; the text calls 250 and more flows a high overload
study = step_load.load_sweep("drop-tail", *DROPPING, *MARKING)

CLAIMS = (
    claim("c20", loss(queue=DROPPING) > loss(queue="drop-tail"), must_hold=True),
    claim(
        "c21",
        every(
            (queue_length(queue="drop-tail") >= 0.85 * LIMIT)(flows=MANY),
            (queue_length(queue=[*DROPPING, *MARKING]) < queue_length(queue="drop-tail"))(flows=at_least(100)),
        ),
    ),
    claim(  # by the law up to 100 and 300 flows intersect the control function below max_th
        "c22",
        every(
            loss(queue=["RED-ECN", "gentle RED-ECN"], flows=within(50, 100)) <= 0.001,
            loss(queue="A-RED-ECN", flows=within(50, 300)) <= 0.001,
        ),
        must_hold=True,
    ),
    claim(
        "m1",
        every(
            loss(queue="A-RED-ECN") < loss(queue="drop-tail"),
            queue_length(queue="A-RED-ECN") < queue_length(queue="drop-tail"),
        ),
    ),
    claim("c23", loss(queue="A-RED-ECN") <= 0.005, must_hold=True),
    claim("c26", (loss(queue="gentle RED") < loss(queue="RED"))(flows=at_least(250)), must_hold=True),
)

draw = CurveFigure("flows", "loss", "queue", labels=("flows", "loss rate"))
