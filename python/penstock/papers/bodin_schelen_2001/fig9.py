"""Figure 9: the average queue, SACK and strict WRED (Section 3.3)."""

from functools import partial

from penstock.papers.bodin_schelen_2001 import setup
from penstock.papers.bodin_schelen_2001.setup import AT_MUCH, HALF, MUCH, WHOLE, da, dfq, swing, time_above
from penstock.reproduce.figure import Claim, every, needing, read_as

SACK, RENO = "SACK, strict", "Reno, strict"
study = setup.sweep(SACK, RENO)
measure = setup.with_course

swings = Claim(
    "c13",
    "with DA the average swings less with SACK than with Reno, still more than with DFQ, often above max_th",
    every(
        da(swing)(setting=SACK) < da(swing)(setting=RENO),
        (da(swing) > dfq(swing))(setting=SACK),
        da(time_above)(setting=SACK) > 0.05,
    ),
)
CLAIMS = (swings(x=HALF), *needing(WHOLE, *read_as(AT_MUCH, [swings], x=MUCH)))

draw = partial(setup.draw_course, SACK)
