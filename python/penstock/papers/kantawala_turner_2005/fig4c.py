"""Figure 4 (c): completion times of bursts, 200 ms over 40 ms, against the buffer, two round trips (Section 5.1)."""

from penstock.papers.kantawala_turner_2005.setup import (
    DRR_BASED,
    LAST,
    NEW,
    SEEN,
    SETTLED,
    TRIPS,
    against_buffer,
    panel,
    ratio,
)
from penstock.reproduce.figure import Claim, above, every, needing, within

study = against_buffer(TRIPS, "short")

c09 = Claim(
    "c09",
    "with DTDRR and DSDRR bursts of both kinds take about as long in buffers of more than 1000",
    ratio(scheme=NEW).between(1.0, 1.3),
)
WORST = "Blue is worst: bursts over 200 ms take three times as long, even with 5000 packets"
beside = ratio / ratio(scheme="QSDRR")
c11 = Claim(
    "c11",
    "their ratio is 10 to 20 % worse than QSDRR's in small buffers, and the same with 5000",
    every((beside <= 1.2)(buffer=within(100, 400)), beside.between(0.95, 1.05)(buffer=LAST)),
)

CLAIMS = needing(
    SETTLED,
    c09(buffer=above(1000)),
    c11(scheme=NEW),
    Claim(
        "c10",
        WORST,
        every(
            ratio(scheme="Blue", buffer=LAST).reads(3, 2.4, 3.4),
            (ratio(scheme="Blue") > ratio(scheme=[*DRR_BASED, "RED", "Tail-Drop"]))(buffer=SEEN),
        ),
    ),
)

draw = panel("ratio", "time, 200 ms / 40 ms")
