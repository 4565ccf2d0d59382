"""Changes of scenarios, from which readings of a work's set-up are made."""

from __future__ import annotations

from functools import reduce
from typing import Any

from penstock.reproduce.effort import Change
from penstock.scenario.scenario import Document

__all__ = ["together", "with_tcp"]


def with_tcp(**settings: Any) -> Change:
    """These settings for all TCP flows of a scenario."""

    def change(document: Document) -> Document:
        groups = [name for name, group in document.tree["traffic"].items() if group["kind"] == "tcp"]
        paths = [(f"traffic.{name}.{setting}", value) for name in groups for setting, value in settings.items()]
        return reduce(lambda made, at: made.set(*at), paths, document)

    return change


def together(*changes: Change | None) -> Change | None:
    """One change after the other; None if there is none."""
    some = [change for change in changes if change is not None]
    return (lambda document: reduce(lambda made, change: change(made), some, document)) if some else None
