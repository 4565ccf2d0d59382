"""The forms of a part of a scenario: for the engine and to show, with their JSON texts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any, Final

from penstock import _native

__all__ = ["ResolvedLinkTable", "ResolvedTrafficTable", "compact", "readable_json_table", "sorted_text"]

compact: Final = json.JSONEncoder(separators=(",", ":")).encode
"""The JSON text of a value without spaces."""

_name_of = attrgetter("name")

sorted_text: Final = json.JSONEncoder(sort_keys=True).encode
"""The JSON text of a value with sorted keys."""


@dataclass(frozen=True, eq=False)
class ResolvedTable:
    """A table of links or traffic. Scenarios share it: change nothing in place.

    Attributes:
        name: name of the table.
        canonical: the form for the engine.
        readable: the form to show.

    """

    name: str
    canonical: Any
    readable: dict[str, Any]

    @cached_property
    def text(self) -> str:
        """The form for the engine as JSON."""
        return compact(self.canonical)

    @cached_property
    def content(self) -> str:
        """The name and the form to show, as an item of a JSON object with sorted keys."""
        return f"{sorted_text(self.name)}: {sorted_text(self.readable)}"


@dataclass(frozen=True, eq=False)
class ResolvedLinkTable(ResolvedTable):
    """A table of links; `canonical` lists both directions of each copy.

    Attributes:
        watched_rate: the sum of the mean rates of its watched directions in bit/s.

    """

    canonical: list[dict[str, Any]]
    watched_rate: float = 0.0

    @cached_property
    def file_contents(self) -> list[Any]:
        """The content of its files: capacities of its directions, and changes by files of rates."""
        capacities = [entry["capacity_ms"] for entry in self.canonical if entry["capacity_ms"]]
        changes = [*self.readable.get("change", ()), *self.readable.get("reverse", {}).get("change", ())]
        if not any("rates" in change for change in changes):
            return capacities
        return [*capacities, *([entry["change"], entry["outage"]] for entry in self.canonical)]

    @cached_property
    def native(self) -> _native.Links:
        """As read by the engine. Raises `ValueError` if it cannot be read."""
        return _native.Links(self.text)


class ResolvedTrafficTable(ResolvedTable):
    """A table of traffic."""

    canonical: dict[str, Any]

    @cached_property
    def native(self) -> _native.Traffic:
        """As read by the engine. Raises `ValueError` if it cannot be read."""
        return _native.Traffic(self.text)


def readable_json_table(forms: Iterable[ResolvedTable]) -> str:
    """The table of these forms to show, by name, as JSON with sorted keys."""
    return f"{{{', '.join(form.content for form in sorted(forms, key=_name_of))}}}"
