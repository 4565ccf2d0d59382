"""Figure 11: queue and average, RED (Section V)."""

from functools import partial

from penstock.papers.chung_claypool_2003 import step_load
from penstock.papers.chung_claypool_2003.step_load import WHOLE, below, stable, swing
from penstock.reproduce.figure import Claim, every, needing, within

measure = step_load.course
study = step_load.runs("RED")

begins = every(stable(flows=within(50, 150)), below(flows=200) < 0.99)
CLAIMS = needing(
    WHOLE,
    Claim(
        "c13",
        "RED is stable up to 150 flows, hits max_th at 200, and becomes increasingly unstable above",
        every(begins, swing(flows=250) > swing(flows=200), swing(flows=300) > swing(flows=250)),
    ),
    Claim(
        "c13",
        "RED is stable up to 150 flows, and from 200 on hits max_th ever more",
        every(begins, below(flows=250) < below(flows=200), below(flows=300) < below(flows=250)),
        reading="unstable: the average meets max_th, whatever its sd",
    ),
)

draw = partial(step_load.draw_course, "RED")
