"""Figure 12: the average queue, Reno and gentle WRED (Section 3.4)."""

from functools import partial

from penstock.papers.bodin_schelen_2001 import setup
from penstock.papers.bodin_schelen_2001.setup import HALF, average, da, dfq
from penstock.reproduce.figure import Claim

SETTING = "Reno, gentle"
study = setup.sweep(SETTING)
measure = setup.with_course

CLAIMS = (
    Claim(
        "c17",
        "in the long run the average is longer with DA",
        (da(average) > dfq(average))(setting=SETTING, x=HALF),
        must_hold=True,
    ),
)

draw = partial(setup.draw_course, SETTING)
