"""The network drawing of `penstock check`: nodes and links of a scenario as text, and the traffic that crosses them.

The *spine* is drawn from top to bottom. It is the path between inner nodes that crosses the most watched links, and the
longest such path. Each end node is drawn to the left of the spine, on its own line, with its whole path to the spine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.scenario.resolve.traffic import SHARED

__all__ = ["MAX_DRAWN", "topology_lines"]

MAX_DRAWN = 200
"""Maximum number of link tables of a network that is drawn; larger drawings fill several screens."""


@dataclass(frozen=True)
class _LinkGroup:
    """The copies of a link between two groups of nodes."""

    name: str
    ends: tuple[str, str]
    count: int
    label: str
    watched: bool

    def other_end(self, end: str) -> str:
        return self.ends[1] if end == self.ends[0] else self.ends[0]


@dataclass(frozen=True)
class _Branch:
    """A path from an end node to the spine, as text without the corner that joins the spine."""

    node: str
    text: str


def topology_lines(readable: Mapping[str, Any]) -> list[str]:
    """The picture of a resolved scenario.

    Args:
        readable: the resolved scenario in canonical text, as `Resolved.readable`.

    """
    edges = [_edge(name, link) for name, link in readable["links"].items()]
    if not edges:
        return []
    if len(edges) > MAX_DRAWN:
        return [f"{len(edges)} links, too many to draw", "", *_traffic(readable["traffic"])]
    lines: list[str] = []
    drawn: set[str] = set()
    for part in _parts(edges):
        spine = _spine(part)
        tree = _tree(part, spine)
        lines += ([""] if lines else []) + _draw(spine, tree)
        drawn |= {edge.name for edge in spine[1::2] if isinstance(edge, _LinkGroup)} | {
            edge.name for edge, _ in tree.values()
        }
    lines += [f"also  {_both(edge)}" for edge in edges if edge.name not in drawn]
    return [*lines, "", *_traffic(readable["traffic"])]


# ---- from tables to a graph -----------------------------------------------------------------------------------------


def _edge(name: str, link: Mapping[str, Any]) -> _LinkGroup:
    reverse = link.get("reverse", {})
    label = [name, _short(link["rate"]), _short(link["delay"])]
    label += [_queue(link[key]) for key in ("queue",) if link.get(key)]
    label += [f"edge: {', '.join(stage['kind'] for stage in link['edge'])}"] if link.get("edge") else []
    label += [
        key for key in ("loss", "outage", "jitter", "reorder", "duplicate", "change", "device_queue") if link.get(key)
    ]
    if reverse:
        back = [_short(reverse[key]) for key in ("rate", "delay") if key in reverse]
        back += [_queue(reverse["queue"])] if reverse.get("queue") else []
        label += [f"(reverse: {', '.join(back)})"] if back else []
    watched = bool(link.get("watch") or reverse.get("watch"))
    return _LinkGroup(name, (link["from"], link["to"]), link.get("count", 1), " ".join(label), watched)


def _queue(queue: Any) -> str:
    if isinstance(queue, str):
        return f"{queue} queue"
    classes = queue.get("classes", [])
    inside = f" of {', '.join(str(entry.get('name', '?')) for entry in classes)}" if classes else ""
    return f"[{queue['scheme']} {queue.get('limit', 'inf')}{inside}]"


def _short(value: Any) -> str:
    """A value, or its distribution, in few characters."""
    if not isinstance(value, Mapping):
        return str(value)
    kind, drawn = next(iter(value.items()))
    if isinstance(drawn, list):
        return f"{drawn[0]}..{drawn[-1]}"
    return f"{kind} {drawn}"


def _parts(edges: Sequence[_LinkGroup]) -> Iterator[list[_LinkGroup]]:
    """The connected components of the edges, in the order of the file."""
    left = list(edges)
    while left:
        nodes, part = set(left[0].ends), list[_LinkGroup]()
        while edges_here := [edge for edge in left if nodes & set(edge.ends)]:
            part += edges_here
            left = [edge for edge in left if edge not in edges_here]
            nodes |= {end for edge in edges_here for end in edge.ends}
        yield [edge for edge in edges if edge in part]


def _by_node(edges: Sequence[_LinkGroup]) -> dict[str, list[_LinkGroup]]:
    """The edges at each node."""
    nodes: dict[str, list[_LinkGroup]] = {}
    for edge in edges:
        for end in dict.fromkeys(edge.ends):
            nodes.setdefault(end, []).append(edge)
    return nodes


def _spine(edges: Sequence[_LinkGroup]) -> list[str | _LinkGroup]:
    """Node, edge, node, ...: the shortest path between core nodes with most watched links, then most links."""
    nodes = _by_node(edges)
    inner = {node for node, own in nodes.items() if len({edge.other_end(node) for edge in own}) > 1}
    core = inner | {end for edge in edges if edge.watched for end in edge.ends}
    core = core or set(edges[0].ends)
    within = _by_node([edge for edge in edges if set(edge.ends) <= core])
    ways = (_ways(within, node) for node in nodes if node in core)
    best = max((way for group in ways for way in group), key=lambda way: (sum(map(_watched, way)), len(way)))
    first = next((edge for edge in best if isinstance(edge, _LinkGroup)), None)
    return best if first is None or best[0] == first.ends[0] else best[::-1]


def _watched(step: str | _LinkGroup) -> bool:
    return isinstance(step, _LinkGroup) and step.watched


def _ways(edges: Mapping[str, Sequence[_LinkGroup]], start: str) -> list[list[str | _LinkGroup]]:
    """A shortest path to each reachable node; of parallel edges, the watched one."""
    ways: dict[str, list[str | _LinkGroup]] = {start: [start]}
    for way in (queue := [ways[start]]):
        node = str(way[-1])
        for edge in sorted(edges.get(node, ()), key=lambda edge: not edge.watched):
            if (other := edge.other_end(node)) not in ways:
                ways[other] = [*way, edge, other]
                queue.append(ways[other])
    return queue


def _tree(edges: Sequence[_LinkGroup], spine: Sequence[str | _LinkGroup]) -> dict[str, tuple[_LinkGroup, str]]:
    """For each node off the spine, the edge and the node that connect it to the spine."""
    parents: dict[str, tuple[_LinkGroup, str]] = {}
    nodes = _by_node(edges)
    reached = [str(node) for node in spine[::2]]
    for node in reached:
        for edge in nodes[node]:
            if (other := edge.other_end(node)) not in reached:
                parents[other] = (edge, node)
                reached.append(other)
    return parents


# ---- drawing --------------------------------------------------------------------------------------------------------


def _draw(spine: Sequence[str | _LinkGroup], tree: Mapping[str, tuple[_LinkGroup, str]]) -> list[str]:
    branches = list(_branches(tree))
    width = max((len(branch.text) for branch in branches), default=0)
    pad = " " * (width + 1) if branches else ""
    lines = []
    for place, step in enumerate(spine):
        if isinstance(step, _LinkGroup):
            lines.append(f"{pad}{'║' if step.watched else '│'}  {step.label}{_times(step)}")
            continue
        own = [branch for branch in branches if branch.node == step]
        last = place == len(spine) - 1
        upper = [] if last else own
        lines += [f"{branch.text:─<{width}}─{'┐' if i == 0 and place == 0 else '┤'}" for i, branch in enumerate(upper)]
        lines.append(f"{pad}{step}")
        lower = own if last else []
        lines += [f"{branch.text:─<{width}}─{'┘' if i == len(lower) - 1 else '┤'}" for i, branch in enumerate(lower)]
    return lines


def _branches(tree: Mapping[str, tuple[_LinkGroup, str]]) -> Iterator[_Branch]:
    """The end nodes off the spine, each with its path to the spine."""
    inner = {parent for _, parent in tree.values()}
    for end in tree:
        if end in inner:
            continue
        text, node = end, end
        while node in tree:
            edge, node = tree[node]
            stop = f" {node}" if node in tree else ""
            text += f"{_times(edge)} ── {edge.label} ─{stop}"
        yield _Branch(node, text)


def _both(edge: _LinkGroup) -> str:
    return f"{edge.ends[0]}{_times(edge)} ── {edge.label} ── {edge.ends[1]}"


def _times(edge: _LinkGroup) -> str:
    return f" ×{edge.count}" if edge.count != 1 else ""


def _traffic(traffic: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    rows = [(name, _kind(entry), _route(entry)) for name, entry in traffic.items()]
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(2)]
    for name, kind, route in rows:
        yield f"{name:{widths[0]}}  {kind:{widths[1]}}  {route}"


def _kind(entry: Mapping[str, Any]) -> str:
    flavour = f" {entry['flavour']}" if "flavour" in entry else ""
    rate = f" {_short(entry['rate'])}" if "rate" in entry else ""
    count = next(entry[key] for key in ("count", *SHARED.values()) if key in entry)
    return f"{count} × {entry['kind']}{flavour}{rate}"


def _route(entry: Mapping[str, Any]) -> str:
    return " → ".join(entry["path"]) if entry.get("path") else f"{_ends(entry['from'])} → {_ends(entry['to'])}"


def _ends(ends: Any) -> str:
    """A name, or a list of names with consecutive numbers abbreviated."""
    if isinstance(ends, str):
        return ends
    if len(ends) > 3 and all(re.sub(r"\d+", "", end) == re.sub(r"\d+", "", ends[0]) for end in ends):
        return f"{ends[0]}..{ends[-1]}"
    return ", ".join(ends)
