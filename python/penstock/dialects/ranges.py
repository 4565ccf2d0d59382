"""The ranges of a scheme's parameters: the same for a converted queue as for one in a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from penstock.dialects.conversion import DialectError
from penstock.scenario.resolve import resolve

__all__ = ["check_ranges"]

_LINK = "links.link"
_PLACE = f"{_LINK}.queue"
_FAST = 400_000_000_000
"""A rate in bit/s that no class exceeds, for a link of unknown rate."""


def check_ranges(
    scheme: str, parameters: Mapping[str, Any], rate: float | None, link: Mapping[str, Any] | None = None
) -> None:
    """Raise `DialectError` with all parameters of a queue and keys of its link that a scenario would refuse."""
    errors = [*_errors(scheme, parameters, rate, link or {})]
    if errors:
        raise DialectError("; ".join(errors))


def _errors(scheme: str, parameters: Mapping[str, Any], rate: float | None, own: Mapping[str, Any]) -> Iterator[str]:
    # Shares of the buffer need a limit.
    queue = {"limit": "1000p" if _has_shares(parameters) else "inf", **parameters, "scheme": scheme}
    link = {"from": "A", "to": "B", "rate": f"{round(rate or _FAST)}bit", "delay": "10ms", "queue": queue, **own}
    traffic = {name: {"kind": "tcp", "from": "A", "to": "B"} for name in ["traffic", *_named(parameters)]}
    resolved = resolve({"duration": "1s", "links": {"link": link}, "traffic": traffic})
    for error in resolved.errors:
        # A missing parameter has the default of the other program, for which there is no value here.
        by_rate = rate is None and error.value == '"auto"'
        if error.path.startswith(tuple(f"{_LINK}.{key}" for key in own)):
            yield f"{error.path.removeprefix(_LINK)[1:]}: {error.message}"
        elif error.path.startswith(_PLACE) and error.value is not None and not by_rate:
            name = error.path.removeprefix(_PLACE).lstrip(".") or scheme
            yield f"{name} = {error.value}: {error.message}"


def _has_shares(parameters: Mapping[str, Any]) -> bool:
    return any(value == "buffer" or str(value).endswith("%") for value in parameters.values())


def _named(parameters: Mapping[str, Any]) -> Iterator[str]:
    """The traffic that conditions of classes name: any name is accepted, as a queue by itself has no traffic."""
    classes = parameters.get("classes", ())
    for one in classes if isinstance(classes, (list, tuple)) else ():
        match = one.get("match", {}) if isinstance(one, Mapping) else {}
        names = match.get("traffic", ()) if isinstance(match, Mapping) else ()
        yield from [names] if isinstance(names, str) else filter(lambda name: isinstance(name, str), names)
