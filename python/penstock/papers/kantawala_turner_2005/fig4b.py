"""Figure 4 (b): goodput of the long flows of 40 ms against the buffer, two round trips (Section 5.1)."""

from penstock.papers.kantawala_turner_2005.setup import COMPARED, NEW, SEEN, SETTLED, TRIPS, against_buffer, fast, panel
from penstock.reproduce.figure import Claim, at_least, below, needing

study = against_buffer(TRIPS, "long", COMPARED.full)

c06 = Claim(
    "c06",
    "RED and Blue let the flows of 40 ms have almost half more than their fair share",
    fast(buffer=SEEN).reads(150, 135, 160),
)
CLAIMS = (
    *needing(
        SETTLED,
        c06(scheme=["RED", "Blue"]),
        Claim("c08", "DTDRR and DSDRR let them have a tenth more", fast(scheme=NEW, buffer=at_least(400)) <= 115),
    ),
    Claim(
        "c07",
        "tail-drop lets the flows of 40 ms have more than their share in small buffers",
        fast(scheme="Tail-Drop", buffer=below(1000)) > 100,
        must_hold=True,
    ),
)

draw = panel("g_fast", "goodput, 40 ms (%)")
