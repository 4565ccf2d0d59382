"""Figure 14: queue and average, RED with marks (Section V)."""

from functools import partial

from penstock.reproduce.figure import at_least, claims_if_measured, every

from . import step_load
from .setup import claim
from .step_load import WHOLE, stable, unstable

study = step_load.load_sweep("RED-ECN")

CLAIMS = claims_if_measured(
    WHOLE, claim("c16", every(stable(flows=100), unstable(flows=at_least(150)))(queue="RED-ECN"))
)

draw = partial(step_load.draw_course, "RED-ECN")
