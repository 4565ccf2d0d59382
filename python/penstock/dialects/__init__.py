"""Settings of queues in the words of routers, kernels and other simulators, both ways."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from penstock.dialects.conversion import Conversion, DialectError, Facts
from penstock.errors import UnknownNameError
from penstock.laws.catalog import find_scheme

__all__ = ["DIALECTS", "OTHERS", "Conversion", "DialectError", "Facts", "read", "write"]

DIALECTS = ("tc", "cisco", "junos", "sonic", "arista", "dummynet", "ns2", "ns3", "penstock")
"""Each is a module of this folder with `read(text, facts)` and `write(scheme, parameters, facts)`."""


OTHERS = DIALECTS[:-1]
"""Those that are not penstock's own."""

_WRITTEN_OUT = {
    **dict.fromkeys(("red", "choke"), ("min_th", "max_th", "max_p", "gentle")),
    "nonlinear": ("fill_level", "drop_probability", "interpolate"),
}
"""Parameters that are written out by scheme, where they are not given too, since their defaults differ; and `ecn`."""


def read(text: str, dialect: str, facts: Facts | None = None) -> Conversion:
    """The settings that a text gives. Raises `DialectError`."""
    found: Conversion = _module(dialect).read(text, facts or Facts())
    return found


def write(scheme: str, parameters: Mapping[str, Any], dialect: str, facts: Facts | None = None) -> Conversion:
    """Settings in a dialect. Raises `DialectError` if it has no such scheme.

    Defaults differ between dialects, so those of penstock that others have too are written out.
    """
    written = dict(parameters)
    if dialect != "penstock":
        known = {param.name: param.default for param in find_scheme(scheme).params}
        names = (*_WRITTEN_OUT.get(scheme, ()), "ecn")
        written = {**{name: known[name] for name in names if name in known}, **written}
    found: Conversion = _module(dialect).write(scheme, written, facts or Facts())
    if dialect != "penstock" and "limit" not in parameters and scheme not in ("cake", "wred", "pq", "wfq"):
        found.notes.append(f"no limit is given: that of {dialect} holds")
    return found


def _module(dialect: str) -> Any:
    if dialect not in DIALECTS:
        raise UnknownNameError("dialect", dialect, DIALECTS)
    return import_module(f"penstock.dialects.{dialect}")
