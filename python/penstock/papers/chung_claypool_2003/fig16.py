"""Figure 16: queue and average, Adaptive RED with marks (Section V)."""

from functools import partial

from penstock.reproduce.figure import at_least, every, within

from . import step_load
from .setup import claim
from .step_load import SWING, below, inside, swing

study = step_load.load_sweep("A-RED-ECN", "A-RED", "RED")

BOTH = ["A-RED", "A-RED-ECN"]
steadier = swing(queue="A-RED-ECN") < swing(queue="A-RED")
CLAIMS = (
    claim(
        "c18",
        every(
            (inside(queue=BOTH) >= 0.99)(flows=within(50, 300)),
            (swing(queue=BOTH) <= SWING)(flows=within(50, 300)),
            (below(queue=BOTH) > below(queue="RED"))(flows=within(200, 300)),
        ),
        others={
            "stable: the sd of the average is smaller than with RED": (swing(queue=BOTH) < swing(queue="RED"))(
                flows=within(200, 300)
            )
        },
    ),
    claim(
        "c24",
        steadier(flows=at_least(200)),
        others={"loads are high from 250 flows on, as for c21": steadier(flows=at_least(250))},
    ),
)

draw = partial(step_load.draw_course, "A-RED-ECN")
