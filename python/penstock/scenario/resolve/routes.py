"""Routes of flows: reachability, given paths, and the propagation round trip of the flows over a link."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

from penstock.scenario.resolve.links import LinkTable
from penstock.scenario.resolve.part_cache import PartCache

MAX_PAIRS = 2000


@dataclass(frozen=True, eq=False)
class Topology:
    """The nodes of a scenario, and which of them are joined by links.

    Attributes:
        edges: for each node, the nodes that a link leads to.
        is_complete: whether every link could be read; else missing links are not reported.

    """

    edges: Mapping[str, Mapping[str, None]]
    is_complete: bool

    @classmethod
    def from_links(cls, links: Iterable[LinkTable], *, complete: bool) -> Topology:
        """The topology of links; the same object for the same copies of links."""
        copies = tuple(link.spec.copies for link in links if link.spec.has_nodes)

        def build_topology() -> Topology:
            edges: dict[str, dict[str, None]] = {}
            for _, source, target in chain.from_iterable(part.names_and_nodes for part in copies):
                edges.setdefault(source, {})[target] = None
                edges.setdefault(target, {})[source] = None
            return cls(edges, complete)

        return _TOPOLOGIES.get_or_make((copies, complete), build_topology, lambda topology: len(topology.edges))

    def __contains__(self, node: str) -> bool:
        return node in self.edges

    @cached_property
    def component_numbers(self) -> dict[str, int]:
        """The number of the connected component of each node."""
        parts: dict[str, int] = {}
        for number, start in enumerate(self.edges):
            stack = [start] if start not in parts else []
            while stack:
                node = stack.pop()
                if node not in parts:
                    parts[node] = number
                    stack.extend(self.edges[node])
        return parts

    def are_joined(self, source: str, target: str) -> bool:
        """Whether there is a path between two nodes; no path leads to a node without links."""
        return source in self and target in self and self.component_numbers[source] == self.component_numbers[target]


_TOPOLOGIES: PartCache[Topology] = PartCache()


class Network:
    """The directed links of a scenario, with their propagation delays in ns."""

    def __init__(self, links: list[LinkTable], topology: Topology) -> None:
        self._links = links
        self._topology = topology
        self._routes: dict[tuple[str, str], list[tuple[int, str]]] = {}

    @cached_property
    def edges(self) -> dict[str, dict[str, tuple[int, str]]]:
        """For each node, the links to other nodes, each as (delay, name); of parallel links, the fastest."""
        edges: dict[str, dict[str, tuple[int, str]]] = {}

        def add_link(source: str, target: str, delay: int, name: str) -> None:
            edge = edges.setdefault(source, {}).get(target)
            if edge is None or delay < edge[0]:
                edges[source][target] = (delay, name)

        for spec in (link.spec for link in self._links if link.spec.has_nodes):
            for i, (name, source, target) in enumerate(spec.copies.names_and_nodes):
                there = spec.forward.delay.value_if_fixed(i, spec.count) if spec.forward.delay else 0
                back = spec.backward.delay.value_if_fixed(i, spec.count) if spec.backward.delay else 0
                add_link(source, target, there or 0, name)
                add_link(target, source, back or 0, f"{name}.reverse")
        return edges

    def route(self, source: str, target: str) -> list[tuple[int, str]]:
        """The links of the path of least delay, each as (delay, name); of equal paths, the one with fewer links."""
        if source == target or not self._topology.are_joined(source, target):
            return []
        # A node with a single link has only one way out, so paths are searched and stored only between the other nodes.
        if len(self.edges[source]) == 1:
            ((neighbour, link),) = self.edges[source].items()
            return [link, *self.route(neighbour, target)]
        if len(self.edges[target]) == 1:
            (neighbour,) = self.edges[target]
            return [*self.route(source, neighbour), self.edges[neighbour][target]]
        if (source, target) not in self._routes:
            self._routes[source, target] = self._search(source, target)
        return self._routes[source, target]

    def _search(self, source: str, target: str) -> list[tuple[int, str]]:
        best: dict[str, tuple[int, int]] = {source: (0, 0)}
        before: dict[str, str] = {}
        heap = [(0, 0, source)]
        while heap:
            delay, hops, node = heapq.heappop(heap)
            if node == target:
                break
            if (delay, hops) > best[node]:
                continue
            for neighbour, (cost, _) in self.edges[node].items():
                reached = (delay + cost, hops + 1)
                if neighbour not in best or reached < best[neighbour]:
                    best[neighbour] = reached
                    before[neighbour] = node
                    heapq.heappush(heap, (*reached, neighbour))
        links: list[tuple[int, str]] = []
        node = target
        while node != source:
            links.append(self.edges[before[node]][node])
            node = before[node]
        return links[::-1]

    def along(self, path: list[str]) -> list[tuple[int, str]]:
        """The links of a given path; empty if two of its nodes are not joined."""
        links = [self.edges.get(here, {}).get(there) for here, there in pairwise(path)]
        return [] if None in links else [link for link in links if link is not None]

    def link_names(self, source: str, target: str, path: Sequence[str] | None = None) -> list[str]:
        """The names of the links along a given path or the shortest one."""
        return [name for _, name in (self.along(list(path)) if path else self.route(source, target))]

    def count_pairs_by_link(self, groups: Iterable[Iterable[tuple[str, str, list[str] | None]]]) -> Counter[str]:
        """For each link direction, the number of different (from, to, path) of the groups that cross it."""
        loads: Counter[str] = Counter()
        for flows in groups:
            for source, target, path in _distinct(flows):
                loads.update(self.link_names(source, target, path))
        return loads

    def longest_round_trip(self, link: str, flows: Iterable[tuple[str, str, list[str] | None]]) -> int | None:
        """The largest propagation round trip in ns of the flows (from, to, path) over the direction `link`."""
        longest = None
        for source, target, path in _distinct(flows):
            there = self.along(list(path)) if path else self.route(source, target)
            if any(name == link for _, name in there):
                back = self.along(list(path)[::-1]) if path else self.route(target, source)
                trip = sum(delay for delay, _ in there) + sum(delay for delay, _ in back)
                longest = max(longest or 0, trip)
        return longest


def _distinct(flows: Iterable[tuple[str, str, list[str] | None]]) -> list[tuple[str, str, tuple[str, ...] | None]]:
    """The different (from, to, path) of flows, at most `MAX_PAIRS`."""
    return list(dict.fromkeys((a, b, tuple(p) if p else None) for a, b, p in flows))[:MAX_PAIRS]
