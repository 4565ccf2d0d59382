"""Figure 14: queue and average, RED with marks (Section V)."""

from functools import partial

from penstock.reproduce.figure import Choice, at_least, every, needing

from . import step_load
from .setup import claim
from .step_load import WHOLE, stable, unstable

# 40 runs, as ten leave open whether the average is below max_th at 150.
study = step_load.runs("RED-ECN", seeds=Choice(5, 40))

c16 = claim("c16", every(stable(flows=100), unstable(flows=at_least(150))))
CLAIMS = needing(WHOLE, c16(queue="RED-ECN"))

draw = partial(step_load.draw_course, "RED-ECN")
