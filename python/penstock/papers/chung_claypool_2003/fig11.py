"""Figure 11: queue and average, RED (Section V)."""

from functools import partial

from penstock.reproduce.figure import Claim, every, needing, within

from . import step_load
from .setup import claim
from .step_load import WHOLE, below, stable, swing

study = step_load.runs("RED")

begins = every(stable(flows=within(50, 150)), below(flows=200) < 0.99)
CLAIMS = needing(
    WHOLE,
    claim("c13", every(begins, swing(flows=250) > swing(flows=200), swing(flows=300) > swing(flows=250))),
    Claim(
        "c13",
        "RED is stable up to 150 flows, and from 200 on hits max_th ever more",
        every(begins, below(flows=250) < below(flows=200), below(flows=300) < below(flows=250)),
        reading="unstable: the average meets max_th, whatever its sd",
    ),
)

draw = partial(step_load.draw_course, "RED")
