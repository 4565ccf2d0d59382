"""Claims about all networks and all flows together (Sections 5 and 5.2)."""

from collections.abc import Callable

from penstock.reproduce.figure import Number, Statement, every, mean, needing, within
from penstock.reproduce.shape import swept

from . import fig4a, fig4c, fig5a, fig5c, single
from .setup import (
    ALL_SCHEMES,
    BUFFERS,
    DRR_BASED,
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
FROM_400 = within(400, LAST)
short, long = {"load": "short"}, {"load": "long"}


def _matches(level: Callable[[Number], Number]) -> Statement:
    return every(
        (level(ratio(scheme="DTDRR")) / level(ratio(scheme="QSDRR"))).between(0.9, 1.1)(**short),
        (level(ratio(scheme="DSDRR")) > level(ratio(scheme="DTDRR")))(**short),
        (level(slow(scheme="DSDRR")) - level(slow(scheme="QSDRR"))).between(-POINTS, POINTS)(**long),
    )


def _beats(level: Callable[[Number], Number]) -> Statement:
    return every(
        (level(slow(scheme="DSDRR")) > level(slow(scheme=ONE_QUEUE)))(**long),
        (level(ratio(scheme="DSDRR")) < level(ratio(scheme=ONE_QUEUE)))(**short),
    )


def _overall(level: Callable[[Number], Number]) -> Statement:
    return every(_matches(level)(buffer=FROM_400), _beats(level)(buffer=SEEN))(network=BOTH)


c12 = claim("c12", every(used > 90, lost < 1))
CLAIMS = needing(
    SETTLED,
    c12(scheme=DRR_BASED),
    claim(
        "c24",
        _overall(lambda number: number.along("buffer", mean)),
        others={"with each buffer": _overall(lambda number: number)},
    ),
    claim(
        "c30",
        swept(every(*(keep_order(g, ALL_SCHEMES, {"buffer": max(BUFFERS)}, SETTLED) for g in (slow, fast))))(
            network=BOTH, **long
        ),
        f"nine in ten pairs that differ by > {POINTS} points with {LAST} packets have this order with {max(BUFFERS)}",
    ),
)
