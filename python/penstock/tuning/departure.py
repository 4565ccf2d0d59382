"""How far a setting departs from the defaults of its scheme."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from penstock.aqms.catalog import Param, find_scheme
from penstock.scenario.loaded_link import LoadedLink

__all__ = ["departure_from_defaults"]

IGNORED_PARAMETERS = ("variant",)
"""Parameters that select an implementation to model, and are not configured on a router."""

_QUANTITY = re.compile(r"([\d.]+(?:e-?\d+)?)([A-Za-z]*)")


def departure_from_defaults(scheme: str, parameters: Mapping[str, Any], link: LoadedLink) -> float:
    """The sum over the parameters of |ln(value / default)|, at least 0.

    Words, booleans and lists that differ from the default count 1. The default of a limit is the present buffer.
    """
    defaults = {param.name: _default(param) for param in find_scheme(scheme).params}
    defaults["limit"] = f"{link.buffer_pkts:g}p"
    own = {name: value for name, value in parameters.items() if name not in IGNORED_PARAMETERS}
    return sum(_distance(value, defaults.get(name)) for name, value in own.items())


def _default(param: Param) -> Any:
    """The default of a parameter in the form that settings have: a number, or a time in ms."""
    default = param.default
    return f"{default['ns'] / 1e6:g}ms" if isinstance(default, Mapping) and "ns" in default else default


def _distance(value: Any, default: Any) -> float:
    start, end = _QUANTITY.fullmatch(str(value)), _QUANTITY.fullmatch(str(default))
    if isinstance(value, bool) or start is None or end is None or start[2] != end[2]:
        return float(value != default)
    first, last = float(start[1]), float(end[1])
    return abs(math.log(first / last)) if first > 0 and last > 0 else float(value != default)
