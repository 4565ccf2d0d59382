"""The traffic of a scenario in canonical form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

from penstock.errors import did_you_mean
from penstock.scenario.resolve.application_requirements import check_probed_groups
from penstock.scenario.resolve.codepoints import RECORDED, parse_codepoint, parse_replay_codepoint
from penstock.scenario.resolve.draws import drawable_parser
from penstock.scenario.resolve.links import parse_nodes
from penstock.scenario.resolve.part_cache import PartCache
from penstock.scenario.resolve.reader import (
    REQUIRED,
    Table,
    choice_parser,
    list_parser,
    named_tables,
    parse_node,
    whole_number_parser,
)
from penstock.scenario.resolve.resolved_tables import ResolvedTrafficTable
from penstock.scenario.resolve.routes import Topology
from penstock.scenario.resolve.sources import KINDS, read_source
from penstock.units import UnitError, format_time, parse_time

MAX_FLOWS = 10_000_000
MAX_SENDERS = 100_000
MAX_HINTS = 50
"""Maximum number of unknown nodes for which a known name is suggested."""

# Kinds whose flows go from all nodes of `from`, by the key that counts them instead of `count`.
SHARED = {"web": "sessions", "incast": "senders"}


DEFAULT_STARTS: Mapping[str, Any] = {"tcp": {"uniform": ["0s", "1s"]}}
"""Starts of the kinds of traffic whose flows do not all start at 0 s."""


class TrafficTable(ResolvedTrafficTable):
    """One traffic table: its forms, and the ends of its flows."""

    def flow_routes(self) -> list[tuple[str, str, list[str] | None]]:
        """The distinct routes of the flows: (from, to, given path), with None for the shortest path."""
        sources, targets = self.canonical["from"], self.canonical["to"]
        if self.canonical["kind"] in SHARED:
            return [(source, target, None) for source in sources for target in targets]
        count = min(self.canonical["count"], max(len(sources), len(targets)) * min(len(sources), len(targets)))
        path = self.canonical["path"]
        return [(sources[i % len(sources)], targets[i % len(targets)], path) for i in range(count)]


@dataclass(frozen=True)
class _Times:
    """Start and stop of the flows: the start for the engine, the start to show, and the earliest start."""

    start: dict[str, Any]
    readable: Any
    stop: int | None

    @property
    def first(self) -> int:
        first: int = self.start["first_ns"] if "first_ns" in self.start else self.start["uniform_ns"][0]
        return first


_Group = tuple[_Times | None, TrafficTable | None]
_GROUPS: PartCache[_Group] = PartCache()


def read_traffic(top: Table, topology: Topology, duration: int | None) -> list[TrafficTable]:
    """All traffic tables of a scenario; those with errors are left out."""
    errors, traffic = top.errors, top.values.get("traffic", {})
    specs = []
    tables: dict[str, Table] = {}
    late: list[tuple[Table, int]] = []
    for name, table in named_tables(errors, "traffic", traffic, "traffic"):
        tables[name] = table
        read = partial(_read_group, name=name, topology=topology)
        times, spec = _GROUPS.read(table, read, name, topology, weight=_nodes_of)
        if times is not None and duration is not None and times.first >= duration:
            late.append((table, times.first))
        if spec is not None:
            specs.append(spec)
    _check_starts(top, late, duration)
    check_probed_groups(tables, specs)
    return specs


def _check_starts(top: Table, late: list[tuple[Table, int]], duration: int | None) -> None:
    """Report traffic that starts after the end as one error: if several groups do, the duration is probably wrong."""
    if len(late) == 1 and duration is not None:
        late[0][0].add_error("start", f"must be before the end of the run ({format_time(duration)})")
    elif late:
        late.sort(key=lambda entry: entry[1])
        top.add_error(
            "duration", f"too short: {_some([f'{table.path} starts at {format_time(at)}' for table, at in late])}"
        )


def _read_group(table: Table, name: str, topology: Topology) -> _Group:
    times = _read_times(table)
    return times, _read(table, name, topology, times)


def _nodes_of(group: _Group) -> int:
    """Number of the names of nodes that a group has."""
    _, spec = group
    return 1 if spec is None else len(spec.canonical["from"]) + len(spec.canonical["to"])


def _read_times(table: Table) -> _Times | None:
    kind = table.values.get("kind")
    start = table.parse_key("start", _start, _start(DEFAULT_STARTS.get(kind, "0s") if isinstance(kind, str) else "0s"))
    stop = table.parse_key("stop", parse_time)
    if start is None:
        return None
    times = _Times(start[0], start[1], stop)
    if stop is not None and stop <= times.first:
        table.add_error("stop", f"must be after the start ({format_time(times.first)})")
    return times


def _read_count(table: Table, kind: str | None) -> tuple[str, int | None]:
    """The key that counts the flows of a kind, and their number."""
    count = table.parse_key("count", whole_number_parser(0, MAX_FLOWS), 1)
    counted = SHARED.get(kind or "", "count")
    if counted != "count":
        if "count" in table.values:
            table.add_error("count", f"{kind} counts its flows as {counted}: write {counted}")
        count = table.parse_key(counted, whole_number_parser(0, MAX_SENDERS if kind == "incast" else MAX_FLOWS), 1)
    return counted, count


def _read(table: Table, name: str, topology: Topology, times: _Times | None) -> TrafficTable | None:
    kind = table.parse_key("kind", choice_parser(*KINDS), REQUIRED, advice=f"one of {', '.join(KINDS)}")
    counted, count = _read_count(table, kind)
    replays = kind == "replay"
    dscp = table.parse_key("dscp", parse_replay_codepoint if replays else parse_codepoint, RECORDED if replays else 0)
    nodes = _nodes(table, count or 0, topology, every=kind in SHARED)
    if kind is None:
        return None
    own, readable_own = read_source(table, kind)
    if nodes is None or count is None or times is None or dscp is None:
        return None
    sources, targets, path = nodes
    flows = count
    if kind == "incast":
        if len(targets) > 1:
            table.add_error("to", "incast has one receiver")
        # All senders together are one flow.
        flows = min(count, 1)
        sources = [sources[i % len(sources)] for i in range(max(count, 1))] if sources else sources
    canonical = {
        "name": name,
        "kind": kind,
        "count": flows,
        "from": sources,
        "to": targets,
        "path": path,
        "start": times.start,
        "stop_ns": times.stop,
        "dscp": dscp,
        **own,
    }
    readable = {"kind": kind, counted: count, "from": table.values["from"], "to": table.values["to"]}
    if path:
        readable["path"] = path
    readable["start"] = times.readable
    if times.stop is not None:
        readable["stop"] = format_time(times.stop)
    if dscp:
        readable["dscp"] = dscp
    return TrafficTable(name, canonical, readable | readable_own)


def _nodes(
    table: Table, count: int, topology: Topology, *, every: bool
) -> tuple[list[str], list[str], list[str] | None] | None:
    """The nodes of `from` and `to`, and the path; with `every` all pairs of them are used."""
    ends: dict[str, list[str]] = {}
    for key in ("from", "to"):
        names = table.parse_key(key, parse_nodes, REQUIRED, advice=f'name a node of the links, such as {key} = "S1"')
        if names is None:
            continue
        if any("{i}" in name for name in names):
            names = [names[i % len(names)].replace("{i}", str(i)) for i in range(max(count, 1))]
        if count == 0:
            # With no flows the nodes are not used and need not exist, but the engine requires an existing one.
            names = [name for name in names if name in topology] or list(topology.edges)[:1]
        is_known = True
        for name in dict.fromkeys(names):
            if name not in topology and topology.is_complete:
                # A search among many nodes takes milliseconds, and only this many errors are printed.
                hint = did_you_mean(name, topology.edges) if len(table.errors.details) < MAX_HINTS else ""
                table.add_error(key, f'no link touches a node "{name}"{hint}; nodes: {_some(list(topology.edges))}')
                is_known = False
                break
        if is_known:
            ends[key] = names
    path = table.parse_key("path", list_parser(parse_node, "nodes", least=2))
    if len(ends) < 2:
        return None
    sources, targets = ends["from"], ends["to"]
    if every:
        pairs = {(source, target) for source in sources for target in targets}
        if path is not None:
            table.add_error("path", "is of one pair of nodes; these flows go by the shortest ways")
    else:
        turns = range(count if sources and targets else 0)
        pairs = {(sources[i % len(sources)], targets[i % len(targets)]) for i in turns}
    if count and topology.is_complete and not _connected(table, pairs, topology):
        return None
    if path is not None and topology.is_complete and not _is_path(table, path, sources, targets, topology):
        return None
    return sources, targets, path


def _connected(table: Table, pairs: set[tuple[str, str]], topology: Topology) -> bool:
    for source, target in sorted(pairs):
        if source == target:
            table.add_error("to", f'the traffic would go from node "{source}" to itself')
            return False
        if not topology.are_joined(source, target):
            table.add_error("to", f'node "{target}" cannot be reached from "{source}": no chain of links joins them')
            return False
    return True


def _is_path(table: Table, path: list[str], sources: list[str], targets: list[str], topology: Topology) -> bool:
    if len(set(path)) != len(path):
        table.add_error("path", "goes through a node twice")
        return False
    for here, there in pairwise(path):
        if here not in topology:
            table.add_error("path", f'no link touches a node "{here}"{did_you_mean(here, topology.edges)}')
            return False
        if there not in topology.edges[here]:
            table.add_error(
                "path",
                f'no link joins "{here}" and "{there}"; from "{here}" one reaches {_some(list(topology.edges[here]))}',
            )
            return False
    if set(sources) - {path[0]} or set(targets) - {path[-1]}:
        table.add_error("path", "must begin at the node of from and end at the node of to")
        return False
    return True


def _some(names: list[str]) -> str:
    return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")


def _start(value: Any) -> tuple[dict[str, Any], Any]:
    if not isinstance(value, Mapping):
        first = parse_time(value)
        return {"first_ns": first, "every_ns": 0, "jitter_ns": 0}, format_time(first)
    if "uniform" in value:
        if len(value) != 1:
            raise UnitError("uniform stands alone in start")
        drawn = drawable_parser(parse_time, format_time)(value)
        ends = drawn.distribution["uniform"] if drawn.distribution else []
        return {"uniform_ns": ends}, drawn.readable
    keys = ("first", "every", "jitter")
    for key in value:
        if key not in keys:
            raise UnitError(
                f'unknown key "{key}"{did_you_mean(key, (*keys, "uniform"))}; '
                "available: first, every, jitter, or uniform alone"
            )
    times = {key: parse_time(value.get(key, "0s")) for key in keys}
    readable = {key: format_time(times[key]) for key in keys}
    return {f"{key}_ns": nanos for key, nanos in times.items()}, readable
