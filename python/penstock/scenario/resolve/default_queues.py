"""Defaults of links: which links are watched, and the buffer of a watched link without a `queue`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from typing import Any, Final

from penstock.scenario.resolve.links import LinkTable
from penstock.scenario.resolve.routes import Network
from penstock.scenario.resolve.traffic import TrafficTable

__all__ = ["LEAST_PACKETS", "default_queue", "with_default_watch"]

LEAST_PACKETS: Final = 20
"""The smallest buffer of a watched link without a `queue`, in packets."""


def default_queue(rate: float, rtt_ns: int | None, packet: float) -> dict[str, Any]:
    """The default queue of a watched link: drop-tail of one bandwidth-delay product, at least 20 packets.

    `rate` is in bit/s, `packet` the largest packet on the wire in bytes; without a round trip the buffer is
    `LEAST_PACKETS`.
    """
    product = rate * (rtt_ns or 0) / 8e9
    limit = f"{LEAST_PACKETS}p" if product < LEAST_PACKETS * packet else f"{round(product)}B"
    return {"scheme": "droptail", "limit": limit}


def with_default_watch(links: list[LinkTable], network: Network, traffic: Iterable[TrafficTable]) -> list[LinkTable]:
    """The links. If no link has the key `watch`, the slowest link that data cross becomes watched.

    Its forward direction is always watched, its reverse direction if data cross it. Among equally slow links, those
    with a `queue` are watched; if none has a `queue`, the link that the most pairs of nodes send over.
    """
    if any(watch is not None for link in links for watch in (link.spec.forward.watch, link.spec.backward.watch)):
        return links
    loads = network.count_pairs_by_link(spec.flow_routes() for spec in traffic)
    slowest = _slowest(links, loads)
    return [
        replace(link, watch=(True, _load(link, loads, back=True) > 0)) if link in slowest else link for link in links
    ]


def _slowest(links: list[LinkTable], loads: Counter[str]) -> list[LinkTable]:
    crossed = [link for link in links if _load(link, loads) > 0] or links
    lowest_rate = min(map(_rate, crossed), default=math.inf)
    slowest = [link for link in crossed if _rate(link) == lowest_rate]
    return [link for link in slowest if link.spec.forward.has_queue] or sorted(
        slowest, key=lambda link: -_load(link, loads)
    )[:1]


def _rate(link: LinkTable) -> float:
    """The lowest mean rate of the copies and directions of a link in bit/s."""
    spec = link.spec
    rates = (side.rate for side in (spec.forward, spec.backward) if side.rate is not None)
    return min((rate.mean(i, spec.count) for rate in rates for i in {0, spec.count - 1}), default=math.inf)


def _load(link: LinkTable, loads: Counter[str], *, back: bool = False) -> int:
    """The maximum number of pairs of nodes that send over a copy of a link; with `back`, in its reverse direction."""
    names = [name for name, _, _ in link.spec.copies.names_and_nodes]
    reverse = (f"{name}.reverse" for name in names)
    return max((loads[name] for name in (reverse if back else chain(names, reverse))), default=0)
