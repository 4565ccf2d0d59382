"""Figure 12: the average queue, Reno and gentle WRED (Section 3.4)."""

from functools import partial

from . import setup
from .setup import HALF, average, claim, da, dfq

SETTING = "Reno, gentle"
study = setup.sweep(SETTING)
measure = setup.with_course

CLAIMS = (claim("c17", (da(average) > dfq(average))(setting=SETTING, x=HALF), must_hold=True),)

draw = partial(setup.draw_course, SETTING)
