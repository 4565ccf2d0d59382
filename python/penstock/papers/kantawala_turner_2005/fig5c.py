"""Figure 5 (c): completion times of bursts, end-to-end over cross traffic, three hops (Section 5.2)."""

from penstock.reproduce.figure import claims_if_measured, every

from .setup import HOPS, LAST, NEW, ONE_QUEUE, SEEN, SETTLED, buffer_figure, buffer_study, claim, ratio

study = buffer_study(HOPS, "short")

SMALLEST_FACTOR = 3.5 / 2
"""The smallest printed ratio of the other schemes over DTDRR's with 5000 packets; the text says "a factor of two"."""

as_qsdrr = (ratio(scheme="DTDRR") / ratio(scheme="QSDRR")).between(0.9, 1.1)
twice_as_good = ratio(scheme="DTDRR") / ratio(scheme=ONE_QUEUE) <= 1 / SMALLEST_FACTOR
near_two = claim(
    "c23",
    every(ratio(scheme=NEW).matches_printed(2, 1.6, 2.4), ratio(scheme=ONE_QUEUE).matches_printed(3.75, 3.0, 4.5))(
        buffer=LAST
    ),
)

CLAIMS = claims_if_measured(
    SETTLED,
    claim(
        "c22", every(as_qsdrr, twice_as_good, ratio(scheme="DSDRR") / ratio(scheme=ONE_QUEUE) <= 1 / 1.5)(buffer=SEEN)
    ),
    near_two,
)

draw = buffer_figure("ratio", "time, three hops / cross")
