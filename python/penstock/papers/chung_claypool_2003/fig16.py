"""Figure 16: queue and average, Adaptive RED with marks (Section V)."""

from functools import partial

from penstock.papers.chung_claypool_2003 import step_load
from penstock.papers.chung_claypool_2003.step_load import inside, swing
from penstock.reproduce.figure import Claim, at_least, every, within

measure = step_load.course
study = step_load.runs("A-RED-ECN", "A-RED", "RED")

BOTH = ["A-RED", "A-RED-ECN"]
c24 = Claim(
    "c24",
    "at high loads the average of A-RED-ECN is steadier than that of A-RED",
    swing(queue="A-RED-ECN") < swing(queue="A-RED"),
)
CLAIMS = (
    Claim(
        "c18",
        "A-RED and A-RED-ECN are stable over the whole range",
        every(
            inside(queue=BOTH, flows=within(50, 300)) >= 0.99,
            (swing(queue=BOTH) < swing(queue="RED"))(flows=within(200, 300)),
        ),
    ),
    c24(flows=at_least(200)),
)

draw = partial(step_load.draw_course, "A-RED-ECN")
