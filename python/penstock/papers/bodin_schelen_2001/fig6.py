"""Figure 6: the average queue, Reno and strict WRED (Section 3.2)."""

from functools import partial

from penstock.reproduce.figure import every

from . import setup
from .setup import HALF, average, claim, da, dfq, time_above, wider

SETTING = "Reno, strict"
study = setup.sweep(SETTING)
measure = setup.with_course

often_above = every(da(time_above) > 0.05, da(time_above) > dfq(time_above))
c08 = claim("c08", every(wider, often_above))
CLAIMS = (
    c08(setting=SETTING, x=HALF),
    claim("c09", (da(average) / dfq(average)).between(0.85, 1.15)(setting=SETTING, x=HALF)),
)

draw = partial(setup.draw_course, SETTING)
