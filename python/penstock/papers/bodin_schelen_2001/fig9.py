"""Figure 9: the average queue, SACK and strict WRED (Section 3.3)."""

from functools import partial

from penstock.reproduce.figure import claims_if_measured, claims_under_reading, every

from . import setup
from .setup import AT_MUCH, HALF, MUCH, WHOLE, claim, swing, time_above, under_da, under_dfq

SACK, RENO = "SACK, strict", "Reno, strict"
study = setup.strategy_sweep(SACK, RENO)
measure = setup.measure_with_course

swings = claim(
    "c13",
    every(
        under_da(swing)(setting=SACK) < under_da(swing)(setting=RENO),
        (under_da(swing) > under_dfq(swing))(setting=SACK),
        under_da(time_above)(setting=SACK) > 0.05,
    ),
)
CLAIMS = (swings(x=HALF), *claims_if_measured(WHOLE, *claims_under_reading(AT_MUCH, [swings], x=MUCH)))

draw = partial(setup.draw_course, SACK)
