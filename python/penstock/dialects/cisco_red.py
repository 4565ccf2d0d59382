"""`random-detect` of a class: RED if all its profiles are equal, else WRED by drop precedence or by IP precedence.

The average is (old (1 - 2^-n)) + (queue 2^-n) with the exponential-weighting-constant n; at the maximum threshold one
in mark-denominator packets is dropped, above it every packet.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from penstock.dialects.cisco_keys import (
    CODE_POINTS,
    DEFAULT_DENOMINATOR,
    DEFAULT_EXPONENT,
    code_point,
    default_wred_thresholds,
)
from penstock.dialects.conversion import Conversion, ConversionContext, DialectError, length_in_packets
from penstock.dialects.value_kinds import parse_integer_argument, round_to_12_digits

__all__ = ["LARGEST_EXPONENT", "RandomDetect", "set_red_or_wred"]

LARGEST_EXPONENT = 16
_UNIT = r"(?:\s+(packets|bytes|ms|us))?"
_ROW = re.compile(rf"^(dscp|precedence|prec)\s+(\S+)\s+(\d+){_UNIT}\s+(\d+){_UNIT}(?:\s+(\d+))?$")
_VALUES = re.compile(
    rf"^(dscp|precedence|prec)\s+values\s+(.+?)\s+minimum-thresh\s+(\d+){_UNIT}\s+maximum-thresh\s+(\d+){_UNIT}"
    r"(?:\s+mark-prob\s+(\d+))?$"
)
_AF = {point: point >> 1 & 3 for name, point in CODE_POINTS.items() if name.startswith("af")}
"""Drop precedence of the code points of AF."""

Row = tuple[str, str, float]
"""Thresholds with their units, and max_p."""


@dataclass
class RandomDetect:
    """The `random-detect` settings of a class, from its lines so far."""

    classified_by: str = ""
    """"dscp" or "precedence"; empty if no line determines it."""
    profiles: dict[int, Row] = field(default_factory=dict)
    """Lower and upper threshold and max_p by code point or precedence."""
    weight_exponent: int = DEFAULT_EXPONENT
    """n of w_q = 2^-n."""
    ecn: bool = False

    def read_line(self, words: list[str], place: str) -> None:
        """Add a line, given without the word `random-detect`. Raises `DialectError`."""
        line = " ".join(words)
        if not words:
            return
        if line in ("dscp-based", "prec-based", "precedence-based"):
            self._by("dscp" if line == "dscp-based" else "precedence", place)
        elif line == "ecn":
            self.ecn = True
        elif words[0] == "exponential-weighting-constant" and len(words) == 2:
            self.weight_exponent = parse_integer_argument("exponential-weighting-constant", words[1])
            if not 1 <= self.weight_exponent <= LARGEST_EXPONENT:
                raise DialectError(f"exponential-weighting-constant {words[1]}: expected 1 to {LARGEST_EXPONENT}")
        elif match := _ROW.match(line):
            self._row(match[1], [match[2]], match.groups()[2:], place)
        elif match := _VALUES.match(line):
            self._row(match[1], match[2].split(), match.groups()[2:], place)
        else:
            raise DialectError(f"{place} random-detect {line}: expected dscp or precedence, and thresholds")

    def _by(self, name: str, place: str) -> None:
        if self.classified_by not in ("", name) and self.profiles:
            raise DialectError(f"{place}: random-detect by both dscp and precedence")
        self.classified_by = name

    def _row(self, name: str, points: list[str], parts: tuple[str | None, ...], place: str) -> None:
        self._by("dscp" if name == "dscp" else "precedence", place)
        low, low_unit, high, high_unit, denominator = parts
        unit = low_unit or high_unit or "packets"
        if high_unit not in (None, unit) or any(row[0].partition(" ")[2] != unit for row in self.profiles.values()):
            raise DialectError(f"{place}: thresholds of random-detect in different units")
        count = parse_integer_argument("mark-denominator", denominator) if denominator else DEFAULT_DENOMINATOR
        if count == 0:
            raise DialectError("mark-denominator 0: expected at least 1")
        for point in points:
            if point.lower() == "rsvp":
                continue
            self.profiles[code_point(point, self.classified_by)] = (
                f"{low} {unit}",
                f"{high} {unit}",
                round_to_12_digits(1 / count),
            )


def set_red_or_wred(result: Conversion, given: RandomDetect, place: str, facts: ConversionContext) -> None:
    """Set RED, or WRED if the profiles differ, as the scheme of a conversion."""
    result.notes.append(f"w_q = 2^-{given.weight_exponent}")
    common = {"w_q": 2.0**-given.weight_exponent, "spacing": "count"} | ({"ecn": True} if given.ecn else {})
    rows = given.profiles
    field_ = given.classified_by or "precedence"
    if len(set(rows.values())) == 1:
        low, high, max_p = next(iter(rows.values()))
        result.scheme = "red"
        result.parameters |= {
            **common,
            "gentle": False,
            "min_th": _length(low),
            "max_th": _length(high),
            "max_p": max_p,
        }
        if low.endswith("bytes"):
            result.parameters |= {"measure_in": "bytes"}
        full = 64 if field_ == "dscp" else 8
        if len(rows) < full:
            result.notes.append(
                f"{place}: code points without a line have the router's defaults; here all have these thresholds"
            )
        result.notes.append("max_p is 1 / mark-denominator")
        return
    by_drop = field_ == "dscp" and (not rows or any(point in _AF for point in rows))
    levels = _by_drop_precedence(result, rows, place) if by_drop else _by_precedence(result, given, place)
    lows, highs, shares = zip(*levels, strict=True)
    result.scheme = "wred"
    result.parameters |= {**common, "max_p": list(shares)}
    if not by_drop:
        result.parameters["precedence"] = "ip"
    for name, column in (("min_th", lows), ("max_th", highs)):
        result.parameters[name] = [round_to_12_digits(length_in_packets(_length(value), facts)) for value in column]
    if lows[0].endswith("bytes"):
        result.parameters |= {"measure_in": "bytes", "mean_packet": f"{facts.packet}B"}
    result.notes.append("max_p is 1 / mark-denominator")


def _length(text: str) -> Any:
    amount, _, unit = text.partition(" ")
    return float(amount) if unit == "packets" else f"{amount}{'B' if unit == 'bytes' else unit}"


def _default(field_: str, point: int) -> Row:
    low, high, denominator = default_wred_thresholds(field_, point)
    return f"{low} packets", f"{high} packets", round_to_12_digits(1 / denominator)


def _by_drop_precedence(result: Conversion, rows: dict[int, Row], place: str) -> list[Row]:
    """A level for each drop precedence of AF; a last one for best effort, if it has a line."""
    levels: dict[int, Row] = {}
    for point, row in rows.items():
        if point in _AF and levels.setdefault(_AF[point] - 1, row) != row:
            raise DialectError(
                f"{place}: random-detect treats drop precedence {_AF[point]} of several AF classes differently; "
                "give each class its own"
            )
    unit = next(iter(rows.values()))[0].partition(" ")[2] if rows else "packets"
    count = max(levels, default=2) + 1
    for level in range(count):
        if level not in levels:
            if unit != "packets":
                raise DialectError(f"{place}: random-detect dscp af1{level + 1} has no line, and no default in {unit}")
            levels[level] = _default("dscp", 8 + 2 * (level + 1))
    if 0 in rows:
        for level in range(count, 3):
            levels[level] = levels[count - 1]
        levels[3] = rows[0]
    for point, row in rows.items():
        if point not in _AF and point != 0 and row != levels[0]:
            result.lost_settings.append(
                f"{place} random-detect dscp {point}: here EF and CS are treated as drop precedence 1"
            )
    if 0 not in rows:
        result.notes.append(
            f"{place}: other code points have the router's defaults; here best effort has those of the last level"
        )
    result.notes.append("levels are the drop precedences of AF: af11 is level 0")
    return [levels[level] for level in sorted(levels)]


def _by_precedence(result: Conversion, given: RandomDetect, place: str) -> list[Row]:
    """A level for each IP precedence, from 7 to 0."""
    rows: dict[int, Row] = {}
    for point, row in given.profiles.items():
        precedence = point >> 3 if given.classified_by == "dscp" else point
        if rows.setdefault(precedence, row) != row:
            raise DialectError(f"{place}: random-detect treats code points of precedence {precedence} differently")
    unit = next(iter(rows.values()))[0].partition(" ")[2] if rows else "packets"
    filled = [precedence for precedence in range(8) if precedence not in rows]
    for precedence in filled:
        if unit != "packets":
            raise DialectError(f"{place}: random-detect precedence {precedence} has no line, and no default in {unit}")
        rows[precedence] = _default("precedence", precedence)
    if filled:
        result.notes.append(
            f"{place} precedences {', '.join(map(str, filled))} have the defaults of IOS (20 + 2 p, 40, 1/10); "
            "show policy-map interface prints those of a platform"
        )
    result.notes.append("levels are the IP precedences from 7 to 0")
    return [rows[precedence] for precedence in range(7, -1, -1)]
