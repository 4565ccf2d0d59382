"""Figure 6: the average queue, Reno and strict WRED (Section 3.2)."""

from functools import partial

from penstock.papers.bodin_schelen_2001 import setup
from penstock.papers.bodin_schelen_2001.setup import HALF, average, da, dfq, time_above, wider
from penstock.reproduce.figure import Claim, every

SETTING = "Reno, strict"
study = setup.sweep(SETTING)
measure = setup.with_course

often_above = every(da(time_above) > 0.05, da(time_above) > dfq(time_above))
c08 = Claim("c08", "the average swings more with DA, and often above max_th", every(wider, often_above))
CLAIMS = (
    c08(setting=SETTING, x=HALF),
    Claim(
        "c09",
        "in the long run the average is the same with both",
        (da(average) / dfq(average)).between(0.85, 1.15)(setting=SETTING, x=HALF),
    ),
)

draw = partial(setup.draw_course, SETTING)
