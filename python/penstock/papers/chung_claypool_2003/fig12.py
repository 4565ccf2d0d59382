"""Figure 12: queue and average, gentle RED (Section V)."""

from functools import partial

from penstock.papers.chung_claypool_2003 import step_load
from penstock.papers.chung_claypool_2003.step_load import loss, swing
from penstock.reproduce.figure import Claim, at_least, every

measure = step_load.course
study = step_load.runs("gentle RED", "RED")

CLAIMS = (
    Claim(
        "c17",
        "from 250 flows on gentle does not clearly oscillate less than RED, but loses less",
        every(swing(queue="gentle RED") / swing(queue="RED") >= 0.8, loss(queue="gentle RED") < loss(queue="RED"))(
            flows=at_least(250)
        ),
        must_hold=True,
    ),
)

draw = partial(step_load.draw_course, "gentle RED")
