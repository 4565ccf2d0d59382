"""Figure 9: the average queue, SACK and strict WRED (Section 3.3)."""

from functools import partial

from penstock.reproduce.figure import every, needing, read_as

from . import setup
from .setup import AT_MUCH, HALF, MUCH, WHOLE, claim, da, dfq, swing, time_above

SACK, RENO = "SACK, strict", "Reno, strict"
study = setup.sweep(SACK, RENO)
measure = setup.with_course

swings = claim(
    "c13",
    every(
        da(swing)(setting=SACK) < da(swing)(setting=RENO),
        (da(swing) > dfq(swing))(setting=SACK),
        da(time_above)(setting=SACK) > 0.05,
    ),
)
CLAIMS = (swings(x=HALF), *needing(WHOLE, *read_as(AT_MUCH, [swings], x=MUCH)))

draw = partial(setup.draw_course, SACK)
