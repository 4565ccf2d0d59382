"""Figure 5 (a): goodput of the long flows from end to end against the buffer, three hops (Section 5.2)."""

from penstock.papers.kantawala_turner_2005.setup import (
    DSDRR,
    FROM_400,
    HOPS,
    LAST,
    NEW,
    SEEN,
    SETTLED,
    against_buffer,
    panel,
    slow,
)
from penstock.reproduce.figure import Claim, Readings, above, at_least, every, needing

study = against_buffer(HOPS, "long")

shares = Claim(
    "c13",
    "flows from end to end have nearly 80 % of their fair share with DSDRR, 70 % with DTDRR",
    every(slow(scheme=DSDRR).reads(80, 70, 90), slow(scheme="DTDRR").reads(70, 60, 80))(buffer=at_least(400)),
)
close = (slow(scheme=DSDRR) - slow(scheme="QSDRR")).between(-5, 5)
one_queue = Claim(
    "c14",
    "with RED and tail-drop flows from end to end have only 40 %, even with 5000 packets",
    slow(scheme=["RED", "Tail-Drop"]).reads(40, 30, 50),
)

CLAIMS = needing(
    SETTLED,
    shares,
    Claim(
        "c15",
        "that is almost twice what RED and tail-drop give, and four times what Blue gives",
        every(slow(scheme=NEW) / slow(scheme=["RED", "Tail-Drop"]) >= 1.6, slow(scheme=NEW) / slow(scheme="Blue") >= 3)(
            buffer=FROM_400
        ),
    ),
    Claim(
        "c16",
        "DSDRR is very close to QSDRR; DTDRR is about 10 % worse, yet has 1.5 times as much as RED",
        every(
            close(buffer=SEEN),
            (slow(scheme="DTDRR") / slow(scheme=[DSDRR, "QSDRR"])).reads(0.9, 0.85, 0.95)(buffer=above(1000)),
            (slow(scheme="DTDRR") / slow(scheme="RED") >= 1.5)(buffer=above(1000)),
        ),
    ),
    Claim(
        "c17",
        "even in the smallest buffer flows from end to end have more than with RED",
        (slow(scheme=NEW) > slow(scheme="RED"))(buffer=100),
    ),
    one_queue(buffer=Readings({LAST: "", SEEN: "at every B"})),
)

draw = panel("g_slow", "goodput, three hops (%)")
