"""RED's thresholds where they are "auto", as the engine derives them from the link."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penstock.units import Length, UnitError, parse_length, parse_size

__all__ = ["DELAY_TARGET_S", "RED_KIN", "automatic_threshold"]

RED_KIN = frozenset({"red", "ared-floyd", "ared-feng", "choke", "cbt-red", "dsred", "fb-red", "qlaw", "xred"})
"""The schemes with RED's own thresholds."""

DELAY_TARGET_S = 0.005
"""Floyd, Gummadi, Shenker 2001, section 4.4: the thresholds follow a target for the average queueing delay of 5 ms."""

LEAST_MIN_TH = 5.0

MULTIPLES = {"max_th": ("min_th", 3), "max_out": ("min_out", 3), "min_in": ("max_out", 1), "max_in": ("min_in", 2)}
"""The threshold of which each threshold is a multiple; for RIO's In packets, as in the defaults of ns-2."""

LOWEST = {"min_th": LEAST_MIN_TH, "min_out": LEAST_MIN_TH}
"""The thresholds that follow from the link, with their defaults."""


def automatic_threshold(name: str, table: Mapping[str, Any], rate: float) -> Length | None:
    """A threshold of a queue on a link of `rate` bit/s, if its `table` has "auto" there; None otherwise.

    min_th is max(5, C d / 2) packets, for C packets of `mean_packet` per second and the target d; max_th is three times
    min_th. RIO's Out packets have the same thresholds; for In packets, min_in is max_out and max_in is twice min_in.

    References: S. Floyd, R. Gummadi, S. Shenker, "Adaptive RED", 2001, section 4.4.

    >>> automatic_threshold("max_th", {"scheme": "red", "min_th": "auto", "max_th": "auto"}, 100e6)
    Length(unit='packets', amount=93.75)
    >>> automatic_threshold("max_in", {"scheme": "rio", "max_in": "auto", "min_in": "15p"}, 100e6)
    Length(unit='packets', amount=30.0)
    """
    scheme = table.get("scheme")
    own = ("min_th", "max_th") if scheme in RED_KIN else ("min_out", "max_out", "min_in", "max_in")
    if table.get(name) != "auto" or name not in own or scheme not in RED_KIN | {"rio"}:
        return None
    return _threshold(name, table, rate)


def _threshold(name: str, table: Mapping[str, Any], rate: float) -> Length | None:
    """A threshold, given or automatic; None if it is not a length."""
    value = table.get(name, LOWEST.get(name, "auto"))
    if value != "auto":
        try:
            return parse_length(value)
        except UnitError:
            return None
    if name in LOWEST:
        capacity = rate / (8 * float(parse_size(table.get("mean_packet", "1000B"))))
        return Length("packets", max(LEAST_MIN_TH, DELAY_TARGET_S * capacity / 2))
    basis, factor = MULTIPLES[name]
    below = _threshold(basis, table, rate)
    return None if below is None else Length(below.unit, factor * float(below.amount))
