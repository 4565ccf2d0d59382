"""The links of a scenario: copies of counted links, both directions, in canonical form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from penstock.errors import ErrorCollector, kind_of
from penstock.scenario.resolve.changes import Entry, Listed, read_changes, read_loss, read_outages, read_reorder
from penstock.scenario.resolve.draws import Draw, draw
from penstock.scenario.resolve.edges import edge_tables, read_edge
from penstock.scenario.resolve.queues import QueueSpec, read_queue
from penstock.scenario.resolve.reader import NAME, REQUIRED, Table, flag, listed, node, whole
from penstock.scenario.resolve.settings import Surroundings
from penstock.units import UnitError, format_length, format_rate, format_time, parse_length, parse_rate, parse_time

REVERSE_KEYS = ("rate", "delay", "queue", "watch", "loss", "edge", "jitter", "reorder", "change", "outage",
                "device_queue")  # fmt: skip
KEYS = ("from", "to", *REVERSE_KEYS[:3], "reverse", "watch", "count", *REVERSE_KEYS[4:], "rtt")
ANY_RATE = 1_000_000
MAX_COPIES = 100_000


@dataclass
class Direction:
    """One direction of a link table, as read."""

    rate: Draw | None
    delay: Draw | None
    queue: Table | None
    watch: bool | None
    loss: dict[str, Any] | None
    edge: list[Table] = field(default_factory=list)
    jitter: Draw | None = None
    reorder: tuple[Entry, Entry] | None = None
    change: Listed | None = None
    outage: Listed | None = None
    device_queue: tuple[Entry, str] | None = None


@dataclass
class LinkSpec:
    """A link table, as read, with the names and nodes of its copies.

    A table that lacks an end or has a wrong count is not `placed` in the network, but is kept so that its queues are
    checked.
    """

    name: str
    table: Table
    count: int
    source: str
    target: str
    placed: bool
    forward: Direction
    backward: Direction
    same_queue: bool
    rtt_ns: int | None
    copies: list[tuple[str, str, str]] = field(default_factory=list)


def read_links(errors: ErrorCollector, links: Any) -> list[LinkSpec]:
    """All link tables, with their errors recorded; other values are skipped."""
    if not isinstance(links, Mapping):
        errors.add("links", f"must be a table of links, not {kind_of(links)}", links)
        return []
    if not links:
        errors.add("links", "is missing; a scenario needs at least one link, such as [links.bottleneck]")
        return []
    specs = []
    for name, values in links.items():
        path = f"links.{name}"
        if not NAME.fullmatch(name):
            errors.add(path, "a link's name consists of letters, digits and _ - : (and {i} in copies)")
        elif not isinstance(values, Mapping):
            errors.add(path, f"must be a table, [links.{name}], not {kind_of(values)}", values)
        else:
            specs.append(_read_link(Table(errors, path, values), name))
    _name_copies(errors, specs)
    _default_watch(specs)
    return specs


def _read_link(table: Table, name: str) -> LinkSpec:
    table.known(
        KEYS,
        {"bandwidth": 'unknown key; did you mean "rate"?', "latency": 'unknown key; did you mean "delay"?'},
    )
    count = table.take("count", whole(0, MAX_COPIES), 1)
    source = table.take("from", node, REQUIRED, advice='name the node, such as from = "R1"')
    target = table.take("to", node, REQUIRED, advice='name the node, such as to = "R2"')
    rate = table.take("rate", draw(parse_rate, format_rate, copies=True), REQUIRED, advice='such as rate = "1.5Mbit"')
    delay = table.take("delay", draw(parse_time, format_time, copies=True), REQUIRED, advice='such as delay = "20ms"')
    forward = _direction(table, rate, delay, table.table("queue"))
    if forward.queue is None and table.values.get("queue") == "same":
        table.error("queue", '"same" belongs into reverse; here stands the queue itself')
    backward, same = _read_reverse(table, forward)
    rtt = table.take("rtt", parse_time)
    placed = source is not None and target is not None and count is not None
    if source is not None and source == target:
        table.error("to", f'leads from node "{source}" to itself; a link joins two different nodes')
        placed = False
    copies = count if placed and count is not None else 1
    return LinkSpec(name, table, copies, source or "", target or "", placed, forward, backward, same, rtt)


def _read_reverse(table: Table, forward: Direction) -> tuple[Direction, bool]:
    reverse = table.table("reverse")
    if reverse is None:
        return Direction(
            forward.rate, forward.delay, None, None, None, change=forward.change, outage=forward.outage
        ), False
    reverse.known(REVERSE_KEYS)
    rate = reverse.take("rate", draw(parse_rate, format_rate, copies=True), forward.rate)
    delay = reverse.take("delay", draw(parse_time, format_time, copies=True), forward.delay)
    queue = reverse.values.get("queue")
    same = queue == "same"
    own_queue = None
    if isinstance(queue, str) and not same:
        reverse.error("queue", 'must be "same" or a table such as { scheme = "red", limit = "35p" }')
        same = True
    elif same and forward.queue is None:
        reverse.error("queue", "the link itself has no queue that the other direction could have too")
    elif not same and queue is not None:
        own_queue = reverse.table("queue")
    backward = _direction(reverse, rate, delay, forward.queue if same else own_queue)
    if backward.change is None and not {"rate", "delay"} & set(reverse.values):
        backward.change = forward.change
    if backward.outage is None:
        backward.outage = forward.outage
    return backward, same


def _direction(table: Table, rate: Draw | None, delay: Draw | None, queue: Table | None) -> Direction:
    return Direction(
        rate,
        delay,
        queue,
        table.take("watch", flag),
        read_loss(table),
        edge_tables(table),
        table.take("jitter", draw(parse_time, format_time)),
        read_reorder(table),
        read_changes(table),
        read_outages(table),
        _read_device_queue(table, queue),
    )


def _read_device_queue(table: Table, queue: Table | None) -> tuple[Entry, str] | None:
    """The limit of the device queue as (canonical, shown)."""
    limit: tuple[Entry, str] | None = table.take("device_queue", _device_limit)
    if limit is not None and queue is None:
        table.error("device_queue", 'needs a queue above it, such as queue = { scheme = "codel", limit = "1000p" }')
    return limit


def _device_limit(value: Any) -> tuple[Entry, str]:
    length = parse_length(value)
    if length.unit not in ("packets", "bytes") or length.amount < 1 or length.amount != round(length.amount):
        raise UnitError('must be a whole number of packets or bytes, at least 1, such as 3 or "9kB"')
    return {length.unit: round(length.amount)}, format_length(length)


def _name_copies(errors: ErrorCollector, specs: list[LinkSpec]) -> None:
    taken: dict[str, str] = {}
    for spec in specs:
        counted = "count" in spec.table.values
        for key in ("from", "to"):
            if "{i}" in str(spec.table.values.get(key)) and not counted:
                spec.table.error(key, "{i} numbers the copies of a counted link; this one has no count")
        for i in range(spec.count):
            name = (
                spec.name.replace("{i}", str(i)) if "{i}" in spec.name else f"{spec.name}.{i}" if counted else spec.name
            )
            if name in taken:
                errors.add(spec.table.path, f'its copy {i} is called "{name}", and so is one of links.{taken[name]}')
                break
            taken[name] = spec.name
            spec.copies.append((name, spec.source.replace("{i}", str(i)), spec.target.replace("{i}", str(i))))


def _default_watch(specs: list[LinkSpec]) -> None:
    """If no link has the key `watch`, the links with a queue are watched."""
    silent = all(spec.forward.watch is None and spec.backward.watch is None for spec in specs)
    for spec in specs:
        if spec.forward.watch is None:
            spec.forward.watch = silent and spec.forward.queue is not None
        if spec.backward.watch is None:
            spec.backward.watch = False


def canonical_links(
    specs: list[LinkSpec], rtt_of: Callable[[str], int | None]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Both directions of every copy for the engine, and the tables to show.

    `rtt_of(name)` is the largest propagation round trip of the flows over that direction.
    """
    entries: list[dict[str, Any]] = []
    shown: dict[str, Any] = {}
    for spec in specs:
        shown[spec.name] = _shown_link(spec)
        reads = (_Reads(spec.forward), _Reads(spec.backward))
        for i, (name, source, target) in enumerate(spec.copies):
            for back in (False, True):
                side = spec.backward if back else spec.forward
                ends = (target, source) if back else (source, target)
                label = f"{name}.reverse" if back else name
                queue, edge, shown_edge = reads[back].read(_around(spec, side, i, partial(rtt_of, label)))
                entry = _entry(spec, side, label, name, ends, queue, i) | {"edge": edge}
                if side.device_queue is not None:
                    entry["device_queue"] = side.device_queue[0]
                entries.append(entry)
                if i > 0 or not (queue or shown_edge):
                    continue
                place = shown[spec.name] if not back else shown[spec.name].setdefault("reverse", {})
                if shown_edge:
                    place["edge"] = shown_edge
                if queue:
                    place["queue"] = "same" if back and spec.same_queue else queue.shown
    return entries, shown


class _Reads:
    """The queue and the conditioners of one direction of a link, read once if they are the same for all copies."""

    def __init__(self, side: Direction) -> None:
        self._side = side
        self._shared = False
        self._read: tuple[QueueSpec | None, list[dict[str, Any]], list[dict[str, Any]]] = (None, [], [])

    def read(self, around: Surroundings) -> tuple[QueueSpec | None, list[dict[str, Any]], list[dict[str, Any]]]:
        """The queue, and the conditioners as (canonical, shown)."""
        if self._shared:
            return self._read
        side, asked = self._side, []

        def rtt() -> int | None:
            asked.append("rtt")
            return around.rtt_ns()

        within = Surroundings(around.rate, None, rtt)
        queue = None if side.queue is None else read_queue(side.queue, within)
        self._read = (queue, *read_edge(side.edge, within))
        self._shared = not asked and (side.rate is None or side.rate.ends is None)
        return self._read


def _around(spec: LinkSpec, side: Direction, i: int, rtt: Callable[[], int | None]) -> Surroundings:
    known = rtt if spec.rtt_ns is None else lambda: spec.rtt_ns
    # If the rate is wrong, a substitute allows the remaining checks.
    rate = ANY_RATE if side.rate is None else side.rate.nominal(i, spec.count)
    return Surroundings(rate, None, known)


def _entry(
    spec: LinkSpec, side: Direction, label: str, stream: str, ends: tuple[str, str], queue: QueueSpec | None, i: int
) -> dict[str, Any]:
    return {
        "name": label,
        "drawn_as": stream,
        "from": ends[0],
        "to": ends[1],
        "rate": side.rate.canonical(i, spec.count) if side.rate else 0,
        "delay": side.delay.canonical(i, spec.count) if side.delay else 0,
        "queue": queue.canonical if queue else None,
        "watch": bool(side.watch),
        "shares": queue.shares if queue else [],
        "loss": side.loss,
        "jitter": side.jitter.canonical(i, spec.count) if side.jitter else None,
        "reorder": side.reorder[0] if side.reorder else None,
        "change": side.change.canonical if side.change else [],
        "capacity_ms": side.change.capacity if side.change else None,
        "outage": side.outage.canonical if side.outage else [],
        "rtt_ns": spec.rtt_ns,
    }


def _shown_link(spec: LinkSpec) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    if "count" in spec.table.values:
        shown["count"] = spec.count
    shown |= {"from": spec.source, "to": spec.target}
    shown["rate"] = spec.forward.rate.shown if spec.forward.rate else None
    shown["delay"] = spec.forward.delay.shown if spec.forward.delay else None
    shown["watch"] = bool(spec.forward.watch)
    if spec.rtt_ns is not None:
        shown["rtt"] = format_time(spec.rtt_ns)
    shown |= _shown_changes(spec.forward)
    reverse: dict[str, Any] = {}
    if spec.backward.rate is not spec.forward.rate and spec.backward.rate:
        reverse["rate"] = spec.backward.rate.shown
    if spec.backward.delay is not spec.forward.delay and spec.backward.delay:
        reverse["delay"] = spec.backward.delay.shown
    if spec.backward.watch:
        reverse["watch"] = True
    reverse |= _shown_changes(spec.backward, spec.forward)
    if reverse:
        shown["reverse"] = reverse
    return shown


def _shown_changes(side: Direction, inherited: Direction | None = None) -> dict[str, Any]:
    """The losses, changes and outages of a direction that are not `inherited`."""
    shown: dict[str, Any] = {"loss": side.loss} if side.loss else {}
    if side.jitter:
        shown["jitter"] = side.jitter.shown
    if side.reorder:
        shown["reorder"] = side.reorder[1]
    if side.device_queue:
        shown["device_queue"] = side.device_queue[1]
    for key in ("change", "outage"):
        own = getattr(side, key)
        if inherited is None:
            if own is not None and own.shown:
                shown[key] = own.shown
        elif own is not getattr(inherited, key):
            shown[key] = own.shown if own is not None else []
    return shown


def parse_names(value: Any) -> list[str]:
    """A node, or a list of nodes."""
    if isinstance(value, str):
        return [node(value)]
    if isinstance(value, list):
        return listed(node, "nodes")(value)
    raise UnitError('must be the name of a node or a list of names, such as "S1" or ["S1", "S2"]')
