"""Figure 12: the average queue, Reno and gentle WRED (Section 3.4)."""

from functools import partial

from . import setup
from .setup import HALF, average, claim, under_da, under_dfq

SETTING = "Reno, gentle"
study = setup.strategy_sweep(SETTING)
measure = setup.measure_with_course

CLAIMS = (claim("c17", (under_da(average) > under_dfq(average))(setting=SETTING, x=HALF), must_hold=True),)

draw = partial(setup.draw_course, SETTING)
