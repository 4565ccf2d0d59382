"""Cisco IOS and IOS XE: `random-detect` of a class in a policy map (QoS: Congestion Avoidance Configuration Guide).

The average is (old (1 - 2^-n)) + (queue 2^-n) with the exponential-weighting-constant n; at the maximum threshold one
of mark-denominator packets is dropped, above it all.
"""

from __future__ import annotations

import re
from typing import Any

from penstock.dialects.conversion import Conversion, DialectError, Facts, limit_packets, packets
from penstock.dialects.kinds import number
from penstock.dialects.red import DEFAULTS, list_unsaid, power_of_two, weight, whole

__all__ = ["read", "write"]

_PROFILE = re.compile(r"random-detect\s+(precedence|dscp)\s+(\S+)\s+(\d+)\s+(\d+)(?:\s+(\d+))?")
DEFAULT_CONSTANT, DEFAULT_DENOMINATOR = 9, 10
PRECEDENCES = 8
LARGEST_CONSTANT = 16


def read(text: str, facts: Facts) -> Conversion:
    """One class of a policy map: RED if all its profiles are equal, else WRED by precedence or by drop precedence."""
    del facts
    if "random-detect" not in text:
        limit = re.search(r"queue-limit\s+(\d+)(?:\s+packets)?", text)
        if limit is None:
            raise DialectError("expected random-detect, or queue-limit")
        return Conversion("droptail", {"limit": f"{limit[1]}p"})
    profiles = _PROFILE.findall(text)
    constant = re.search(r"exponential-weighting-constant\s+(\d+)", text)
    power = int(constant[1]) if constant else DEFAULT_CONSTANT
    common: dict[str, Any] = {"w_q": 2.0**-power, "spacing": "count", "gentle": False}
    if (limit := re.search(r"queue-limit\s+(\d+)", text)) is not None:
        common["limit"] = f"{limit[1]}p"
    if re.search(r"random-detect\s+ecn", text):
        common["ecn"] = True
    if not profiles:
        raise DialectError("random-detect without thresholds has the router's own; give precedence or dscp lines")
    numbers = [
        (float(low), float(high), number(1 / int(den or DEFAULT_DENOMINATOR))) for _, _, low, high, den in profiles
    ]
    notes = [f"w_q = 2^-{power}", "thresholds are packets; max_p is 1 / mark-denominator"]
    if len(set(numbers)) == 1:
        low, high, max_p = numbers[0]
        return Conversion("red", {**common, "min_th": low, "max_th": high, "max_p": max_p}, notes=notes)
    columns = {
        name: list(column)
        for name, column in zip(("min_th", "max_th", "max_p"), zip(*numbers, strict=True), strict=True)
    }
    found = Conversion("wred", {**{k: v for k, v in common.items() if k != "gentle"}, **columns}, notes=notes)
    if profiles[0][0] == "precedence":
        found.parameters["precedence"] = "ip"
    found.notes.append("profiles in the order given: " + ", ".join(name for _, name, *_ in profiles))
    return found


def write(scheme: str, parameters: dict[str, Any], facts: Facts) -> Conversion:
    """The lines of a class. Raises `DialectError` for all but drop-tail, RED and WRED."""
    found = Conversion(scheme, dict(parameters))
    limit = limit_packets(parameters, facts)
    lines = [] if limit is None else [f"queue-limit {whole(found, 'limit', limit, 'packets')} packets"]
    if scheme not in ("droptail", "red", "wred"):
        raise DialectError(f"Cisco IOS has no {scheme}: it has queue-limit and random-detect")
    if scheme != "droptail":
        lines += _lines(found, facts, limit)
    found.text = "\n".join(lines)
    return found


def _lines(found: Conversion, facts: Facts, limit: float | None) -> list[str]:
    given = found.parameters
    lows, highs, shares = (_list(given.get(name, DEFAULTS[name])) for name in ("min_th", "max_th", "max_p"))
    if found.scheme == "red":
        lows, highs, shares = lows * PRECEDENCES, highs * PRECEDENCES, shares * PRECEDENCES
    by_class = found.scheme == "wred" and given.get("precedence", "af") == "af"
    power = power_of_two(found, weight(found, facts), LARGEST_CONSTANT, "IOS has powers of two")
    lines = ["random-detect dscp-based" if by_class else "random-detect"]
    lines.append(f"random-detect exponential-weighting-constant {power}")
    for place, (low, high, max_p) in enumerate(zip(lows, highs, shares, strict=True)):
        name = f"dscp af1{place + 1}" if by_class else f"precedence {place}"
        first, last = (
            whole(found, key, packets(value, facts, limit), "packets")
            for key, value in (("min_th", low), ("max_th", high))
        )
        denominator = max(1, whole(found, "the mark denominator", number(1 / max_p), "packets"))
        lines.append(f"random-detect {name} {first} {last} {denominator}")
    if given.get("ecn"):
        lines.append("random-detect ecn")
    list_unsaid(found, {"limit", "min_th", "max_th", "max_p", "w_q", "ecn", "spacing", "precedence", "variant"})
    return lines


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
