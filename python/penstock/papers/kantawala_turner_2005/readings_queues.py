"""Which flows share a queue in figure 6: readings by the printed numbers that they meet; three hops are held out."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

from penstock.reproduce.changes import combined_change
from penstock.reproduce.effort import Change
from penstock.reproduce.figure import QuickOrFull, Table
from penstock.reproduce.printed_numbers import PrintedNumber, PrintedNumbers
from penstock.results.sample import RunSample
from penstock.scenario.document import Document

from .fig6a import BUFFER
from .readings import PLACES, SCHEMES
from .setup import ALL, HOPS, HOSTS, NOT_CLEARED, TRIPS, measure, paper_study
from .sharing import with_queues_by_kind

FEW = 10  # queues (Section 5.3)


def _hashed(document: Document) -> Document:
    shared = [name for name, link in document.tree["links"].items() if "buckets" in (link.get("queue") or {})]
    return reduce(lambda changed, name: changed.set(f"links.{name}.queue.spread", "hash"), shared, document)


SHARED: dict[str, Change | None] = {"by number": None, "by kind": with_queues_by_kind, "by a hash": _hashed}
"""Equally many flows of both kinds in each queue, flows of one kind, or a random mixture."""
READINGS = {name: combined_change(HOSTS, NOT_CLEARED, change) for name, change in SHARED.items()}
CHOSEN = "by kind"

_study = paper_study(
    {"network": QuickOrFull([TRIPS], [TRIPS, HOPS]), "scheme": SCHEMES, "queues": [FEW, ALL]},
    seeds=QuickOrFull(1, 2),
    buffer=BUFFER,
)


def _gain(**at: Any) -> Callable[[Table], RunSample]:
    return lambda table: table("g_slow", queues=ALL, **at) - table("g_slow", queues=FEW, **at)


def _deviation(**at: Any) -> Callable[[Table], RunSample]:
    return lambda table: table("sd_slow", queues=FEW, **at)


def _numbers() -> Iterator[PrintedNumber]:
    """Section 5.3: "only a marginal increase" from 10 to 100 queues; a deviation "below 15 %"."""
    for network, scheme in itertools.product((TRIPS, HOPS), SCHEMES):
        at, fitted, where = {"network": network, "scheme": scheme}, network == TRIPS, f"{PLACES[network]}, {scheme}"
        yield PrintedNumber(f"{FEW} to {ALL}, {where}", 0, -5, 5, _gain(**at), fitted)
        yield PrintedNumber(f"deviation, {where}", 0.15, 0, 0.15, _deviation(**at), fitted)


READ = PrintedNumbers(list(_numbers()), READINGS, CHOSEN)

table = READ.table(_study, measure)
CLAIMS = (READ.claim("readings-queues"),)
draw = READ.draw
