"""Figure 12: queue and average, gentle RED (Section V)."""

from functools import partial

from penstock.reproduce.figure import at_least, every

from . import step_load
from .setup import claim
from .step_load import loss, swing

study = step_load.load_sweep("gentle RED", "RED")

CLAIMS = (
    claim(
        "c17",
        every(swing(queue="gentle RED") / swing(queue="RED") >= 0.8, loss(queue="gentle RED") < loss(queue="RED"))(
            flows=at_least(250)
        ),
        must_hold=True,
    ),
)

draw = partial(step_load.draw_course, "gentle RED")
