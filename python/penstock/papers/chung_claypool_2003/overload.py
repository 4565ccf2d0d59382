"""Overload: the slope of the gentle ramp and the oscillation (Section V, after Figure 12)."""

from penstock.papers.chung_claypool_2003 import step_load
from penstock.papers.chung_claypool_2003.step_load import swing
from penstock.reproduce.figure import Claim, Curves

STEEP, FLAT = "gentle RED", "gentle RED, max_p 0.3"
measure = step_load.numbers
study = step_load.runs(STEEP, FLAT)

CLAIMS = (
    Claim(
        "c27",
        "under overload the average swings the more the steeper the ramp above max_th",
        (swing(queue=FLAT) < swing(queue=STEEP))(flows=250),
        must_hold=True,
    ),
)

draw = Curves("flows", "avg_sd", "queue", labels=("flows", "sd of the average queue (packets)"))
