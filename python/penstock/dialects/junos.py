"""Junos: drop profiles of class of service, segmented or interpolated: fill level and drop probability in percent.

An interpolated profile is a line through its points, from 0 % at an empty buffer to 100 % at a full one (Junos OS CoS
User Guide, "RED drop profiles"). A gentle RED whose top is the buffer is exactly that; a segmented one makes steps.
"""

from __future__ import annotations

import re
from typing import Any

from penstock.dialects.conversion import Conversion, DialectError, Facts, limit_packets, packets
from penstock.dialects.kinds import number
from penstock.dialects.red import DEFAULTS, list_unsaid, whole, whole_percent

__all__ = ["read", "write"]

FULL = 100


def read(text: str, facts: Facts) -> Conversion:
    """A profile that RED can say: no drops up to one level, a probability at a second one, and on to a full buffer."""
    del facts
    levels, shares = (_numbers(text, word) for word in ("fill-level", "drop-probability"))
    if len(levels) != len(shares) or not levels:
        raise DialectError(
            "expected a probability for each level, such as fill-level [ 25 75 ]; drop-probability [ 0 10 ];"
        )
    if "interpolate" not in text and len(levels) > 1:
        raise DialectError("a segmented profile makes steps, which no law of penstock does; use interpolate")
    points = sorted({(0, 0), (FULL, FULL), *zip(levels, shares, strict=True)})
    risen = [point for point in points if point[1] > 0]
    start = max((level for level, share in points if share == 0), default=0)
    notes = ["fill levels are parts of the buffer: give the queue a limit", "the weight of the average is the router's"]
    if len(risen) == 2 and risen[-1] == (FULL, FULL):
        (high, share), _ = risen
        settings = {"gentle": True, "gentle_top": "buffer", "max_p": number(share / 100)}
        return Conversion("red", {"min_th": f"{start}%", "max_th": f"{high}%", **settings}, notes=notes)
    if len(risen) == 1:
        return Conversion(
            "red", {"min_th": f"{start}%", "max_th": f"{FULL}%", "max_p": 1.0, "gentle": False}, notes=notes
        )
    shown = ", ".join(f"{level} % {share} %" for level, share in points)
    raise DialectError(f"RED has one bend below a full buffer; this profile has more: {shown}")


def _numbers(text: str, word: str) -> list[int]:
    found: list[int] = []
    for several, one in re.findall(rf"{word}\s+(?:\[\s*([\d\s]+)\]|(\d+))", text):
        found += [int(part) for part in (several or one).split()]
    return found


def write(scheme: str, parameters: dict[str, Any], facts: Facts) -> Conversion:
    """An interpolated profile. Raises `DialectError` for all but RED, and without a limit where it needs one."""
    if scheme != "red":
        raise DialectError(f"Junos has no {scheme}: it has drop profiles")
    found = Conversion(scheme, dict(parameters))
    limit = limit_packets(parameters, facts)
    low, high = (
        _percent(name, parameters.get(name, DEFAULTS[name]), facts, limit, found) for name in ("min_th", "max_th")
    )
    share = whole_percent(found, parameters.get("max_p", DEFAULTS["max_p"]))
    points = [(low, 0), (high, share)]
    if not parameters.get("gentle"):
        if high < FULL:
            points.append((min(FULL, high + 1), FULL))
            found.notes.append("the jump at max_th becomes a rise over 1 % of the buffer")
    elif parameters.get("gentle_top", "2max_th") == "2max_th":
        points.append((min(FULL, 2 * high), FULL))
    levels, shares = (" ".join(str(point[place]) for point in points) for place in (0, 1))
    body = f"fill-level [ {levels} ]; drop-probability [ {shares} ];"
    found.text = f"drop-profiles {{ penstock {{ interpolate {{ {body} }} }} }}"
    list_unsaid(found, {"min_th", "max_th", "max_p", "gentle", "gentle_top", "limit"})
    return found


def _percent(name: str, value: Any, facts: Facts, limit: float | None, found: Conversion) -> int:
    if isinstance(value, str) and value.endswith("%"):
        exact = float(value[:-1])
    elif limit is None:
        raise DialectError("fill levels are parts of the buffer: give the queue a limit")
    else:
        exact = 100 * packets(value, facts, limit) / limit
    return whole(found, f"fill level of {name}", exact, "%")
