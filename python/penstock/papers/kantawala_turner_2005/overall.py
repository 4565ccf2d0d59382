"""What is said of all networks and all flows at once (Sections 5 and 5.2)."""

from penstock.papers.kantawala_turner_2005 import fig4a, fig4c, fig5a, fig5c, single
from penstock.papers.kantawala_turner_2005.setup import (
    BUFFERS,
    DSDRR,
    HOPS,
    LAST,
    ONE_QUEUE,
    SEEN,
    SETTLED,
    TRIPS,
    added,
    fast,
    lost,
    ratio,
    slow,
    used,
)
from penstock.reproduce.figure import Claim, every, needing, within

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

c12 = Claim("c12", "with all DRR-based schemes the link is busy and few packets are lost", every(used > 90, lost < 1))
CLAIMS = needing(
    SETTLED,
    c12(scheme=["DTDRR", DSDRR, "QSDRR"]),
    Claim(
        "c24",
        "DTDRR matches QSDRR for short flows, DSDRR for long ones, and DSDRR beats RED, Blue and tail-drop",
        every(matches(buffer=LARGE), beats(buffer=SEEN))(network=BOTH),
    ),
    Claim(
        "c30",
        "beyond 5000 packets all policies behave alike",
        every(*((g(buffer=max(BUFFERS)) - g(buffer=LAST)).between(-5, 5) for g in (slow, fast)))(
            network=BOTH, load="long"
        ),
    ),
)
