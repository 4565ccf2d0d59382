"""Arista EOS: `random-detect drop` and `random-detect ecn` of a transmit queue (EOS manual, Quality of Service)."""

from __future__ import annotations

import re
from typing import Any

from penstock.dialects.conversion import Conversion, DialectError, Facts, limit_packets, packets
from penstock.dialects.kinds import number, plain

__all__ = ["read", "write"]

_LINE = re.compile(
    r"random-detect\s+(?P<how>drop|ecn)(?:\s+drop-precedence\s+\d)?\s+minimum-threshold\s+(?P<low>\d+)\s*(?P<unit>\w+)\s+"
    r"maximum-threshold\s+(?P<high>\d+)\s*\w+\s+(?:drop-probability|max-mark-probability)\s+(?P<share>\d+)"
    r"(?:\s+weight\s+(?P<weight>\d+))?"
)
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
    limit = limit_packets(parameters, facts)
    low, high = (
        round(packets(parameters.get(name, usual), facts, limit) * facts.packet)
        for name, usual in (("min_th", 5), ("max_th", 15))
    )
    max_p = parameters.get("max_p", 0.1)
    percent = max(1, round(100 * max_p))
    if abs(percent / 100 - max_p) > 1e-9:
        found.notes.append(f"max_p = {percent} % instead of {plain(100 * max_p)} %: EOS has whole percents")
    how, word = ("ecn", "max-mark-probability") if parameters.get("ecn") else ("drop", "drop-probability")
    found.text = f"random-detect {how} minimum-threshold {low} bytes maximum-threshold {high} bytes {word} {percent}"
    w_q = parameters.get("w_q", "auto")
    if not isinstance(w_q, str):
        import math

        power = min(15, max(0, round(-math.log2(w_q))))
        found.text += f" weight {power}"
        if 2.0**-power != w_q:
            found.notes.append(f"w_q = {plain(2.0**-power)} (2^-{power}) instead of {plain(w_q)}")
    known = {"min_th", "max_th", "max_p", "ecn", "w_q", "measure_in", "mean_packet", "limit"}
    found.missing += [
        f"{name} = {value}" for name, value in parameters.items() if name not in known and value is not False
    ]
    found.notes.append(f"thresholds are bytes: packets of {facts.packet} B")
    return found
