"""Changes of scenarios, from which readings of a paper's set-up are composed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import reduce
from typing import Any, overload

from penstock.reproduce.effort import Change
from penstock.scenario.document import Document

__all__ = ["combined_change", "fifo_limit_change", "queue_change", "tcp_change", "traffic_change"]


def tcp_change(**settings: Any) -> Change:
    """These settings for all TCP flows of a scenario."""
    return traffic_change(("tcp",), **settings)


def traffic_change(kinds: Collection[str], **settings: Any) -> Change:
    """These settings for all traffic of these kinds."""
    return _with(settings, "traffic", "", lambda group: group["kind"] in kinds)


def queue_change(schemes: Collection[str], **settings: Any) -> Change:
    """These settings for the queues of all links that have one of these schemes."""
    return _with(settings, "links", ".queue", lambda link: _scheme(link) in schemes)


def fifo_limit_change(limit: str) -> Change:
    """A FIFO of this limit for all links of a scenario that have no queue of their own."""
    return _with({"queue": {"scheme": "droptail", "limit": limit}}, "links", "", lambda link: link.get("queue") is None)


@overload
def combined_change(first: Change, /, *more: Change) -> Change: ...
@overload
def combined_change(*changes: Change | None) -> Change | None: ...
def combined_change(*changes: Change | None) -> Change | None:
    """The changes one after the other; None if there are none."""
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
