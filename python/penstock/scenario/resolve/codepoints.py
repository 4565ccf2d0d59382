"""Code points of differentiated services and their names; ECN fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from penstock.errors import did_you_mean
from penstock.scenario.resolve.reader import choice_parser, whole_number_parser
from penstock.units import UnitError

# RFC 2474, 2597, 3246, 9956: names of code points.
DSCP = (
    {"EF": 46, "NQB": 45, "CS0": 0, "BE": 0}
    | {f"CS{i}": 8 * i for i in range(1, 8)}
    | {f"AF{i}{j}": 8 * i + 2 * j for i in range(1, 5) for j in range(1, 4)}
)

NAMES = {number: name for name, number in DSCP.items()} | {0: "default"}

# RFC 3168, section 5: the fields 00, 10, 01 and 11.
ECN: Final = ("not", "ect0", "ect1", "ce")

RECORDED: Final = "recorded"
"""Each replayed packet keeps its recorded value: the default of both fields."""


def codepoint_names(traffic: Iterable[Mapping[str, Any]]) -> list[str]:
    """The code points of canonical traffic as results name them, each once; none where all traffic has the same one.

    >>> codepoint_names([{"dscp": 46}, {"dscp": 0}, {"dscp": 1}, {"dscp": 46}])
    ['default', '1', 'EF']
    """
    distinct = distinct_codepoints(traffic)
    return [codepoint_name(dscp) for dscp in distinct] if len(distinct) > 1 else []


def distinct_codepoints(traffic: Iterable[Mapping[str, Any]]) -> list[int | str]:
    """The code points of canonical traffic, each once, in ascending order; `RECORDED` last."""
    return sorted({group["dscp"] for group in traffic}, key=lambda dscp: dscp if isinstance(dscp, int) else 64)


def codepoint_name(dscp: int | str) -> str:
    """The name of a canonical code point in results."""
    return NAMES.get(dscp, str(dscp)) if isinstance(dscp, int) else dscp


def parse_codepoint(value: Any) -> int:
    """A code point, by its number or its name."""
    if isinstance(value, str):
        if value.upper() not in DSCP:
            raise UnitError(
                f"must be a code point from 0 to 63 or a name such as EF, AF11, CS1{did_you_mean(value, DSCP)}"
            )
        return DSCP[value.upper()]
    return whole_number_parser(0, 63)(value)


def parse_replay_codepoint(value: Any) -> int | str:
    """The code point of replayed packets; `RECORDED`: each keeps its own."""
    return RECORDED if value == RECORDED else parse_codepoint(value)


def parse_ecn_field(value: Any) -> str:
    """The ECN field of datagrams as a word; true is ECT(0)."""
    return _ecn_field(ECN, value)


def parse_replay_ecn_field(value: Any) -> str:
    """The ECN field of replayed packets; `RECORDED`: each keeps its own."""
    return _ecn_field((*ECN, RECORDED), value)


def _ecn_field(words: tuple[str, ...], value: Any) -> str:
    if isinstance(value, bool):
        return "ect0" if value else "not"
    return choice_parser(*words)(value)
