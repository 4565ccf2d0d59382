"""Losses in a row with 16 to 64 flows (Section 4, described beside figure 3 (d))."""

from penstock.papers.brandauer_2001.setup import RED, SETTING, everlasting, in_a_row, panel
from penstock.reproduce.figure import Claim, below, every, largest, smallest

study = everlasting

variants = in_a_row(scheme=RED)
CLAIMS = (
    Claim(
        "c14",
        "with fewer than 64 flows all variants of RED are equal, and tail-drop is significantly worse",
        every(
            variants.along("scheme", largest) / variants.along("scheme", smallest) <= 1.15,
            in_a_row(scheme="TD") / variants > 1.3,
        )(flows=below(64), setting=SETTING),
        "N < 64, mean losses in a row: largest / smallest of RED <= 1.15; TD / each > 1.3",
    ),
)

draw = panel("in_a_row", "mean losses in a row")
