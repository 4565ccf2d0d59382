"""Changes of scenarios, from which readings of a paper's set-up are composed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import reduce
from typing import Any, overload

from penstock.reproduce.effort import Change
from penstock.scenario.document import Document

__all__ = ["combined_change", "fifo_limit_change", "queue_change", "tcp_change", "traffic_change"]


def tcp_change(**settings: Any) -> Change:
    """A change of scenarios that gives all TCP flows these settings."""
    return traffic_change(("tcp",), **settings)


def traffic_change(kinds: Collection[str], **settings: Any) -> Change:
    """A change of scenarios that gives all traffic of these kinds these settings."""
    return _with(settings, "traffic", "", lambda group: group["kind"] in kinds)


def queue_change(schemes: Collection[str], **settings: Any) -> Change:
    """A change of scenarios that gives the queues with one of these schemes, on all links, these settings."""
    return _with(settings, "links", ".queue", lambda link: _scheme(link) in schemes)


def fifo_limit_change(limit: str) -> Change:
    """A change of scenarios that gives all links without a queue of their own a FIFO of this limit."""
    return _with({"queue": {"scheme": "droptail", "limit": limit}}, "links", "", lambda link: link.get("queue") is None)


@overload
def combined_change(first: Change, /, *more: Change) -> Change: ...
@overload
def combined_change(*changes: Change | None) -> Change | None: ...
def combined_change(*changes: Change | None) -> Change | None:
    """A change that applies these changes one after the other; None if all of them are None."""
    some = [change for change in changes if change is not None]
    return (lambda document: reduce(lambda changed, change: change(changed), some, document)) if some else None


def _with(
    settings: Mapping[str, Any], kind: str, part: str, is_affected: Callable[[Mapping[str, Any]], bool]
) -> Change:
    def change(document: Document) -> Document:
        names = [name for name, element in document.tree[kind].items() if is_affected(element)]
        paths = [(f"{kind}.{name}{part}.{setting}", value) for name in names for setting, value in settings.items()]
        return reduce(lambda changed, at: changed.set(*at), paths, document)

    return change


def _scheme(link: Mapping[str, Any]) -> str | None:
    queue = link.get("queue")
    return queue["scheme"] if isinstance(queue, dict) else None
