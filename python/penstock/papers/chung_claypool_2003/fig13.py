"""Figure 13: queue and average, Adaptive RED (Section V)."""

from functools import partial

from penstock.reproduce.figure import Claim

from . import step_load
from .step_load import stable

study = step_load.load_sweep("A-RED", "RED")

CLAIMS = (
    Claim(  # the part of c18 that concerns drops
        "c18",
        "A-RED is stable over the whole range",
        stable(queue="A-RED"),
        reading="A-RED alone, and stable as for the others: sd(avg) <= 0.15 max_th, below max_th for 99 % of the time",
    ),
)

draw = partial(step_load.draw_course, "A-RED")
