"""Figure 4 (b): goodput of the long flows of 40 ms against the buffer, two round trips (Section 5.1)."""

from penstock.reproduce.figure import below, claims_if_measured, every, within

from .setup import COMPARED, LAST, NEW, SEEN, SETTLED, TRIPS, buffer_figure, buffer_study, claim, fast

study = buffer_study(TRIPS, "long", COMPARED.full)

c06 = claim("c06", fast(buffer=SEEN).between(135, 160))
tail_drop = fast(scheme="Tail-Drop")
CLAIMS = (
    *claims_if_measured(
        SETTLED,
        c06(scheme=["RED", "Blue"]),
        claim("c08", fast(scheme=NEW, buffer=within(400, LAST)) <= 115),
    ),
    claim("c07", every(tail_drop(buffer=below(1000)) > 100, tail_drop(buffer=within(1000, LAST)) <= 105)),
)

draw = buffer_figure("g_fast", "goodput, 40 ms (%)")
