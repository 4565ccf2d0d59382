"""The forms of the links of a scenario: both directions of every copy for the engine, and the tables to show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from penstock.scenario.framing import NO_FRAMING
from penstock.scenario.resolve.conditioners import ConditionerSpec, conditioner_tables, read_conditioners
from penstock.scenario.resolve.default_queues import default_queue
from penstock.scenario.resolve.links import ANY_RATE, LinkDirection, LinkSpec, LinkTable
from penstock.scenario.resolve.part_cache import PartCache
from penstock.scenario.resolve.queues import QueueSpec, read_queue
from penstock.scenario.resolve.reader import Table
from penstock.scenario.resolve.resolved_tables import ResolvedLinkTable
from penstock.scenario.resolve.settings import LengthContext
from penstock.units import format_time

__all__ = ["resolve_links"]


@dataclass(frozen=True)
class QueuesAndConditioners:
    """What is in front of a link direction: its queue and its conditioners, for each copy or once for all of them."""

    queues: tuple[QueueSpec | None, ...]
    edges: tuple[tuple[ConditionerSpec, ...], ...]

    def of(self, i: int) -> tuple[QueueSpec | None, tuple[ConditionerSpec, ...]]:
        """The queue and the conditioners of copy `i`."""
        return self.queues[min(i, len(self.queues) - 1)], self.edges[min(i, len(self.edges) - 1)]


_FORMS: PartCache[ResolvedLinkTable] = PartCache()


def resolve_links(
    links: list[LinkTable], rtt_of: Callable[[str], int | None], packet_on: Callable[[str], float]
) -> list[ResolvedLinkTable]:
    """The forms of links.

    `rtt_of(name)` is the largest propagation round trip of the flows over that direction in ns, `packet_on(name)` their
    largest packet on the wire in bytes.
    """
    forms = []
    for link in links:
        fronts = _front(link, rtt_of, packet_on, back=False), _front(link, rtt_of, packet_on, back=True)
        key = link.spec, link.watch, fronts
        forms.append(_FORMS.get_or_make(key, partial(_form, *key), lambda form: len(form.canonical)))
    return forms


def _front(
    link: LinkTable, rtt_of: Callable[[str], int | None], packet_on: Callable[[str], float], *, back: bool
) -> QueuesAndConditioners | None:
    """Read the queue and the conditioners of a direction, if it has any: once if they are the same for all copies."""
    spec = link.spec
    side = spec.backward if back else spec.forward
    if not (side.has_queue or side.has_edge or link.watch[back]):
        return None
    here = link.table.inner_table("reverse") if back else link.table
    queue = link.table if back and spec.is_reverse_queue_same else here
    queue_table = queue.inner_table("queue") if queue and side.has_queue else None
    tables = conditioner_tables(here) if here and side.has_edge else []
    queues, edges = [], []
    for i, (name, _, _) in enumerate(spec.copies.names_and_nodes):
        requested: list[str] = []
        label, opposite = (f"{name}.reverse", name) if back else (name, f"{name}.reverse")

        def longest_rtt_ns(
            label: str = label, opposite: str = opposite, requested: list[str] = requested
        ) -> int | None:
            requested.append(label)
            # The acknowledgements of flows in the other direction have the same round trip.
            return rtt_of(label) or rtt_of(opposite)

        around = _around(spec, side, i, longest_rtt_ns)
        table = queue_table
        if table is None and link.watch[back]:
            table = _default_queue(link, side, i, around.rtt_ns(), packet_on(label))
        queues.append(read_queue(table, around) if table else None)
        edges.append(read_conditioners(tables, around))
        if not requested and (side.rate is None or side.rate.linear_ends is None):
            break
    return QueuesAndConditioners(tuple(queues), tuple(edges))


def _default_queue(link: LinkTable, side: LinkDirection, i: int, rtt_ns: int | None, packet: float) -> Table:
    """The table of the default queue of a link."""
    rate = float(ANY_RATE) if side.rate is None else side.rate.mean(i, link.spec.count)
    return Table(link.table.errors, "", default_queue(rate, rtt_ns, packet))


def _form(
    spec: LinkSpec, watch: tuple[bool, bool], fronts: tuple[QueuesAndConditioners | None, QueuesAndConditioners | None]
) -> ResolvedLinkTable:
    entries: list[dict[str, Any]] = []
    watched_rate = 0.0
    readable = _readable_link(spec, watch)
    for i, (name, source, target) in enumerate(spec.copies.names_and_nodes):
        for back in (False, True):
            side = spec.backward if back else spec.forward
            ends = (target, source) if back else (source, target)
            front = fronts[back]
            queue, edge = (None, ()) if front is None else front.of(i)
            label = f"{name}.reverse" if back else name
            entry = _entry(spec, side, label, name, ends, queue, i, watch=watch[back])
            entry["edge"] = [stage.canonical for stage in edge]
            if side.device_queue is not None:
                entry["device_queue"] = side.device_queue[0]
            entries.append(entry)
            if watch[back] and side.rate is not None:
                watched_rate += side.rate.mean(i, spec.count)
            if i > 0 or not (queue or edge):
                continue
            place = readable if not back else readable.setdefault("reverse", {})
            if edge:
                place["edge"] = [stage.readable for stage in edge]
            if queue:
                place["queue"] = "same" if back and spec.is_reverse_queue_same else queue.readable
    return ResolvedLinkTable(spec.name, entries, readable, watched_rate)


def _around(spec: LinkSpec, side: LinkDirection, i: int, rtt: Callable[[], int | None]) -> LengthContext:
    round_trip = rtt if spec.rtt_ns is None else lambda: spec.rtt_ns
    # If the rate is wrong, a substitute allows the remaining checks.
    rate = ANY_RATE if side.rate is None else side.rate.value_if_fixed(i, spec.count)
    return LengthContext(rate, None, round_trip)


def _entry(
    spec: LinkSpec,
    side: LinkDirection,
    label: str,
    stream: str,
    ends: tuple[str, str],
    queue: QueueSpec | None,
    i: int,
    *,
    watch: bool,
) -> dict[str, Any]:
    framing = {} if side.framing == NO_FRAMING else {"framing": side.framing.canonical()}
    return framing | {
        "name": label,
        "drawn_as": stream,
        "from": ends[0],
        "to": ends[1],
        "rate": side.rate.canonical(i, spec.count) if side.rate else 0,
        "delay": side.delay.canonical(i, spec.count) if side.delay else 0,
        "queue": queue.canonical if queue else None,
        "watch": watch,
        "shares": queue.share_intervals if queue else [],
        "loss": side.loss,
        "jitter": side.jitter[0] if side.jitter else None,
        "reorder": side.reorder[0] if side.reorder else None,
        "duplicate": side.duplicate,
        "change": side.change.canonical if side.change else [],
        "capacity_ms": side.change.delivery_times_ms if side.change else None,
        "outage": _outages(side),
        "rtt_ns": spec.rtt_ns,
    }


def _outages(side: LinkDirection) -> list[dict[str, Any]]:
    """The outages of a direction, with those of its file of rates, in order of time."""
    own = side.outage.canonical if side.outage else []
    of_rates = side.change.outages if side.change else ()
    return sorted([*own, *of_rates], key=lambda outage: int(outage["at_ns"])) if of_rates else own


def _readable_link(spec: LinkSpec, watch: tuple[bool, bool]) -> dict[str, Any]:
    readable: dict[str, Any] = {}
    if spec.has_count:
        readable["count"] = spec.count
    readable |= {"from": spec.source, "to": spec.target}
    readable["rate"] = spec.forward.rate.readable if spec.forward.rate else None
    readable["delay"] = spec.forward.delay.readable if spec.forward.delay else None
    readable["watch"] = watch[0]
    if spec.rtt_ns is not None:
        readable["rtt"] = format_time(spec.rtt_ns)
    readable |= _readable_changes(spec.forward)
    reverse: dict[str, Any] = {}
    if spec.backward.rate is not spec.forward.rate and spec.backward.rate:
        reverse["rate"] = spec.backward.rate.readable
    if spec.backward.delay is not spec.forward.delay and spec.backward.delay:
        reverse["delay"] = spec.backward.delay.readable
    if watch[1]:
        reverse["watch"] = True
    reverse |= _readable_changes(spec.backward, spec.forward)
    if reverse:
        readable["reverse"] = reverse
    return readable


def _readable_changes(side: LinkDirection, inherited: LinkDirection | None = None) -> dict[str, Any]:
    """The losses, changes and outages of a direction that are not `inherited`."""
    readable: dict[str, Any] = {"loss": side.loss} if side.loss else {}
    if side.jitter:
        readable["jitter"] = side.jitter[1]
    if side.reorder:
        readable["reorder"] = side.reorder[1]
    if side.duplicate:
        readable["duplicate"] = side.duplicate
    if side.framing != (inherited.framing if inherited else NO_FRAMING):
        readable["framing"] = side.framing.readable()
    if side.device_queue:
        readable["device_queue"] = side.device_queue[1]
    for key in ("change", "outage"):
        own = getattr(side, key)
        if inherited is None:
            if own is not None and own.readable:
                readable[key] = own.readable
        elif own is not getattr(inherited, key):
            readable[key] = own.readable if own is not None else []
    return readable
