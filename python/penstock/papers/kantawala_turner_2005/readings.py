"""Readings of the set-up, by the printed numbers that they meet: two round trips are fitted, three hops held out."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from penstock.reproduce.changes import combined_change, queue_change, tcp_change, traffic_change
from penstock.reproduce.effort import Change
from penstock.reproduce.figure import QuickOrFull, Table
from penstock.reproduce.printed_numbers import PrintedNumber, PrintedNumbers
from penstock.results.sample import RunSample

from .setup import (
    ACCESS_LIMIT,
    EARLIER_TIMER,
    HOPS,
    LAST,
    NEVER,
    NOT_CLEARED,
    SHORT_WINDOW,
    SHORT_WINDOWS,
    TRIPS,
    Runs,
    joined_studies,
    measure,
    paper_study,
    queue,
    with_access_limits,
)

LONG_WINDOWS = [100, 128, 150, 200, 400]
"""Packets: the fair share of long flows takes 83 over 200 ms and 125 over 300 ms, without the queue."""
Axis = Mapping[str, Change | None]
NEVER_CLEARED: Axis = {"never": NOT_CLEARED}
BITS: Axis = {"cleared": None, **NEVER_CLEARED}
HELD: Axis = {"W at 10 %": queue_change(("dsdrr",), interval=NEVER)}
MOST: Axis = {"most marked": queue_change(("dsdrr",), marked="most")}
"""W falls to one more than the largest number of queues marked within T, not to one more than the number marked when T
ends."""
TIMERS: Axis = {"1 s": None, "0.2 s": EARLIER_TIMER}
NO_WINDOW, SHORT = "no window", f"short {SHORT_WINDOW}"
WINDOWS: Axis = {
    NO_WINDOW: None,
    SHORT: SHORT_WINDOWS,
    **{f"{SHORT}, long {window}": combined_change(SHORT_WINDOWS, tcp_change(window=window)) for window in LONG_WINDOWS},
}
FEW_WINDOWS: Axis = {name: WINDOWS[name] for name in (NO_WINDOW, SHORT, f"{SHORT}, long 100", f"{SHORT}, long 200")}
NEAR: Axis = {f"0.2 s, {SHORT}": combined_change(EARLIER_TIMER, SHORT_WINDOWS)}
LIMITED: Axis = {f"access {ACCESS_LIMIT}": with_access_limits}
ACCESS: Axis = {"": None, **LIMITED}
TCP = ("tcp", "onoff")
NEWRENO: Axis = {"": None, "NewReno": traffic_change(TCP, flavour="newreno")}
HOSTS: Axis = {
    **NEWRENO,
    "SACK": traffic_change(TCP, flavour="sack"),
    "delayed ACKs": traffic_change(TCP, delayed_ack="100ms"),
}
"""The paper uses Reno and does not mention acknowledgements; 0.1 s is the delay of ns-2."""


def _product(*axes: Axis) -> dict[str, Change | None]:
    """Each choice of a change from each axis, by the names of the changes."""
    chosen = (dict(each) for each in itertools.product(*(axis.items() for axis in axes)))
    return {", ".join(filter(None, changes)): combined_change(*changes.values()) for changes in chosen}


RECONSTRUCTED = f"never, 0.2 s, {SHORT}, access {ACCESS_LIMIT}"
READINGS = {
    **_product(BITS, TIMERS, WINDOWS),
    **_product(BITS, TIMERS, FEW_WINDOWS, LIMITED),
    **_product(NEVER_CLEARED, NEAR, ACCESS, HOSTS),
    **_product(HELD, NEAR, ACCESS, NEWRENO),
    **_product(MOST, NEAR, ACCESS),
}
"""DSDRR's overflow bit or its W, the minimum timeout, windows and the buffer of access links in packets, the hosts."""
SIZES = [400, 1000]
SCHEMES = ["DTDRR", "DSDRR"]


def _runs(network: str, load: str, sizes: list[int], full: str) -> Runs:
    return paper_study(
        {"scheme": SCHEMES, "buffer": sizes},
        {"network": network, "load": load},
        seeds=QuickOrFull(1, 2),
        span=QuickOrFull(("15s", "6s"), (full, "10s")),
        discipline=queue,
    )


_study = joined_studies(
    *(
        part
        for network in (TRIPS, HOPS)
        for part in (_runs(network, "long", SIZES, "60s"), _runs(network, "short", [LAST], "40s"))
    )
)


def _of(metric: str, **at: Any) -> Callable[[Table], RunSample]:
    return lambda table: table(metric, **at)


# Sections 5, 5.1 and 5.2 with the tolerances of the claims: 10 points for the slower long flows.
SLOW = {TRIPS: {400: {"DTDRR": 80, "DSDRR": 80}, 1000: {"DTDRR": 90, "DSDRR": 90}}}
SLOW[HOPS] = {size: {"DTDRR": 70, "DSDRR": 80} for size in SIZES}  # "from 400 packets on"
FAST = {TRIPS: (110, 105, 115), HOPS: (117.5, 110, 125)}
RATIO = {TRIPS: (1, 1, 1.3), HOPS: (2, 1.6, 2.4)}
PLACES = {TRIPS: "200 ms", HOPS: "three hops"}


def _numbers(network: str) -> Iterator[PrintedNumber]:
    """The statements of the text about DTDRR and DSDRR in one network."""
    fitted, place = network == TRIPS, PLACES[network]
    for scheme, size in itertools.product(SCHEMES, SIZES):
        at: dict[str, Any] = {"network": network, "load": "long", "scheme": scheme, "buffer": size}
        where, share = f"{place}, {scheme}, {size}", SLOW[network][size][scheme]
        yield PrintedNumber(f"slow, {where}", share, share - 10, share + 10, _of("g_slow", **at), fitted)
        yield PrintedNumber(f"fast, {where}", *FAST[network], _of("g_fast", **at), fitted)
        yield PrintedNumber(f"used, {where}", 100, 90, 100.5, _of("utilization", **at), fitted)
        yield PrintedNumber(f"lost, {where}", 0, 0, 1, _of("loss", **at), fitted)
    for scheme in SCHEMES:
        at = {"network": network, "load": "short", "scheme": scheme, "buffer": LAST}
        where = f"{place}, {scheme}, short"
        yield PrintedNumber(f"ratio, {where}", *RATIO[network], _of("ratio", **at), fitted)
        yield PrintedNumber(f"used, {where}", 100, 90, 100.5, _of("utilization", **at), fitted)
        yield PrintedNumber(f"lost, {where}", 0, 0, 1, _of("loss", **at), fitted)


NUMBERS = [number for network in (TRIPS, HOPS) for number in _numbers(network)]
READ = PrintedNumbers(NUMBERS, READINGS, RECONSTRUCTED)

table = READ.table(_study, measure)
CLAIMS = (READ.claim("readings"),)
draw = READ.draw
