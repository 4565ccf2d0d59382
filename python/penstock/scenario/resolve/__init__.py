"""Translates a written scenario to the form for the engine: resolves units, makes copies, collects errors.

The input is a tree of plain values as in a scenario file. The output is the canonical form (ns, bit/s, bytes), the
resolved tree in canonical text with every default, and the list of errors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterable, Mapping, Set
from dataclasses import replace
from functools import partial
from typing import Any

from penstock import _native
from penstock.aqms import python_aqm
from penstock.errors import ErrorCollector
from penstock.scenario.resolve.default_queues import with_default_watch
from penstock.scenario.resolve.head import read_head
from penstock.scenario.resolve.links import LinkSpec, LinkTable, read_links
from penstock.scenario.resolve.packet_sizes import LargestPackets
from penstock.scenario.resolve.reader import Table
from penstock.scenario.resolve.registry_checks import settings_errors
from penstock.scenario.resolve.resolve_links import resolve_links
from penstock.scenario.resolve.resolved import Resolved
from penstock.scenario.resolve.resolved_tables import compact
from penstock.scenario.resolve.routes import Network, Topology
from penstock.scenario.resolve.traffic import TrafficTable, read_traffic
from penstock.scenario.resolve.workloads import expand_workloads

__all__ = ["Resolved", "resolve"]

_ANY_TRIP = 100_000_000


def resolve(tree: Mapping[str, Any], origins: Mapping[str, str] | None = None) -> Resolved:
    """Resolve a tree; `origins` gives the source of each path, such as `link.toml:12`."""
    errors = ErrorCollector(origins or {})
    expanded = expand_workloads(tree, errors)
    tree = expanded.tree
    top = Table(errors, "", tree)
    head = read_head(top)

    tables = tree.get("links", {})
    links = read_links(errors, tables)
    complete = isinstance(tables, Mapping) and len(links) == len(tables) and all(link.spec.has_nodes for link in links)
    topology = Topology.from_links(links, complete=complete)
    network = Network(links, topology)
    traffic = read_traffic(top, topology, head.duration_ns)

    def round_trip(link: str) -> int | None:
        trip = network.longest_round_trip(link, (flow for spec in traffic for flow in spec.flow_routes()))
        # If flows or links are wrong, substitutes allow the remaining checks.
        return _ANY_TRIP if trip is None and errors.details else trip

    links = with_default_watch(links, network, traffic)
    wire = LargestPackets([(spec.canonical, partial(_crossed, network, spec)) for spec in traffic])
    forms = resolve_links(links, round_trip, wire.largest_packet_on)
    watched = tuple(_watched(links))
    resolved = Resolved(
        head, tuple(forms), tuple(traffic), (), watched, round_trip, network.link_names, wire.largest_packet_on
    )
    _check_in_engine(errors, resolved, tree, links)
    return replace(resolved, errors=expanded.errors(errors)) if errors.details else resolved


def _crossed(network: Network, spec: TrafficTable) -> Iterable[str]:
    """The link directions that the data of this traffic cross."""
    return network.count_pairs_by_link([spec.flow_routes()])


def _watched(links: Iterable[LinkTable]) -> Iterable[str]:
    """Names of the watched link tables; a reverse direction with its own settings is `NAME.reverse`."""
    for spec, watch in ((link.spec, link.watch) for link in links):
        if watch[0]:
            yield spec.name
        if watch[1] and not (spec.is_reverse_queue_same and watch[0]):
            yield spec.name if spec.is_reverse_queue_same else f"{spec.name}.reverse"


def _check_in_engine(
    errors: ErrorCollector, resolved: Resolved, tree: Mapping[str, Any], links: list[LinkTable]
) -> None:
    """Check the invariants of the engine and the registries; errors get the paths of the file.

    The value of an error is looked up in `tree`, the scenario as written, and in the resolved one.
    """
    aqms = python_aqm.aqm_constructors(form.text for form in resolved.links)
    if not errors.details and not aqms and resolved.is_valid():
        return
    canonical, trees = resolved.canonical, (tree, resolved.readable)
    owners = {name: link.spec for link in links for name, _, _ in link.spec.copies.names_and_nodes}
    names = {head: {entry["name"] for entry in canonical[head]} for head in ("links", "traffic")}
    file_path = partial(_file_path, canonical=canonical, owners=owners, names=names)
    reported = {error.path for error in errors.details}
    engine_errors = [] if reported else _engine_errors(canonical, aqms)
    if reported or engine_errors:
        below = _keys_below(reported)
        engine_errors += settings_errors(canonical, lambda path: below.get(file_path(path), set()))
    for error in engine_errors:
        path = file_path(error["path"])
        if path not in reported:
            reported.add(path)
            values = (_value_at(tree, path) for tree in trees)
            errors.add(path, error["message"], next((value for value in values if value is not ...), ...))


def _keys_below(paths: Iterable[str]) -> dict[str, set[str]]:
    """For each table, its keys that occur in any of the paths; a list counts by its name."""
    below: dict[str, set[str]] = {}
    for path in paths:
        for dot in re.finditer(r"\.", path):
            key = re.split(r"[.\[]", path[dot.end() :], maxsplit=1)[0]
            below.setdefault(path[: dot.start()], set()).add(key)
    return below


def _engine_errors(canonical: Mapping[str, Any], aqms: dict[str, Callable[[Any, Any], Any]]) -> list[dict[str, str]]:
    with python_aqm.raise_aqm_errors():
        errors: list[dict[str, str]] = json.loads(_native.check(compact(canonical), aqms))
    return errors


def _file_path(
    path: str, canonical: Mapping[str, Any], owners: Mapping[str, LinkSpec], names: Mapping[str, Set[str]]
) -> str:
    """The file's path for a path of the canonical form (`links.NAME.queue.min_th`, `links[0].queue.params.min_th`)."""
    match = re.fullmatch(r"(links|traffic)\[(\d+)\]\.?(.*)", path)
    if match:
        head, name, rest = match[1], canonical[match[1]][int(match[2])]["name"], match[3]
    else:
        head, _, tail = path.partition(".")
        name, rest = _named(tail, names.get(head, ()))
        if not name:
            return path.removesuffix("_ns")
    rest = re.sub(r"\b(params|settings|tcp|udp)\.", "", rest)
    rest = {"payload": "packet", "stop_ns": "stop", "rtt_ns": "rtt", "shares": "queue.share"}.get(rest, rest)
    if head == "links":
        spec = owners[name.removesuffix(".reverse")]
        own = name.endswith(".reverse") and not (spec.is_reverse_queue_same and rest.startswith("queue"))
        name = f"{spec.name}.reverse" if own else spec.name
    return f"{head}.{name}.{rest}".rstrip(".")


def _named(tail: str, names: Container[str]) -> tuple[str, str]:
    """The longest name that the path `tail` begins with, and the keys below it; names may have dots."""
    parts = tail.split(".")
    for length in range(len(parts), 0, -1):
        if (name := ".".join(parts[:length])) in names:
            return name, ".".join(parts[length:])
    return "", tail


def _value_at(readable: Any, path: str) -> Any:
    for key in re.split(r"\.|(?=\[)", path):
        if isinstance(readable, list) and key.startswith("["):
            index = int(key[1:-1])
            readable = readable[index] if index < len(readable) else ...
        elif isinstance(readable, Mapping) and key in readable:
            readable = readable[key]
        else:
            return ...
    return readable
