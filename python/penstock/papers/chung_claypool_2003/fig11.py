"""Figure 11: queue and average, RED (Section V)."""

from functools import partial

from penstock.reproduce.figure import claims_if_measured, every, within

from . import step_load
from .setup import claim
from .step_load import WHOLE, below, hits, stable, swing

study = step_load.load_sweep("RED")

begins = every(stable(flows=within(50, 150)), hits(flows=200))
# Section I calls RED well-configured if the average does not significantly oscillate and stays under max_th.
CLAIMS = claims_if_measured(
    WHOLE,
    claim(
        "c13",
        every(begins, below(flows=250) < below(flows=200), below(flows=300) < below(flows=250)),
        others={
            "increasingly unstable: the sd of the average grows": every(
                begins, swing(flows=250) > swing(flows=200), swing(flows=300) > swing(flows=250)
            )
        },
    ),
)

draw = partial(step_load.draw_course, "RED")
