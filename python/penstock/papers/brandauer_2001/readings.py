"""Readings of the testbed, by the printed numbers that they meet."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from penstock.reproduce.changes import combined_change, tcp_change
from penstock.reproduce.figure import QuickOrFull, Table
from penstock.reproduce.printed_numbers import PrintedNumber, PrintedNumbers
from penstock.results.sample import RunSample

from .setup import (
    LINUX_2001,
    LINUX_TODAY,
    PACKET,
    PROPAGATION,
    RATE_BPS,
    SCHEMES,
    TESTBED,
    design_of_testbed,
    everlasting_reconstructed,
    ftp_runs,
    measure,
    redopt_change,
    redopt_ftp_scenario,
    thresholds,
)

LOADS = [16, 64, 256]
UNSPACED = redopt_change(partial(design_of_testbed, spaced=False))
CHOSEN = "2001, spaced max_p"
READINGS = {
    "ns-2": None,
    "delayed ACKs": combined_change(TESTBED, tcp_change(delayed_ack="200ms"), UNSPACED),
    "Linux of today": combined_change(TESTBED, LINUX_TODAY, UNSPACED),
    "Linux of 2001": combined_change(TESTBED, LINUX_2001, UNSPACED),
    "2001, by packets": combined_change(TESTBED, LINUX_2001, tcp_change(counting="packets"), UNSPACED),
    CHOSEN: everlasting_reconstructed,
}
"""The first is the set-up as printed; the others send Ethernet frames and space losses as in dummynet."""


def _mean(table: Table, metric: str, flows: list[int]) -> RunSample:
    samples = [table(metric, scheme=scheme, flows=n) for scheme in SCHEMES for n in flows]
    return sum(samples[1:], samples[0]) / len(samples)


def _goodput(flows: int) -> Callable[[Table], RunSample]:
    return lambda table: _mean(table, "goodput", [flows])


def _place(flows: int) -> Callable[[Table], RunSample]:
    """The position of REDopt's mean queue between the thresholds: 0 at min_th, 1 at max_th."""
    low, high = thresholds("REDopt", design_of_testbed(flows))
    return lambda table: (table("queue", scheme="REDopt", flows=flows) - low) / (high - low)


def _more_lost(scheme: str) -> Callable[[Table], RunSample]:
    return lambda table: table("udp_loss", scheme=scheme, flows=16) / table("udp_loss", scheme="REDopt", flows=16)


def _in_flight(table: Table) -> RunSample:
    """The product of bandwidth and round trip, including the queueing delay, in packets."""
    return (_mean(table, "delay", LOADS) / 1e3 + PROPAGATION) * (RATE_BPS / (8 * PACKET))


NUMBERS = (
    *(PrintedNumber(f"Mb/s, {n} flows", 8.4, 8.148, 8.652, _goodput(n), True) for n in LOADS),
    *(PrintedNumber(f"REDopt's place, {n} flows", 0.5, 0.25, 0.75, _place(n), True) for n in LOADS),
    *(PrintedNumber(f"UDP loss, {s} / REDopt", 2, 1.5, 2.7, _more_lost(s)) for s in ("REDstd", "GREDstd")),
    PrintedNumber("packets, rate x RTT", 300, 250, 350, _in_flight),
)
READ = PrintedNumbers(NUMBERS, READINGS, CHOSEN)

_study = ftp_runs(redopt_ftp_scenario, {"scheme": SCHEMES, "flows": LOADS}, seeds=QuickOrFull(1, 10))
table = READ.table(_study, measure)
CLAIMS = (READ.claim("readings"),)
draw = READ.draw
