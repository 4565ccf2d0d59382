"""Figure 5 (b): goodput of the long cross traffic at the first router, three hops (Section 5.2)."""

from penstock.papers.kantawala_turner_2005.setup import (
    FROM_400,
    HOPS,
    LAST,
    NEW,
    SEEN,
    SETTLED,
    against_buffer,
    fast,
    panel,
    slow,
    used,
)
from penstock.reproduce.figure import Claim, Readings, every, needing

study = against_buffer(HOPS, "long")

AT = Readings({SEEN: "", LAST: "at B = 5000"})

slack = Claim(
    "c18", "with DTDRR and DSDRR the cross traffic takes up the slack", fast(scheme=NEW).reads(117.5, 110, 125)
)
one_queue = Claim(
    "c19",
    "with RED and tail-drop it has 150 %, and 5 % of the link are unused",
    every(fast.reads(150, 140, 160), used.reads(95, 93, 97))(scheme=["RED", "Tail-Drop"]),
)
blue = Claim(
    "c20",
    "with Blue it has 120 to 140 %, and 20 to 30 % of the link are unused",
    every(fast.reads(130, 120, 140), used.reads(75, 70, 80)),
)

CLAIMS = needing(
    SETTLED,
    slack(buffer=FROM_400),
    one_queue(buffer=AT),
    blue(scheme="Blue", buffer=AT),
    Claim(
        "c21",
        "utilization is the mean of the goodput of both halves of the flows",
        (used - (slow + fast) / 2).between(-2, 2)(buffer=SEEN),
    ),
)

draw = panel("g_fast", "goodput, cross (%)")
