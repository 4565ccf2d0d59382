"""Filters of `tc` and the conditions of a class: u32 and flower, tc-u32(8) and tc-flower(8)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from typing import Any

from penstock.dialects.tc_lines import TcObject
from penstock.dialects.tc_units import parse_whole_of_word
from penstock.scenario.resolve.codepoints import parse_codepoint

__all__ = [
    "add_class_conditions",
    "filter_order_messages",
    "linux_priority",
    "read_filter",
    "sort_by_preference",
    "write_filters",
]

_ECN = ("not", "ect1", "ect0", "ce")
_PROTOCOLS = {"tcp": 6, "udp": 17, "icmp": 1}
_IGNORED = {"not_in_hw", "in_hw", "ip", "terminal", "key"}
_TARGETS = ("flowid", "*flowid", "classid")
"""With a star, as printed by tc if no class is bound to the filter yet."""
_WITH_VALUE = {"order", "ht", "bkt", "chain", "fh", "eth_type", "skip_sw"}


def linux_priority(dscp: int) -> int:
    """Linux' priority of a packet by its TOS octet, tc-prio(8): the lowest three bits of the code point choose."""
    return (0, 0, 2, 2, 6, 6, 4, 4)[dscp & 7]


def read_filter(words: list[str]) -> tuple[str | None, dict[str, Any] | None, str]:
    """The class to which a filter leads, its conditions (empty: all packets), and the parts that cannot be expressed.

    If a part cannot be expressed, the conditions are None.
    """
    rest, target = list(words), None
    match: dict[str, Any] = {}
    while rest:
        word, value = rest[0], rest[1] if len(rest) > 1 else ""
        if word in _TARGETS:
            target, rest = value, rest[2:]
        elif word == "match" and _u32(rest[1:]) is not None:
            found, used = _u32(rest[1:]) or ({}, 0)
            match |= found
            rest = rest[1 + used :]
        elif word in ("ip_tos", "ip_proto") and (found_flower := _flower(word, value)) is not None:
            match |= found_flower
            rest = rest[2:]
        elif word in _IGNORED:
            rest = rest[1:]
        elif word in _WITH_VALUE:
            rest = rest[2:]
        else:
            return target or _target(rest), None, " ".join(rest)
    return target, match, ""


def _target(words: list[str]) -> str | None:
    return next((after for word, after in pairwise(words) if word in _TARGETS), None)


def _u32(words: list[str]) -> tuple[dict[str, Any], int] | None:
    """Conditions of one selector, and its number of words."""
    text = " ".join(words[:4])
    printed = re.match(r"([0-9a-f]{8})/([0-9a-f]{8}) at (\d+)", text)
    if printed:
        value, mask = int(printed[1], 16), int(printed[2], 16)
        if mask == 0:
            return {}, 3
        shifted = (value >> 16 & 255, mask >> 16 & 255)
        if mask & ~0x00FF0000:
            return None
        found = _tos(*shifted) if printed[3] == "0" else _protocol(*shifted) if printed[3] == "8" else None
        return None if found is None else (found, 3)
    if words[:3] == ["u32", "0", "0"]:
        return {}, 5 if words[3:4] == ["at"] else 3
    given = re.match(r"ip (tos|dsfield|precedence|protocol) (\w+) (\w+)", text)
    if given is None:
        return None
    try:
        value, mask = int(given[2], 0), int(given[3], 0)
    except ValueError:
        return None
    found = _protocol(value, mask) if given[1] == "protocol" else _tos(value, mask)
    return None if found is None else (found, 4)


def _flower(word: str, text: str) -> dict[str, Any] | None:
    value, _, mask = text.partition("/")
    try:
        if word == "ip_proto":
            return _protocol(_PROTOCOLS.get(value) or int(value, 0), 255)
        return _tos(int(value, 16), int(mask or "ff", 16))
    except ValueError:
        return None


def _tos(value: int, mask: int) -> dict[str, Any] | None:
    """Code points, and the ECN field where the mask covers it."""
    if not 0 < mask < 256 or mask & 3 in (1, 2):
        return None
    found: dict[str, Any] = {}
    if mask >> 2:
        found["dscp"] = [dscp for dscp in range(64) if dscp & mask >> 2 == value >> 2 & mask >> 2]
    if mask & 3:
        found["ecn"] = _ECN[value & 3]
    return found


def _protocol(value: int, mask: int) -> dict[str, Any] | None:
    names = {number: name for name, number in _PROTOCOLS.items()}
    return {"protocol": names.get(value, value)} if mask == 255 else None


def write_filters(match: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The selectors of u32, one for each filter, and the conditions that have none."""
    unsaid = [f"match {key} = {value}" for key, value in match.items() if key not in ("dscp", "ecn", "protocol")]
    if unsaid:
        return [], unsaid
    points = [(parse_codepoint(one) << 2, 0xFC) for one in _listed(match, "dscp")] or [(0, 0)]
    marks = [(_ECN.index(one), 0x03) for one in _listed(match, "ecn")] or [(0, 0)]
    protocols = [_PROTOCOLS.get(one, one) for one in _listed(match, "protocol")] or [None]
    found = []
    for (point, points_mask), (mark, marks_mask), protocol in product(points, marks, protocols):
        words = []
        if points_mask | marks_mask:
            words.append(f"match ip dsfield {point | mark:#04x} {points_mask | marks_mask:#04x}")
        if protocol is not None:
            words.append(f"match ip protocol {protocol} 0xff")
        found.append(" ".join(words) or "match u32 0 0")
    return found, []


def _listed(match: Mapping[str, Any], key: str) -> list[Any]:
    value = match.get(key, [])
    return list(value) if isinstance(value, (list, tuple)) else [value]


def sort_by_preference(filters: Sequence[TcObject]) -> list[TcObject]:
    """Filters in the order in which they are tried; one without a preference precedes all earlier ones (Linux 6.18)."""
    ranked: list[tuple[int, TcObject]] = []
    for one in filters:
        given = one.location.get("pref")
        least = min((rank for rank, _ in ranked), default=FIRST_PREFERENCE + 1)
        ranked.append((parse_whole_of_word("pref", given) if given else least - 1, one))
    return [one for _, one in sorted(ranked, key=lambda pair: pair[0])]


FIRST_PREFERENCE = 49152
"""Preference that tc prints for a filter without one, if there is no other filter."""


def filter_order_messages(entries: Sequence[tuple[str, dict[str, Any]]], last_class: str) -> list[str]:
    """A message if the order of the filters is lost; else none.

    The last class has no condition here, so packets that match both its filter and a later filter of another class go
    to the other class.
    """
    for number_, (place, match) in enumerate(entries):
        later = [other for name, other in entries[number_ + 1 :] if name != last_class]
        if place == last_class and any(not set(match) == set(other) == {"dscp"} for other in later):
            return [
                f"filter to {last_class} before those of other classes: packets matching both go to another class here"
            ]
    return []


def add_class_conditions(entries: list[tuple[str, dict[str, Any]]], place: str, match: dict[str, Any]) -> bool:
    """Add conditions of a class; False if it already has conditions with which they cannot be combined."""
    points = set(match.get("dscp", ()))
    alone = [found for _, found in entries if set(found) == {"dscp"}]
    if set(match) == {"dscp"}:
        points -= {dscp for found in alone for dscp in found["dscp"]}
        match = {"dscp": sorted(points)}
        if not points:
            return True  # earlier filters take all its packets
    known = next((found for name, found in entries if name == place), None)
    if known is None:
        entries.append((place, match))
        return True
    if set(known) != {"dscp"} or set(match) != {"dscp"} or len(alone) < len(entries):
        return known == match
    known["dscp"] = sorted({*known["dscp"], *points})
    return True
