"""Figure 5 (a): goodput of the long end-to-end flows against the buffer, three hops (Section 5.2)."""

from penstock.reproduce.figure import Readings, claims_if_measured, every, within

from .setup import FROM_400, HOPS, LAST, NEW, POINTS, SEEN, SETTLED, buffer_figure, buffer_study, claim, slow

study = buffer_study(HOPS, "long")

LARGE = within(2000, LAST)  # packets, "greater than a 1000"

shares = claim(
    "c13",
    every(slow(scheme="DSDRR").matches_printed(80, 70, 90), slow(scheme="DTDRR").matches_printed(70, 60, 80))(
        buffer=within(400, LAST)
    ),
)
close = (slow(scheme="DSDRR") - slow(scheme="QSDRR")).between(-POINTS, POINTS)
one_queue = claim("c14", slow(scheme=["RED", "Tail-Drop"]).matches_printed(40, 30, 50))

CLAIMS = claims_if_measured(
    SETTLED,
    shares,
    claim(
        "c15",
        every(slow(scheme=NEW) / slow(scheme=["RED", "Tail-Drop"]) >= 1.6, slow(scheme=NEW) / slow(scheme="Blue") >= 3)(
            buffer=FROM_400
        ),
    ),
    claim(
        "c16",
        every(
            close(buffer=FROM_400),
            (slow(scheme="DTDRR") / slow(scheme=["DSDRR", "QSDRR"])).matches_printed(0.9, 0.85, 0.95)(buffer=LARGE),
            (slow(scheme="DTDRR") / slow(scheme="RED") >= 1.5)(buffer=LARGE),
        ),
    ),
    claim("c17", (slow(scheme=NEW) > slow(scheme="RED"))(buffer=100)),
    one_queue(buffer=Readings({LAST: "", SEEN: "at every B"})),
)

draw = buffer_figure("g_slow", "goodput, three hops (%)")
