"""RED's settings as several dialects need them: thresholds, weights that are powers of two, whole numbers and percents.

Each function notes in the conversion what it rounds.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from penstock.aqms.red_thresholds import automatic_threshold
from penstock.dialects.conversion import Conversion, DialectError, Facts, limit_packets, packets
from penstock.dialects.kinds import number, plain
from penstock.model.design import red_weight
from penstock.units import format_length, parse_size

__all__ = [
    "DEFAULTS",
    "NEVER",
    "list_unsaid",
    "note_weight",
    "packet_bytes",
    "power_of_two",
    "thresholds",
    "weight",
    "whole",
    "whole_percent",
]

DEFAULTS: dict[str, Any] = {"min_th": 5, "max_th": 15, "max_p": 0.1}
"""The defaults of the registry, for settings that are not given."""

NEVER = (1e6, 2e6, 1.0)
"""Thresholds in packets, and max_p, for packets that are never dropped early: no average reaches such a length."""

STRICT = "gentle = true: above the maximum threshold every packet is dropped"


def thresholds(found: Conversion, facts: Facts) -> tuple[float, float]:
    """min_th and max_th in packets."""
    limit = limit_packets(found.parameters, facts)
    low, high = (packets(_threshold(name, found, facts), facts, limit) for name in ("min_th", "max_th"))
    return low, high


def _threshold(name: str, found: Conversion, facts: Facts) -> Any:
    """min_th or max_th as given; an automatic one by the rate of the link. Raises `DialectError` without a rate."""
    given = found.parameters.get(name, DEFAULTS[name])
    if given != "auto":
        return given
    if facts.rate is None:
        raise DialectError(f'{name} = "auto" follows the rate of the link: give --rate RATE')
    table = {"mean_packet": f"{facts.packet}B", **found.parameters, "scheme": "red"}
    length = automatic_threshold(name, table, facts.rate)
    made = packets(given if length is None else format_length(length), facts)
    found.notes.append(f"{name} automatic: {plain(made)} packets at this rate")
    return made


def weight(found: Conversion, facts: Facts) -> float:
    """w_q; an automatic one by the rate of the link. Raises `DialectError` if that rate is unknown."""
    w_q = found.parameters.get("w_q", "auto")
    if not isinstance(w_q, str):
        return float(w_q)
    if facts.rate is None:
        raise DialectError(f'w_q = "{w_q}" follows the rate of the link: give --rate RATE')
    seconds = 0.1 if w_q == "auto_fast" else 1.0
    packet = parse_size(found.parameters.get("mean_packet", f"{facts.packet}B"))
    made = float(f"{float(red_weight(seconds * facts.rate / (8 * packet))):.4g}")
    found.notes.append(f"w_q automatic: {plain(made)} at this rate, a time constant of {plain(seconds)} s")
    if w_q == "auto_rtt":
        found.notes.append("w_q = auto_rtt: for round trips of up to 100 ms")
    return made


def packet_bytes(found: Conversion, facts: Facts) -> int:
    """Packet size for converting numbers of packets: the queue's own if it measures bytes."""
    given = found.parameters
    own = given.get("mean_packet") if given.get("measure_in") == "bytes" else None
    return facts.packet if own is None else int(parse_size(own))


def power_of_two(found: Conversion, w_q: float, largest: int, why: str) -> int:
    """N of the nearest w_q = 2^-n, from 1 to `largest`; `why` follows the note."""
    power = min(largest, max(1, round(-math.log2(w_q)))) if w_q > 0 else largest
    note_weight(found, w_q, power, why)
    return power


def note_weight(found: Conversion, w_q: float, power: int, why: str) -> None:
    """Note that w_q changes."""
    if 2.0**-power != w_q:
        found.notes.append(f"w_q = {plain(2.0**-power)} (2^-{power}) instead of {plain(number(w_q))}: {why}")


def whole(found: Conversion, name: str, exact: float, unit: str) -> int:
    """The nearest whole number."""
    made = round(exact)
    if abs(made - exact) > 1e-9:
        found.notes.append(f"{name} = {made} {unit} instead of {plain(number(exact))}")
    return made


def whole_percent(found: Conversion, share: float, least: int = 0) -> int:
    """max_p in whole percents."""
    return max(least, whole(found, "max_p", number(100 * share), "%"))


def list_unsaid(found: Conversion, known: Collection[str]) -> None:
    """List the parameters that the dialect cannot express: all outside `known`, including gentle."""
    if found.parameters.get("gentle") and "gentle" not in known:
        found.missing.append(STRICT)
    for name, value in found.parameters.items():
        if name not in known and name != "gentle" and value is not False:
            found.missing.append(f"{name} = {value}")
    found.notes = list(dict.fromkeys(found.notes))
