"""The table of a queue: scheme, limit, parameters, and the intervals of length whose share of time is reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from penstock.scenario.resolve.classes import read_classes
from penstock.scenario.resolve.part_cache import PartCache
from penstock.scenario.resolve.reader import Table, list_parser
from penstock.scenario.resolve.schemes import foreign_name_hints, read_params, read_scheme
from penstock.scenario.resolve.settings import LengthContext, resolve_limit
from penstock.units import Length, UnitError

ELSEWHERE = {"edge": "belongs to the link, beside its queue"}


@dataclass(frozen=True, eq=False)
class QueueSpec:
    """A queue as read: the forms for the engine and to show, and the intervals (a, b] of its `share`."""

    canonical: dict[str, Any]
    readable: dict[str, Any]
    share_intervals: list[list[int]]


_QUEUES: PartCache[QueueSpec | None] = PartCache()


def read_queue(table: Table, around: LengthContext) -> QueueSpec | None:
    """The queue of a table; None if its scheme is missing or unknown."""
    return around.read(_QUEUES, table, _read_queue)


def _read_queue(table: Table, around: LengthContext) -> QueueSpec | None:
    scheme = read_scheme(table)
    if scheme is None:
        return None
    limit, readable_limit = table.parse_key("limit", lambda value: resolve_limit(value, around), ("inf", "inf")) or (
        None,
        None,
    )
    if isinstance(limit, Mapping):
        unit, amount = next(iter(limit.items()))
        around = LengthContext(around.rate, Length(unit, amount), around.rtt_ns)
    shares = table.parse_key("share", _shares, [])
    own = [param for param in scheme.params if param.name not in ("limit", "share")]
    params, readable = read_params(table, [param for param in own if param.kind != "classes"], around, scheme.name)
    readable = {"scheme": scheme.name, "limit": readable_limit, **readable}
    allowed = ["scheme", "limit", *(param.name for param in scheme.params), "share"]
    no_classes = {"classes": f"{scheme.name} has no classes; a scheduler such as wfq has"}
    table.check_keys(allowed, lambda: foreign_name_hints(allowed) | no_classes | ELSEWHERE)
    for param in own:
        if param.kind == "classes" and (param.required or param.name in table.values):
            params[param.name], readable[param.name] = read_classes(table, param, scheme, around)
    if shares:
        readable["share"] = shares
    return QueueSpec({"scheme": scheme.name, "limit": limit, "params": params}, readable, shares or [])


def _shares(value: Any) -> list[list[int]]:
    pairs = list_parser(_pair, "pairs such as [5, 15]")(value)
    return [list(pair) for pair in pairs]


def _pair(value: Any) -> tuple[int, int]:
    if (
        not isinstance(value, list)
        or len(value) != 2
        or any(isinstance(end, bool) or not isinstance(end, int) for end in value)
        or not 0 <= value[0] < value[1] <= 2**32 - 1
    ):
        raise UnitError("each share is a pair of whole numbers [a, b] with 0 <= a < b: the time with a < length <= b")
    return value[0], value[1]
