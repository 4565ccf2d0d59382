"""Arista EOS: `random-detect drop` and `random-detect ecn` of a transmit queue (EOS manual, Quality of Service)."""

from __future__ import annotations

import re
from typing import Any

from penstock.dialects.conversion import Conversion, DialectError, Facts
from penstock.dialects.kinds import number
from penstock.dialects.red import DEFAULTS, list_unsaid, power_of_two, thresholds, whole, whole_percent

__all__ = ["read", "write"]

_LINE = re.compile(
    r"random-detect\s+(?P<how>drop|ecn)(?:\s+drop-precedence\s+\d)?\s+minimum-threshold\s+(?P<low>\d+)\s*(?P<unit>\w+)\s+"
    r"maximum-threshold\s+(?P<high>\d+)\s*\w+\s+(?:drop-probability|max-mark-probability)\s+(?P<share>\d+)"
    r"(?:\s+weight\s+(?P<weight>\d+))?"
)
LARGEST_WEIGHT = 15
_UNITS = {"bytes": 1, "kbytes": 1000, "mbytes": 1_000_000}


def read(text: str, facts: Facts) -> Conversion:
    """One line: thresholds in bytes, kbytes or mbytes, a probability in percent, a weight n for w_q = 2^-n."""
    line = _LINE.search(text)
    if line is None:
        raise DialectError(
            "expected random-detect drop minimum-threshold N kbytes maximum-threshold N kbytes drop-probability P"
        )
    if line["unit"] not in _UNITS:
        raise DialectError(
            f"{line['unit']}: only {', '.join(_UNITS)} can be converted; a segment depends on the switch"
        )
    scale = _UNITS[line["unit"]]
    found = Conversion("red", {"measure_in": "bytes", "min_th": f"{int(line['low']) * scale}B"})
    found.parameters |= {"max_th": f"{int(line['high']) * scale}B", "max_p": number(int(line["share"]) / 100)}
    if line["weight"]:
        found.parameters["w_q"] = 2.0 ** -int(line["weight"])
        found.notes.append(f"w_q = 2^-{line['weight']}")
    if line["how"] == "ecn":
        found.parameters["ecn"] = True
    del facts
    return found


def write(scheme: str, parameters: dict[str, Any], facts: Facts) -> Conversion:
    """A line for a transmit queue. Raises `DialectError` for all but RED."""
    if scheme != "red":
        raise DialectError(f"Arista EOS has no {scheme}: it has random-detect")
    found = Conversion(scheme, dict(parameters))
    low, high = (
        whole(found, name, value * facts.packet, "bytes")
        for name, value in zip(("min_th", "max_th"), thresholds(found, facts), strict=True)
    )
    percent = whole_percent(found, parameters.get("max_p", DEFAULTS["max_p"]), least=1)
    how, word = ("ecn", "max-mark-probability") if parameters.get("ecn") else ("drop", "drop-probability")
    found.text = f"random-detect {how} minimum-threshold {low} bytes maximum-threshold {high} bytes {word} {percent}"
    if not isinstance(parameters.get("w_q", "auto"), str):
        power = power_of_two(found, parameters["w_q"], LARGEST_WEIGHT, "EOS has powers of two")
        found.text += f" weight {power}"
    found.notes.append(f"thresholds are bytes: packets of {facts.packet} B")
    list_unsaid(found, {"min_th", "max_th", "max_p", "ecn", "w_q", "measure_in", "mean_packet", "limit"})
    return found
