"""Figure 15: the average queue, SACK and gentle WRED (Section 3.5)."""

from functools import partial

from penstock.papers.bodin_schelen_2001 import setup
from penstock.papers.bodin_schelen_2001.setup import HALF, average, da, dfq, swing
from penstock.reproduce.figure import Claim, every

TCPS = ["Reno", "SACK"]
study = setup.sweep("SACK, gentle", "Reno, gentle", "Reno, strict", "SACK, strict")
measure = setup.with_course

longer = every(*(da(average)(setting=f"{tcp}, gentle") > da(average)(setting=f"{tcp}, strict") for tcp in TCPS))
CLAIMS = (
    Claim(
        "c16",
        "the average swings more with DA than with DFQ",
        (da(swing) > dfq(swing))(setting=["Reno, gentle", "SACK, gentle"], x=HALF),
        must_hold=True,
    ),
    Claim(
        "c18",
        "with SACK the average is about twice as long with DA as with DFQ, where half of the link is in profile",
        (da(average) / dfq(average)).reads(2, 1.6, 2.5)(setting="SACK, gentle", x=HALF),
    ),
    Claim("c22", "gentle WRED makes the queue longer", longer(x=HALF), must_hold=True),
)

draw = partial(setup.draw_course, "SACK, gentle")
