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
from penstock.errors import ErrorCollector
from penstock.laws import python_law
from penstock.scenario.resolve.forms import compact
from penstock.scenario.resolve.link_forms import link_forms
from penstock.scenario.resolve.links import Link, LinkSpec, read_links
from penstock.scenario.resolve.reader import REQUIRED, Table, text, whole
from penstock.scenario.resolve.real import read_real
from penstock.scenario.resolve.registries import settings_errors
from penstock.scenario.resolve.resolved import Resolved
from penstock.scenario.resolve.routes import Network, Topology
from penstock.scenario.resolve.traffic import read_traffic
from penstock.units import format_time, parse_time

__all__ = ["Resolved", "resolve"]

_ANY_TRIP = 100_000_000
KEYS = ("name", "duration", "warmup", "sampling", "seed", "links", "traffic", "real")


def resolve(tree: Mapping[str, Any], origins: Mapping[str, str] | None = None) -> Resolved:
    """Resolve a tree; `origins` gives the source of each path, such as `link.toml:12`."""
    errors = ErrorCollector(origins or {})
    top = Table(errors, "", tree)
    top.known(KEYS)
    name = top.take("name", text, "")
    duration = top.take("duration", parse_time, REQUIRED, advice='such as duration = "100s"')
    warmup = top.take("warmup", parse_time, 0)
    sampling = top.take("sampling", parse_time, 10_000_000)
    seed = top.take("seed", whole(0, 2**63 - 1), 1)
    _check_clock(top, duration, warmup, sampling)
    real, shown_real = read_real(top)

    tables = tree.get("links", {})
    links = read_links(errors, tables)
    complete = isinstance(tables, Mapping) and len(links) == len(tables) and all(link.spec.placed for link in links)
    topology = Topology.of(links, complete=complete)
    network = Network(links, topology)
    traffic = read_traffic(top, topology, duration)

    def round_trip(link: str) -> int | None:
        trip = network.longest_round_trip(link, (flow for spec in traffic for flow in spec.flows()))
        # If flows or links are wrong, substitutes allow the remaining checks.
        return _ANY_TRIP if trip is None and errors.found else trip

    forms = link_forms(links, round_trip)
    canonical = {
        "name": name,
        "duration_ns": duration,
        "warmup_ns": warmup,
        "sampling_ns": sampling,
        "links": [entry for form in forms for entry in form.canonical],
        "traffic": [spec.canonical for spec in traffic],
    }
    shown = {
        "name": name,
        "duration": _time(duration),
        "warmup": _time(warmup),
        "sampling": _time(sampling),
        "seed": seed,
        "links": {form.name: form.shown for form in forms},
        "traffic": {spec.name: spec.shown for spec in traffic},
    }
    if shown_real:
        shown["real"] = shown_real
    watched = tuple(_watched(links))
    resolved = Resolved(
        canonical, shown, (), watched, round_trip, network.names, real, links=tuple(forms), traffic=tuple(traffic)
    )
    _check_in_engine(errors, resolved, tree, links)
    return replace(resolved, errors=tuple(errors.found)) if errors.found else resolved


def _check_clock(top: Table, duration: int | None, warmup: int | None, sampling: int | None) -> None:
    if duration == 0:
        top.error("duration", "must be above 0s")
    if duration and warmup is not None and warmup >= duration:
        top.error("warmup", f"must be below the duration ({format_time(duration)})")
    if sampling == 0:
        top.error("sampling", "must be above 0s")
    elif duration and sampling is not None and sampling > duration:
        top.error("sampling", f"must not exceed the duration ({format_time(duration)})")


def _time(nanos: int | None) -> str | None:
    return None if nanos is None else format_time(nanos)


def _watched(links: Iterable[Link]) -> Iterable[str]:
    """Names of the watched link tables; a reverse direction with its own settings is `NAME.reverse`."""
    for spec, watch in ((link.spec, link.watch) for link in links):
        if watch[0]:
            yield spec.name
        if watch[1] and not (spec.same_queue and watch[0]):
            yield spec.name if spec.same_queue else f"{spec.name}.reverse"


def _check_in_engine(errors: ErrorCollector, resolved: Resolved, tree: Mapping[str, Any], links: list[Link]) -> None:
    """Check the invariants of the engine and the registries; errors get the paths of the file.

    The value of an error is looked up in `tree`, the scenario as written, and in the resolved one.
    """
    laws = python_law.used(form.text for form in resolved.links)
    if not errors.found and not laws and resolved.is_valid():
        return
    canonical, trees = resolved.canonical, (tree, resolved.shown)
    owners = {name: link.spec for link in links for name, _, _ in link.spec.copies.each}
    names = {head: {entry["name"] for entry in canonical[head]} for head in ("links", "traffic")}
    file_path = partial(_file_path, canonical=canonical, owners=owners, names=names)
    told = {error.path for error in errors.found}
    found = [] if told else _engine_errors(canonical, laws)
    if told or found:
        below = _keys_below(told)
        found += settings_errors(canonical, lambda path: below.get(file_path(path), set()))
    for error in found:
        path = file_path(error["path"])
        if path not in told:
            told.add(path)
            values = (_value_at(tree, path) for tree in trees)
            errors.add(path, error["message"], next((value for value in values if value is not ...), ...))


def _keys_below(paths: Iterable[str]) -> dict[str, set[str]]:
    """For each table, those of its keys that occur in any of the paths; a list counts by its name."""
    below: dict[str, set[str]] = {}
    for path in paths:
        for dot in re.finditer(r"\.", path):
            key = re.split(r"[.\[]", path[dot.end() :], maxsplit=1)[0]
            below.setdefault(path[: dot.start()], set()).add(key)
    return below


def _engine_errors(canonical: Mapping[str, Any], laws: dict[str, Callable[[Any, Any], Any]]) -> list[dict[str, str]]:
    with python_law.raising():
        found: list[dict[str, str]] = json.loads(_native.check(compact(canonical), laws))
    return found


def _file_path(
    path: str, canonical: Mapping[str, Any], owners: Mapping[str, LinkSpec], names: Mapping[str, Set[str]]
) -> str:
    """The file's path for a path of the canonical form (`links.NAME.queue.min_th`, `links[0].queue.params.min_th`)."""
    found = re.fullmatch(r"(links|traffic)\[(\d+)\]\.?(.*)", path)
    if found:
        head, name, rest = found[1], canonical[found[1]][int(found[2])]["name"], found[3]
    else:
        head, _, tail = path.partition(".")
        name, rest = _named(tail, names.get(head, ()))
        if not name:
            return path.removesuffix("_ns")
    rest = re.sub(r"\b(params|settings|tcp|udp)\.", "", rest)
    rest = {"payload": "packet", "stop_ns": "stop", "rtt_ns": "rtt", "shares": "queue.share"}.get(rest, rest)
    if head == "links":
        spec = owners[name.removesuffix(".reverse")]
        own = name.endswith(".reverse") and not (spec.same_queue and rest.startswith("queue"))
        name = f"{spec.name}.reverse" if own else spec.name
    return f"{head}.{name}.{rest}".rstrip(".")


def _named(tail: str, names: Container[str]) -> tuple[str, str]:
    """The longest name that the path `tail` begins with, and the keys below it; names may have dots."""
    parts = tail.split(".")
    for length in range(len(parts), 0, -1):
        if (name := ".".join(parts[:length])) in names:
            return name, ".".join(parts[length:])
    return "", tail


def _value_at(shown: Any, path: str) -> Any:
    for key in re.split(r"\.|(?=\[)", path):
        if isinstance(shown, list) and key.startswith("["):
            index = int(key[1:-1])
            shown = shown[index] if index < len(shown) else ...
        elif isinstance(shown, Mapping) and key in shown:
            shown = shown[key]
        else:
            return ...
    return shown
