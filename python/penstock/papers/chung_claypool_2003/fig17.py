"""Figure 17: the link's utilization (Section V)."""

from penstock.reproduce.figure import CurveFigure

from . import step_load
from .setup import claim
from .step_load import DROPPING, MARKING, used

study = step_load.load_sweep("drop-tail", *DROPPING, *MARKING)

CLAIMS = (claim("c19", used >= 0.999, must_hold=True),)

draw = CurveFigure("flows", "utilization", "queue", labels=("flows", "utilization"), limits=(0, 1.03))
