"""Losses in a row with 16 to 64 flows (Section 4, described next to figure 3 (d))."""

from penstock.reproduce.figure import below, every, largest, smallest

from .setup import RED, claim, everlasting, flows_figure, in_a_row

study = everlasting

variants = in_a_row(scheme=RED)
CLAIMS = (
    claim(
        "c14",
        every(
            variants.along("scheme", largest) / variants.along("scheme", smallest) <= 1.15,
            in_a_row(scheme="TD") / variants > 1.3,
        )(flows=below(64)),
        "N < 64, mean losses in a row: largest / smallest of RED <= 1.15; TD / each > 1.3",
    ),
)

draw = flows_figure("in_a_row", "mean losses in a row")
