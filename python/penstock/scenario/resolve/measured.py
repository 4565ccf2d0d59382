"""Measured distributions: points of a distribution function, given in a scenario or a file, or by a known name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, Final

from penstock.errors import kind_of, nearest
from penstock.scenario.resolve.files import content
from penstock.units import UnitError, parse_probability

# Flow sizes in data centres, in a form widely used in simulations; recalled, not read off the figures again. The web
# search of M. Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010; the data mining of A. Greenberg et al., "VL2: A
# Scalable and Flexible Data Center Network", SIGCOMM 2009, in packets of 1460 bytes.
NAMED: Final[Mapping[str, tuple[tuple[str, float], ...]]] = {
    "web-search": (
        ("1B", 0), ("10kB", 0.15), ("20kB", 0.2), ("30kB", 0.3), ("50kB", 0.4), ("80kB", 0.53), ("200kB", 0.6),
        ("1MB", 0.7), ("2MB", 0.8), ("5MB", 0.9), ("10MB", 0.97), ("30MB", 1),
    ),
    "data-mining": (
        ("1460B", 0.5), ("2920B", 0.6), ("4380B", 0.7), ("10220B", 0.8), ("389820B", 0.9), ("3076220B", 0.95),
        ("97333820B", 0.99), ("973333820B", 1),
    ),
}  # fmt: skip

_SHAPE = 'points such as [["10kB", 0.15], ["20kB", 1]], each a value and the share of what is at most that'


def points(kind: str, value: Any, parse: Callable[[Any], int]) -> list[tuple[int, float]]:
    """Values and the probabilities of being at most that, both in rising order, the last probability 1.

    `kind` says whether `value` is a `file` or a `cdf`, which is a name or a list of points.
    """
    found = [_point(pair, parse) for pair in _pairs(kind, value)]
    if not found:
        raise UnitError(f"needs {_SHAPE}")
    if any(low[0] > high[0] or low[1] > high[1] for low, high in pairwise(found)):
        raise UnitError("the values and the probabilities of a cdf must not fall from point to point")
    if found[-1][1] != 1:
        raise UnitError(f"the last probability of a cdf is 1, not {found[-1][1]:g}")
    return found


def _pairs(kind: str, value: Any) -> list[Any]:
    if kind == "file":
        return _lines(value)
    if isinstance(value, str):
        if value not in NAMED:
            raise UnitError(f"cdf must be one of {', '.join(NAMED)}{nearest(value, NAMED)} or {_SHAPE}")
        return list(NAMED[value])
    if not isinstance(value, list):
        raise UnitError(f"cdf needs {_SHAPE}, not {kind_of(value)}")
    return value


def _point(pair: Any, parse: Callable[[Any], int]) -> tuple[int, float]:
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        raise UnitError(f"cdf needs {_SHAPE}")
    return parse(pair[0]), parse_probability(pair[1])


def _lines(value: Any) -> list[tuple[Any, Any]]:
    """The points in a file, one per line such as `10kB,0.15`; `#` begins a comment."""
    found = []
    for number, line in enumerate(content(value).splitlines(), start=1):
        written = line.partition("#")[0].strip()
        parts = [part.strip() for part in written.split(",")]
        if not written:
            continue
        try:
            amount, share = parts
            found.append((_value(amount), float(share)))
        except ValueError:
            raise UnitError(f"line {number} is not a value and a probability, such as 10kB,0.15") from None
    return found


def _value(amount: str) -> Any:
    """The text as a number if it is one, since counts have no unit."""
    return int(amount) if amount.isascii() and amount.isdigit() else amount
