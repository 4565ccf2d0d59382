"""Figure 6: the average queue, Reno and strict WRED (Section 3.2)."""

from functools import partial

from penstock.reproduce.figure import every

from . import setup
from .setup import HALF, average, claim, time_above, under_da, under_dfq, wider

SETTING = "Reno, strict"
study = setup.strategy_sweep(SETTING)
measure = setup.measure_with_course

often_above = every(under_da(time_above) > 0.05, under_da(time_above) > under_dfq(time_above))
c08 = claim("c08", every(wider, often_above))
CLAIMS = (
    c08(setting=SETTING, x=HALF),
    claim("c09", (under_da(average) / under_dfq(average)).between(0.85, 1.15)(setting=SETTING, x=HALF)),
)

draw = partial(setup.draw_course, SETTING)
