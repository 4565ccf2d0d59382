"""The conditioners and shapers in front of the queue of a link."""

from __future__ import annotations

from typing import Any

from penstock.errors import PenstockError
from penstock.laws.catalog import Conditioner, find_conditioner
from penstock.scenario.resolve.classes import read_classes
from penstock.scenario.resolve.reader import REQUIRED, Table, text
from penstock.scenario.resolve.schemes import read_params
from penstock.scenario.resolve.settings import Surroundings, canonical_limit

Entry = dict[str, Any]

_HINTS = {
    "cir": 'unknown key; did you mean "rate"?',
    "cbs": 'unknown key; did you mean "burst"?',
    "scheme": 'unknown key; a conditioner is named by "kind"',
}


def edge_tables(table: Table) -> list[Table]:
    """The tables under `edge`; any other value is recorded as an error."""
    return table.tables("edge", '{ kind = "tsw", rate = "1Mbit" }') or []


def read_edge(tables: list[Table], around: Surroundings) -> tuple[list[Entry], list[Entry]]:
    """The conditioners of a link as (canonical, shown)."""
    pairs = [pair for table in tables if (pair := _read_conditioner(table, around)) is not None]
    return [canonical for canonical, _ in pairs], [shown for _, shown in pairs]


def _read_conditioner(table: Table, around: Surroundings) -> tuple[Entry, Entry] | None:
    conditioner = _kind(table)
    if conditioner is None:
        return None
    params, shown = read_params(
        table, [param for param in conditioner.params if param.kind != "classes"], around, conditioner.name
    )
    shown = {"kind": conditioner.name, **shown}
    entry: Entry = {"kind": conditioner.name, "params": params}
    known = ["kind", *(param.name for param in conditioner.params)]
    if conditioner.holds:
        known.append("limit")
        pair = table.take("limit", lambda value: canonical_limit(value, around), ("inf", "inf"))
        entry["limit"], shown["limit"] = pair or ("inf", "inf")
    table.known(known, {foreign: hint for foreign, hint in _HINTS.items() if foreign not in known})
    for param in conditioner.params:
        if param.kind == "classes":
            params[param.name], shown[param.name] = read_classes(table, param, conditioner, around)
    return entry, shown


def _kind(table: Table) -> Conditioner | None:
    name = table.take("kind", text, REQUIRED, advice='name one, such as kind = "tsw"')
    if name is None:
        return None
    try:
        return find_conditioner(name)
    except PenstockError as error:
        table.error("kind", str(error))
        return None
