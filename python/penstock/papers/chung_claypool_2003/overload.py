"""Overload: the slope of the gentle ramp and the oscillation (Section V, after Figure 12)."""

from penstock.reproduce.figure import CurveFigure

from . import step_load
from .setup import claim
from .step_load import swing

STEEP, FLAT = "gentle RED", "gentle RED, max_p 0.3"
study = step_load.load_sweep(STEEP, FLAT)

CLAIMS = (claim("c27", (swing(queue=FLAT) < swing(queue=STEEP))(flows=250), must_hold=True),)

draw = CurveFigure("flows", "avg_sd", "queue", labels=("flows", "sd of the average queue (packets)"))
