"""Claims about all networks and all flows together (Sections 5 and 5.2)."""

from collections.abc import Callable

from penstock.reproduce.figure import Number, Statement, claims_if_measured, every, mean, within
from penstock.reproduce.shape import along_sweep

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
    claim,
    fast,
    joined_studies,
    lost,
    orders_agree,
    ratio,
    slow,
    used,
)

study = joined_studies(*(module.study for module in (fig4a, fig4c, fig5a, fig5c, single)))

BOTH = [TRIPS, HOPS]  # the networks with two kinds of flows
FROM_400 = within(400, LAST)
SHORT, LONG = {"load": "short"}, {"load": "long"}


def _matches(over_buffers: Callable[[Number], Number]) -> Statement:
    return every(
        (over_buffers(ratio(scheme="DTDRR")) / over_buffers(ratio(scheme="QSDRR"))).between(0.9, 1.1)(**SHORT),
        (over_buffers(ratio(scheme="DSDRR")) > over_buffers(ratio(scheme="DTDRR")))(**SHORT),
        (over_buffers(slow(scheme="DSDRR")) - over_buffers(slow(scheme="QSDRR"))).between(-POINTS, POINTS)(**LONG),
    )


def _beats(over_buffers: Callable[[Number], Number]) -> Statement:
    return every(
        (over_buffers(slow(scheme="DSDRR")) > over_buffers(slow(scheme=ONE_QUEUE)))(**LONG),
        (over_buffers(ratio(scheme="DSDRR")) < over_buffers(ratio(scheme=ONE_QUEUE)))(**SHORT),
    )


def _overall(over_buffers: Callable[[Number], Number]) -> Statement:
    """The statement of c24, with `over_buffers` applied to each measured number."""
    return every(_matches(over_buffers)(buffer=FROM_400), _beats(over_buffers)(buffer=SEEN))(network=BOTH)


c12 = claim("c12", every(used > 90, lost < 1))
CLAIMS = claims_if_measured(
    SETTLED,
    c12(scheme=DRR_BASED),
    claim(
        "c24",
        _overall(lambda number: number.along("buffer", mean)),
        others={"with each buffer": _overall(lambda number: number)},
    ),
    claim(
        "c30",
        along_sweep(every(*(orders_agree(g, ALL_SCHEMES, {"buffer": max(BUFFERS)}, SETTLED) for g in (slow, fast))))(
            network=BOTH, **LONG
        ),
        f"nine in ten pairs > {POINTS} points apart with {LAST} packets have the same order with {max(BUFFERS)}",
    ),
)
