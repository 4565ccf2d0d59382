"""Figure 15: the average queue, SACK and gentle WRED (Section 3.5)."""

from functools import partial

from penstock.reproduce.figure import every

from . import setup
from .setup import HALF, average, claim, swing, under_da, under_dfq

TCPS = ["Reno", "SACK"]
study = setup.strategy_sweep("SACK, gentle", "Reno, gentle", "Reno, strict", "SACK, strict")
measure = setup.measure_with_course

longer = every(
    *(under_da(average)(setting=f"{tcp}, gentle") > under_da(average)(setting=f"{tcp}, strict") for tcp in TCPS)
)
CLAIMS = (
    claim(
        "c16", (under_da(swing) > under_dfq(swing))(setting=["Reno, gentle", "SACK, gentle"], x=HALF), must_hold=True
    ),
    claim("c18", (under_da(average) / under_dfq(average)).matches_printed(2, 1.6, 2.5)(setting="SACK, gentle", x=HALF)),
    claim("c22", longer(x=HALF), must_hold=True),
)

draw = partial(setup.draw_course, "SACK, gentle")
