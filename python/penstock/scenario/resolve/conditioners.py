"""The conditioners and shapers in front of the queue of a link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from penstock.aqms.catalog import Conditioner, find_conditioner
from penstock.errors import PenstockError
from penstock.scenario.resolve.classes import read_classes
from penstock.scenario.resolve.part_cache import PartCache
from penstock.scenario.resolve.reader import REQUIRED, Table, parse_string
from penstock.scenario.resolve.schemes import read_params
from penstock.scenario.resolve.settings import LengthContext, resolve_limit

Entry = dict[str, Any]

_HINTS = {
    "cir": 'unknown key; did you mean "rate"?',
    "cbs": 'unknown key; did you mean "burst"?',
    "scheme": 'unknown key; a conditioner is named by "kind"',
}


def conditioner_tables(table: Table) -> list[Table]:
    """The tables under `edge`; any other value is recorded as an error."""
    return table.inner_tables("edge", '{ kind = "tsw", rate = "1Mbit" }') or []


@dataclass(frozen=True, eq=False)
class ConditionerSpec:
    """A conditioner as read: the forms for the engine and to show."""

    canonical: Entry
    readable: Entry


_EDGES: PartCache[ConditionerSpec | None] = PartCache()


def read_conditioners(tables: list[Table], around: LengthContext) -> tuple[ConditionerSpec, ...]:
    """The conditioners of a link."""
    conditioners = (around.read(_EDGES, table, _read_conditioner) for table in tables)
    return tuple(edge for edge in conditioners if edge is not None)


def _read_conditioner(table: Table, around: LengthContext) -> ConditionerSpec | None:
    conditioner = _kind(table)
    if conditioner is None:
        return None
    params, readable = read_params(
        table, [param for param in conditioner.params if param.kind != "classes"], around, conditioner.name
    )
    readable = {"kind": conditioner.name, **readable}
    entry: Entry = {"kind": conditioner.name, "params": params}
    allowed = ["kind", *(param.name for param in conditioner.params)]
    if conditioner.is_shaper:
        allowed.append("limit")
        pair = table.parse_key("limit", lambda value: resolve_limit(value, around), ("inf", "inf"))
        entry["limit"], readable["limit"] = pair or ("inf", "inf")
    table.check_keys(allowed, lambda: {foreign: hint for foreign, hint in _HINTS.items() if foreign not in allowed})
    for param in conditioner.params:
        if param.kind == "classes":
            params[param.name], readable[param.name] = read_classes(table, param, conditioner, around)
    return ConditionerSpec(entry, readable)


def _kind(table: Table) -> Conditioner | None:
    name = table.parse_key("kind", parse_string, REQUIRED, advice='name one, such as kind = "tsw"')
    if name is None:
        return None
    try:
        return find_conditioner(name)
    except PenstockError as error:
        table.add_error("kind", str(error))
        return None
