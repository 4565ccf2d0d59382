"""Figure 4 (b): goodput of the long flows of 40 ms against the buffer, two round trips (Section 5.1)."""

from penstock.reproduce.figure import at_least, below, needing

from .setup import COMPARED, NEW, SEEN, SETTLED, TRIPS, against_buffer, claim, fast, panel

study = against_buffer(TRIPS, "long", COMPARED.full)

c06 = claim("c06", fast(buffer=SEEN).reads(150, 135, 160))
CLAIMS = (
    *needing(
        SETTLED,
        c06(scheme=["RED", "Blue"]),
        claim("c08", fast(scheme=NEW, buffer=at_least(400)) <= 115),
    ),
    claim("c07", fast(scheme="Tail-Drop", buffer=below(1000)) > 100, must_hold=True),
)

draw = panel("g_fast", "goodput, 40 ms (%)")
