"""Figure 18: the loss rate at the router (Section V)."""

from penstock.papers.chung_claypool_2003 import step_load
from penstock.papers.chung_claypool_2003.step_load import DROPPING, LIMIT, MARKING, loss, queue_length
from penstock.reproduce.figure import Claim, Curves, at_least, every, within

measure = step_load.numbers
study = step_load.runs("drop-tail", *DROPPING, *MARKING)

CLAIMS = (
    Claim(
        "c20",
        "the schemes that drop lose more than drop-tail",
        loss(queue=DROPPING) > loss(queue="drop-tail"),
        must_hold=True,
    ),
    Claim(
        "c21",
        "the queue of drop-tail is near the buffer's size, those of the family are shorter",
        every(
            queue_length(queue="drop-tail") >= 0.85 * LIMIT,
            queue_length(queue=[*DROPPING, *MARKING]) < queue_length(queue="drop-tail"),
        )(flows=at_least(100)),
    ),
    Claim(  # the law lets up to 100 and 300 flows meet the control function below max_th
        "c22",
        "schemes that mark lose nothing where they are well-configured",
        every(
            loss(queue=["RED-ECN", "gentle RED-ECN"], flows=within(50, 100)) <= 0.001,
            loss(queue="A-RED-ECN", flows=within(50, 300)) <= 0.001,
        ),
        must_hold=True,
    ),
    Claim("c23", "A-RED-ECN loses next to nothing at any load", loss(queue="A-RED-ECN") <= 0.005, must_hold=True),
    Claim(
        "c26",
        "from 250 flows on gentle RED loses less than RED",
        (loss(queue="gentle RED") < loss(queue="RED"))(flows=at_least(250)),
        must_hold=True,
    ),
)

draw = Curves("flows", "loss", "queue", labels=("flows", "loss rate"))
