"""Claims about all networks and all flows together (Sections 5 and 5.2)."""

from penstock.reproduce.figure import every, needing, within

from . import fig4a, fig4c, fig5a, fig5c, single
from .setup import (
    ALL_SCHEMES,
    BUFFERS,
    DSDRR,
    HOPS,
    LAST,
    ONE_QUEUE,
    POINTS,
    SEEN,
    SETTLED,
    TRIPS,
    added,
    claim,
    fast,
    keep_order,
    lost,
    ratio,
    slow,
    used,
)

study = added(*(module.study for module in (fig4a, fig4c, fig5a, fig5c, single)))

BOTH = [TRIPS, HOPS]  # the networks with two kinds of flows
LARGE = within(201, LAST)
matches = every(
    (ratio(scheme="DTDRR") / ratio(scheme="QSDRR")).between(0.9, 1.1)(load="short"),
    (ratio(scheme=DSDRR) > ratio(scheme="DTDRR"))(load="short"),
    (slow(scheme=DSDRR) - slow(scheme="QSDRR")).between(-7, 7)(load="long"),
)
beats = every(
    (slow(scheme=DSDRR) > slow(scheme=ONE_QUEUE))(load="long"),
    (ratio(scheme=DSDRR) < ratio(scheme=ONE_QUEUE))(load="short"),
)

c12 = claim("c12", every(used > 90, lost < 1))
CLAIMS = needing(
    SETTLED,
    c12(scheme=["DTDRR", DSDRR, "QSDRR"]),
    claim("c24", every(matches(buffer=LARGE), beats(buffer=SEEN))(network=BOTH)),
    claim(
        "c30",
        every(*(keep_order(g, ALL_SCHEMES, {"buffer": max(BUFFERS)}, SETTLED) for g in (slow, fast)))(
            network=BOTH, load="long"
        ),
        f"where two schemes differ by > {POINTS} points with {LAST} packets, they have this order with {max(BUFFERS)}",
    ),
)
