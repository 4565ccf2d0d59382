"""The links of a scenario: copies of counted links, both directions, in canonical form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from penstock.errors import ErrorCollector, toml_type_name
from penstock.scenario.framing import NO_FRAMING, Framing, parse_framing
from penstock.scenario.resolve.changes import Entry, LinkChanges, read_changes, read_outages
from penstock.scenario.resolve.conditioners import conditioner_tables
from penstock.scenario.resolve.draws import DrawableValue, drawable_parser
from penstock.scenario.resolve.impairments import read_duplicate, read_jitter, read_loss, read_reorder
from penstock.scenario.resolve.part_cache import PartCache
from penstock.scenario.resolve.reader import (
    NAME,
    REQUIRED,
    Table,
    list_parser,
    parse_boolean,
    parse_node,
    whole_number_parser,
)
from penstock.units import UnitError, format_length, format_rate, format_time, parse_length, parse_rate, parse_time

REVERSE_KEYS = ("rate", "delay", "queue", "watch", "loss", "edge", "jitter", "reorder", "duplicate", "change", "outage",
                "device_queue", "framing")  # fmt: skip
KEYS = ("from", "to", *REVERSE_KEYS[:3], "reverse", "watch", "count", *REVERSE_KEYS[4:], "rtt")
ANY_RATE = 1_000_000
MAX_COPIES = 100_000


_RATE = drawable_parser(parse_rate, format_rate, copies=True)
_DELAY = drawable_parser(parse_time, format_time, copies=True)
_HINTS = {"bandwidth": 'unknown key; did you mean "rate"?', "latency": 'unknown key; did you mean "delay"?'}


@dataclass(eq=False)
class LinkDirection:
    """One direction of a link table, as read, except for its queue and edge, which are read later."""

    rate: DrawableValue | None
    delay: DrawableValue | None
    has_queue: bool
    watch: bool | None
    loss: dict[str, Any] | None
    has_edge: bool = False
    jitter: tuple[Any, Any] | None = None
    reorder: tuple[Entry, Entry] | None = None
    duplicate: Entry | None = None
    change: LinkChanges | None = None
    outage: LinkChanges | None = None
    device_queue: tuple[Entry, str] | None = None
    framing: Framing = NO_FRAMING


@dataclass(frozen=True, eq=False)
class LinkCopies:
    """Name, source and target of each copy of a link; without a place in the network there is one copy."""

    names_and_nodes: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, eq=False)
class LinkSpec:
    """A link table, as read except for its queues, with the names and nodes of its copies.

    A table that lacks an end or has a wrong count is not `has_nodes` in the network, but is kept so that its queues are
    checked.
    """

    name: str
    count: int
    has_count: bool
    source: str
    target: str
    has_nodes: bool
    forward: LinkDirection
    backward: LinkDirection
    is_reverse_queue_same: bool
    rtt_ns: int | None
    copies: LinkCopies

    @property
    def weight(self) -> int:
        """Its weight in the memory, in links."""
        changes = [side.change for side in (self.forward, self.backward) if side.change]
        return self.count + sum(len(change.delivery_times_ms or ()) + len(change.canonical) for change in changes)


@dataclass(frozen=True)
class LinkTable:
    """A link of a scenario: its table, the values read from it, and whether each direction is watched."""

    table: Table
    spec: LinkSpec
    watch: tuple[bool, bool]


_SPECS: PartCache[LinkSpec] = PartCache()
_COPIES: PartCache[LinkCopies] = PartCache()
_DISTINCT: PartCache[bool] = PartCache(1000)


def read_links(errors: ErrorCollector, links: Any) -> list[LinkTable]:
    """All link tables, with their errors recorded; other values are skipped."""
    if not isinstance(links, Mapping):
        errors.add("links", f"must be a table of links, not {toml_type_name(links)}", links)
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
            errors.add(path, f"must be a table, [links.{name}], not {toml_type_name(values)}", values)
        else:
            table = Table(errors, path, values)
            specs.append((table, _spec(table, name)))
    return [
        LinkTable(table, spec, (bool(spec.forward.watch), bool(spec.backward.watch)))
        for table, spec in _check_names(specs)
    ]


def _spec(table: Table, name: str) -> LinkSpec:
    """The link in a table. Its queues are replaced by empty tables, so that links that differ in them share it."""
    values = _without_queue(table.values)
    if isinstance(values.get("reverse"), dict):
        values["reverse"] = _without_queue(values["reverse"])
    return _SPECS.read(
        Table(table.errors, table.path, values), lambda part: _read_link(part, name), name, weight=lambda s: s.weight
    )


def _without_queue(values: Mapping[str, Any]) -> dict[str, Any]:
    rest = dict(values)
    if isinstance(rest.get("queue"), Mapping):
        rest["queue"] = {}
    return rest


def _read_link(table: Table, name: str) -> LinkSpec:
    table.check_keys(KEYS, lambda: _HINTS)
    count = table.parse_key("count", whole_number_parser(0, MAX_COPIES), 1)
    source = table.parse_key("from", parse_node, REQUIRED, advice='name the node, such as from = "R1"')
    target = table.parse_key("to", parse_node, REQUIRED, advice='name the node, such as to = "R2"')
    rate = table.parse_key("rate", _RATE, REQUIRED, advice='such as rate = "1.5Mbit"')
    delay = table.parse_key("delay", _DELAY, REQUIRED, advice='such as delay = "20ms"')
    forward = _direction(table, rate, delay, queue=table.inner_table("queue") is not None)
    if not forward.has_queue and table.values.get("queue") == "same":
        table.add_error("queue", '"same" belongs into reverse; here stands the queue itself')
    backward, same = _read_reverse(table, forward)
    rtt = table.parse_key("rtt", parse_time)
    placed = source is not None and target is not None and count is not None
    if source is not None and source == target:
        table.add_error("to", f'leads from node "{source}" to itself; a link joins two different nodes')
        placed = False
    number = count if placed and count is not None else 1
    counted = "count" in table.values
    copies = _copies(name, counted, number, source or "", target or "")
    return LinkSpec(name, number, counted, source or "", target or "", placed, forward, backward, same, rtt, copies)


def _copies(name: str, counted: bool, count: int, source: str, target: str) -> LinkCopies:
    """The copies of a link: the same object for the same arguments, since topologies are cached by this object."""

    def copy_name_and_nodes(i: int) -> tuple[str, str, str]:
        numbered = name.replace("{i}", str(i)) if "{i}" in name else f"{name}.{i}" if counted else name
        return numbered, source.replace("{i}", str(i)), target.replace("{i}", str(i))

    key = name, counted, count, source, target
    return _COPIES.get_or_make(
        key, lambda: LinkCopies(tuple(map(copy_name_and_nodes, range(count)))), lambda copies: count
    )


def _read_reverse(table: Table, forward: LinkDirection) -> tuple[LinkDirection, bool]:
    reverse = table.inner_table("reverse")
    if reverse is None:
        return LinkDirection(
            forward.rate,
            forward.delay,
            False,
            None,
            None,
            change=forward.change,
            outage=forward.outage,
            framing=forward.framing,
        ), False
    reverse.check_keys(REVERSE_KEYS)
    rate = reverse.parse_key("rate", _RATE, forward.rate)
    delay = reverse.parse_key("delay", _DELAY, forward.delay)
    queue = reverse.values.get("queue")
    same = queue == "same"
    own_queue = False
    if isinstance(queue, str) and not same:
        reverse.add_error("queue", 'must be "same" or a table such as { scheme = "red", limit = "35p" }')
        same = True
    elif same and not forward.has_queue:
        reverse.add_error("queue", "the link itself has no queue that the other direction could have too")
    elif not same and queue is not None:
        own_queue = reverse.inner_table("queue") is not None
    backward = _direction(reverse, rate, delay, forward.framing, queue=forward.has_queue if same else own_queue)
    if backward.change is None and not {"rate", "delay"} & set(reverse.values):
        backward.change = forward.change
    if backward.outage is None:
        backward.outage = forward.outage
    return backward, same


def _direction(
    table: Table, rate: DrawableValue | None, delay: DrawableValue | None, framing: Framing = NO_FRAMING, *, queue: bool
) -> LinkDirection:
    return LinkDirection(
        rate,
        delay,
        queue,
        table.parse_key("watch", parse_boolean),
        read_loss(table),
        bool(conditioner_tables(table)),
        read_jitter(table),
        read_reorder(table),
        read_duplicate(table),
        read_changes(table),
        read_outages(table),
        _read_device_queue(table, queue=queue),
        _read_framing(table, framing),
    )


def _read_framing(table: Table, default: Framing) -> Framing:
    """The framing of a direction whose packets leave at a rate."""
    framing: Framing = table.parse_key("framing", parse_framing, default) or default
    changes = table.values.get("change")
    if (
        framing != NO_FRAMING
        and isinstance(changes, list)
        and any(isinstance(change, Mapping) and "capacity" in change for change in changes)
    ):
        table.add_error("framing", "needs a rate: an opportunity of a trace carries 1500 B of IP packets")
    return framing


def _read_device_queue(table: Table, *, queue: bool) -> tuple[Entry, str] | None:
    """The limit of the device queue as (canonical, readable)."""
    limit: tuple[Entry, str] | None = table.parse_key("device_queue", _device_limit)
    if limit is not None and not queue:
        table.add_error("device_queue", 'needs a queue above it, such as queue = { scheme = "codel", limit = "1000p" }')
    return limit


def _device_limit(value: Any) -> tuple[Entry, str]:
    length = parse_length(value)
    if length.unit not in ("packets", "bytes") or length.amount < 1 or length.amount != round(length.amount):
        raise UnitError('must be a whole number of packets or bytes, at least 1, such as 3 or "9kB"')
    return {length.unit: round(length.amount)}, format_length(length)


def _check_names(links: list[tuple[Table, LinkSpec]]) -> list[tuple[Table, LinkSpec]]:
    """Record copies of links that have the same name, and leave out these and all later copies."""
    for table, spec in links:
        if spec.has_count or (spec.has_nodes and "{i}" not in spec.source and "{i}" not in spec.target):
            continue
        for key in ("from", "to"):
            if "{i}" in str(table.values.get(key)):
                table.add_error(key, "{i} numbers the copies of a counted link; this one has no count")
    copies = tuple(spec.copies for _, spec in links)
    if _DISTINCT.get_or_make(copies, lambda: _are_distinct(copies)):
        return links
    taken: dict[str, str] = {}
    left = []
    for table, spec in links:
        for i, (name, _, _) in enumerate(spec.copies.names_and_nodes):
            if name in taken:
                path, other = table.path, taken[name]
                table.errors.add(path, f'its copy {i} is called "{name}", and so is one of links.{other}')
                spec = replace(spec, copies=LinkCopies(spec.copies.names_and_nodes[:i]))
                break
            taken[name] = spec.name
        left.append((table, spec))
    return left


def _are_distinct(copies: Iterable[LinkCopies]) -> bool:
    names = [name for part in copies for name, _, _ in part.names_and_nodes]
    return len(names) == len(set(names))


def parse_nodes(value: Any) -> list[str]:
    """A node, or a list of nodes."""
    if isinstance(value, str):
        return [parse_node(value)]
    if isinstance(value, list):
        return list_parser(parse_node, "nodes")(value)
    raise UnitError('must be the name of a node or a list of names, such as "S1" or ["S1", "S2"]')
