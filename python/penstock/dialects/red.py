"""RED's settings as several dialects need them: thresholds, weights that are powers of two, whole numbers and percents.

Each function notes in the conversion what it rounds.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from penstock.aqms.red_thresholds import automatic_threshold
from penstock.dialects.conversion import (
    Conversion,
    ConversionContext,
    DialectError,
    length_in_packets,
    limit_in_packets,
)
from penstock.dialects.value_kinds import format_number, round_to_12_digits
from penstock.model.design import red_weight
from penstock.units import format_length, parse_size

__all__ = [
    "DEFAULTS",
    "NEVER",
    "averaging_weight",
    "list_lost_parameters",
    "max_p_percent",
    "nearest_weight_exponent",
    "note_weight_change",
    "packet_bytes",
    "round_parameter",
    "thresholds_in_packets",
]

DEFAULTS: dict[str, Any] = {"min_th": 5, "max_th": 15, "max_p": 0.1}
"""The defaults of the registry, for settings that are not given."""

NEVER = (1e6, 2e6, 1.0)
"""Thresholds in packets, and max_p, for packets that are never dropped early: no average reaches such a length."""

STRICT = "gentle = true: above the maximum threshold every packet is dropped"


def thresholds_in_packets(found: Conversion, facts: ConversionContext) -> tuple[float, float]:
    """min_th and max_th in packets."""
    limit = limit_in_packets(found.parameters, facts)
    low, high = (length_in_packets(_threshold(name, found, facts), facts, limit) for name in ("min_th", "max_th"))
    return low, high


def _threshold(name: str, found: Conversion, facts: ConversionContext) -> Any:
    """min_th or max_th as given; an automatic one by the rate of the link. Raises `DialectError` without a rate."""
    given = found.parameters.get(name, DEFAULTS[name])
    if given != "auto":
        return given
    if facts.rate is None:
        raise DialectError(f'{name} = "auto" follows the rate of the link: give --rate RATE')
    table = {"mean_packet": f"{facts.packet}B", **found.parameters, "scheme": "red"}
    length = automatic_threshold(name, table, facts.rate)
    made = length_in_packets(given if length is None else format_length(length), facts)
    found.notes.append(f"{name} automatic: {format_number(made)} packets at this rate")
    return made


def averaging_weight(found: Conversion, facts: ConversionContext) -> float:
    """w_q of the queue; "auto" follows from the rate of the link. Raises `DialectError` if that rate is unknown."""
    w_q = found.parameters.get("w_q", "auto")
    if not isinstance(w_q, str):
        return float(w_q)
    if facts.rate is None:
        raise DialectError(f'w_q = "{w_q}" follows the rate of the link: give --rate RATE')
    seconds = 0.1 if w_q == "auto_fast" else 1.0
    packet = parse_size(found.parameters.get("mean_packet", f"{facts.packet}B"))
    made = float(f"{float(red_weight(seconds * facts.rate / (8 * packet))):.4g}")
    found.notes.append(
        f"w_q automatic: {format_number(made)} at this rate, a time constant of {format_number(seconds)} s"
    )
    if w_q == "auto_rtt":
        found.notes.append("w_q = auto_rtt: for round trips of up to 100 ms")
    return made


def packet_bytes(found: Conversion, facts: ConversionContext) -> int:
    """Packet size for converting numbers of packets: the queue's own if it measures bytes."""
    given = found.parameters
    own = given.get("mean_packet") if given.get("measure_in") == "bytes" else None
    return facts.packet if own is None else int(parse_size(own))


def nearest_weight_exponent(found: Conversion, w_q: float, largest: int, why: str) -> int:
    """Integer n of the w_q = 2^-n nearest to `w_q`, from 1 to `largest`; notes a change, with the reason `why`."""
    power = min(largest, max(1, round(-math.log2(w_q)))) if w_q > 0 else largest
    note_weight_change(found, w_q, power, why)
    return power


def note_weight_change(found: Conversion, w_q: float, power: int, why: str) -> None:
    """Add a note if w_q = 2^-power differs from `w_q`, with the reason `why`."""
    if 2.0**-power != w_q:
        found.notes.append(
            f"w_q = {format_number(2.0**-power)} (2^-{power}) instead of "
            f"{format_number(round_to_12_digits(w_q))}: {why}"
        )


def round_parameter(found: Conversion, name: str, exact: float, unit: str) -> int:
    """The whole number nearest to `exact`; a note is added if they differ."""
    made = round(exact)
    if abs(made - exact) > 1e-9:
        found.notes.append(f"{name} = {made} {unit} instead of {format_number(round_to_12_digits(exact))}")
    return made


def max_p_percent(found: Conversion, share: float, least: int = 0) -> int:
    """`share` in whole percents, at least `least`; a note is added if this rounds it."""
    return max(least, round_parameter(found, "max_p", round_to_12_digits(100 * share), "%"))


def list_lost_parameters(found: Conversion, known: Collection[str]) -> None:
    """Add the parameters that the dialect cannot express (all not in `known`, and gentle) to the lost settings."""
    if found.parameters.get("gentle") and "gentle" not in known:
        found.lost_settings.append(STRICT)
    for name, value in found.parameters.items():
        if name not in known and name != "gentle" and value is not False:
            found.lost_settings.append(f"{name} = {value}")
    found.notes = list(dict.fromkeys(found.notes))
