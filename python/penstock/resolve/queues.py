"""A queue's table: its scheme, limit, parameters and the shares of time it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from penstock.catalog import Scheme, find_scheme
from penstock.faults import PenstockError, nearest
from penstock.resolve.reader import REQUIRED, Table, listed, text
from penstock.resolve.settings import Surroundings, canonical_limit, default_shown, setting
from penstock.units import Length, UnitError

SCHEDULER_KEYS = ("classes", "edge")


@dataclass(frozen=True)
class QueueSpec:
    """A queue as read: the engine's form, the form to show, and the intervals (a, b] whose share of time is wanted."""

    canonical: dict[str, Any]
    shown: dict[str, Any]
    shares: list[list[int]]


def read_queue(table: Table, around: Surroundings) -> QueueSpec | None:
    """The queue of a table; None where it has no scheme that exists."""
    scheme = _scheme(table)
    if scheme is None:
        return None
    limit, shown_limit = table.take("limit", lambda value: canonical_limit(value, around), ("inf", "inf")) or (
        None,
        None,
    )
    if isinstance(limit, Mapping):
        unit, amount = next(iter(limit.items()))
        around = Surroundings(around.rate, Length(unit, amount), around.rtt_ns)
    shares = table.take("share", _shares, [])
    params: dict[str, Any] = {}
    shown: dict[str, Any] = {"scheme": scheme.name, "limit": shown_limit}
    for param in scheme.params:
        if param.name in ("limit", "share"):
            continue
        if param.name not in table.values:
            if param.required:
                table.fault(param.name, f"is missing; {scheme.name} needs it: {param.doc}")
            elif (default := default_shown(param)) is not None:
                shown[param.name] = default
            continue
        pair = table.take(param.name, partial(setting, param, around=around))
        if pair is not None:
            params[param.name], shown[param.name] = pair
    known = ["scheme", "limit", *(param.name for param in scheme.params), "share"]
    table.known(known, SCHEDULER_KEYS, _foreign_names(known))
    if shares:
        shown["share"] = shares
    return QueueSpec({"scheme": scheme.name, "limit": limit, "params": params}, shown, shares or [])


def _scheme(table: Table) -> Scheme | None:
    name = table.take("scheme", text, REQUIRED, advice='name one, such as scheme = "red"')
    if name is None:
        return None
    try:
        return find_scheme(name)
    except PenstockError as error:
        table.fault("scheme", str(error))
        return None


def _shares(value: Any) -> list[list[int]]:
    pairs = listed(_pair, "pairs such as [5, 15]")(value)
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


# What other dialects call these parameters; told as a hint where such a name stands in a scenario.
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


def _foreign_names(known: list[str]) -> dict[str, str]:
    return {
        foreign: f'unknown key; did you mean "{ours}"?'
        for foreign, ours in _DIALECT.items()
        if ours in known and foreign not in known and not nearest(foreign, known)
    }
