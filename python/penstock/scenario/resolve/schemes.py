"""Reads a scheme and its parameters from the table of a link's or a class's queue."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from penstock.aqms.catalog import Param, Scheme, find_scheme
from penstock.errors import PenstockError
from penstock.scenario.resolve.reader import REQUIRED, Table, parse_string
from penstock.scenario.resolve.settings import LengthContext, readable_default, resolve_setting


def read_params(
    table: Table, params: Iterable[Param], around: LengthContext, owner: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters of a table as (canonical, readable): canonical has the given ones, readable also the defaults."""
    canonical: dict[str, Any] = {}
    readable: dict[str, Any] = {}
    for param in params:
        if param.name not in table.values:
            if param.required:
                table.add_error(param.name, f"is missing; {owner} needs it: {param.doc}")
            elif (default := readable_default(param)) is not None:
                readable[param.name] = default
            continue
        pair = table.parse_key(param.name, partial(resolve_setting, param, around=around))
        if pair is not None:
            canonical[param.name], readable[param.name] = pair
    return canonical, readable


def read_scheme(table: Table) -> Scheme | None:
    """The scheme that a table names; None if there is none of that name."""
    name = table.parse_key("scheme", parse_string, REQUIRED, advice='name one, such as scheme = "red"')
    if name is None:
        return None
    try:
        return find_scheme(name)
    except PenstockError as error:
        table.add_error("scheme", str(error))
        return None


# Names of these parameters in other programs; a scenario that uses one gets a hint.
_DIALECT = {
    "min": "min_th",
    "max": "max_th",
    "minth": "min_th",
    "maxth": "max_th",
    "thresh": "min_th",
    "thresh_": "min_th",
    "maxthresh": "max_th",
    "maxthresh_": "max_th",
    "probability": "max_p",
    "linterm": "max_p",
    "qw": "w_q",
    "q_weight": "w_q",
    "q_weight_": "w_q",
    "wq": "w_q",
    "weight": "w_q",
    "avpkt": "mean_packet",
    "mean_pkt": "mean_packet",
    "meanpktsize": "mean_packet",
    "mean_pktsize": "mean_packet",
    "useecn": "ecn",
    "setbit_": "ecn",
    "gentle_": "gentle",
    "buffer": "limit",
    "maxsize": "limit",
    "queue_limit": "limit",
}


def foreign_name_hints(names: list[str]) -> dict[str, str]:
    """Hints for parameter names of other programs, for a table with these keys."""
    return {
        foreign: f'unknown key; did you mean "{ours}"?'
        for foreign, ours in _DIALECT.items()
        if ours in names and foreign not in names
    }
