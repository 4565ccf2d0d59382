"""Figure 4 (a): goodput of the long flows of 200 ms against the buffer, two round trips (Section 5.1)."""

from penstock.papers.kantawala_turner_2005.setup import (
    COMPARED,
    DRR_BASED,
    NEW,
    SEEN,
    SETTLED,
    TRIPS,
    against_buffer,
    panel,
    slow,
    used,
)
from penstock.reproduce.figure import Claim, above, at_least, every, needing, within

study = against_buffer(TRIPS, "long", COMPARED.full)

c01 = Claim(
    "c01",
    "with RED and with Blue the flows of 200 ms have about 40 % of their fair share",
    slow(buffer=SEEN).reads(40, 30, 50),
)
c03 = Claim("c03", "with DTDRR and DSDRR and 400 packets they have about 80 %", slow(buffer=400).reads(80, 70, 90))
POOR = "RED and Blue are poor where the buffer is a small part of the bandwidth-delay product"

CLAIMS = (
    *needing(
        SETTLED,
        c01(scheme=["RED", "Blue"]),
        Claim("c02", "with DTDRR and DSDRR they have almost 90 %", slow(scheme=NEW, buffer=at_least(1000)) >= 80),
        c03(scheme=NEW),
        Claim(
            "c05",
            "QSDRR is better with 200 packets; beyond, DTDRR and DSDRR match it",
            every(
                (slow(scheme="QSDRR") > slow(scheme=NEW))(buffer=200),
                (slow(scheme="QSDRR") - slow(scheme=NEW)).between(-7, 7)(buffer=above(200)),
            ),
        ),
        Claim(
            "c25",
            "DTDRR is below QSDRR with 200 to 400 packets and as good with 1000 and more",
            every(
                (slow(scheme="DTDRR") < slow(scheme="QSDRR"))(buffer=within(200, 400)),
                (slow(scheme="DTDRR") - slow(scheme="QSDRR") >= -7)(buffer=at_least(1000)),
            ),
        ),
        Claim("c33", POOR, (used(scheme=DRR_BASED) - used(scheme=["RED", "Blue"]) >= 5)(buffer=200)),
    ),
    Claim(
        "c04",
        "with DTDRR and DSDRR and 100 packets, one for each flow, they have about 40 %",
        slow(scheme=NEW, buffer=100).reads(40, 30, 55),
    ),
)

draw = panel("g_slow", "goodput, 200 ms (%)")
