"""Code points of differentiated services and their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from penstock.errors import nearest
from penstock.scenario.resolve.reader import whole
from penstock.units import UnitError

# RFC 2474, 2597, 3246: names of code points.
DSCP = (
    {"EF": 46, "CS0": 0, "BE": 0}
    | {f"CS{i}": 8 * i for i in range(1, 8)}
    | {f"AF{i}{j}": 8 * i + 2 * j for i in range(1, 5) for j in range(1, 4)}
)

NAMES = {number: name for name, number in DSCP.items()} | {0: "default"}


def codepoints(traffic: Iterable[Mapping[str, Any]]) -> list[str]:
    """The code points of canonical traffic as results name them, each once; none where all traffic has the same one.

    >>> codepoints([{"dscp": 46}, {"dscp": 0}, {"dscp": 1}, {"dscp": 46}])
    ['default', '1', 'EF']
    """
    found = sorted({group["dscp"] for group in traffic})
    return [NAMES.get(number, str(number)) for number in found] if len(found) > 1 else []


def codepoint(value: Any) -> int:
    """A code point, by its number or its name."""
    if isinstance(value, str):
        if value.upper() not in DSCP:
            raise UnitError(f"must be a code point from 0 to 63 or a name such as EF, AF11, CS1{nearest(value, DSCP)}")
        return DSCP[value.upper()]
    return whole(0, 63)(value)
