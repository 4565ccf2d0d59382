"""Shared queues with flows of one kind (figure 6); without this change both kinds are spread evenly over the queues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from penstock.scenario.document import Document
from penstock.units import format_time, parse_time

__all__ = ["SLOW", "with_queues_by_kind"]

SLOW, IDLE = "slow", "idle"
Group = Mapping[str, Any]


def with_queues_by_kind(document: Document) -> Document:
    """A scenario in which slow flows share the upper half of the queues, and all other flows the lower half.

    The queue of a flow is its number modulo the number of queues, so the groups are split and put in order. Where a
    group has no flow for a number, an idle flow takes the number; it starts in the last microsecond. With an odd number
    of queues, the middle one has equally many flows of both kinds.
    """
    traffic, queues = document.tree["traffic"], _queues(document)
    if queues is None or queues == 1 or set(traffic) == {"fast"}:
        return document
    end = format_time(parse_time(document.tree["duration"]) - 1000)
    sources = {name: _sources(group) for name, group in traffic.items()}
    parts: dict[str, Group] = {}
    for name, members in groupby(_order(traffic, queues)):
        kind, count = (SLOW if name == IDLE else name), len(list(members))
        group = {**traffic[kind], "count": count}
        if name == IDLE:
            group |= {"from": [_sources(traffic[kind])[0]] * count, "start": end}
        else:
            group["from"], sources[name] = sources[name][:count], sources[name][count:]
        parts[f"{name}-{len(parts)}"] = group
    return Document({**document.tree, "traffic": parts}, document.origins)


def _queues(document: Document) -> int | None:
    """The number of shared queues; None if each flow has its own."""
    queues = [link["queue"] for link in document.tree["links"].values() if isinstance(link.get("queue"), dict)]
    return next((queue["buckets"] for queue in queues if "buckets" in queue), None)


def _order(traffic: Mapping[str, Group], queues: int) -> Iterator[str]:
    """The name of each flow's group, in the order of flow numbers."""
    others = [name for name in traffic if name != SLOW]
    for turn in range(2 * int(traffic[SLOW]["count"]) // queues):
        for first, name in enumerate(others):
            for queue in range(queues):
                middle = 2 * queue + 1 == queues
                is_slow = turn % 2 == 1 if middle else 2 * queue + 1 > queues
                yield (IDLE if first else SLOW) if is_slow else name


def _sources(group: Group) -> list[str]:
    """The nodes of the senders of a group."""
    return [group["from"].format(i=i) for i in range(group["count"])]
