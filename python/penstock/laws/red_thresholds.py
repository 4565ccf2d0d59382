"""RED's thresholds where they are "auto", as the engine derives them from the link."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penstock.units import Length, UnitError, parse_length, parse_size

__all__ = ["DELAY_TARGET_S", "RED_KIN", "automatic_threshold"]

RED_KIN = frozenset({"red", "ared-floyd", "ared-feng", "choke", "cbt-red", "fb-red", "qlaw", "xred"})
"""The schemes with RED's own thresholds."""

DELAY_TARGET_S = 0.005
"""Floyd, Gummadi, Shenker 2001, section 4.4: the thresholds follow a target for the average queueing delay of 5 ms."""

LEAST_MIN_TH = 5.0


def automatic_threshold(name: str, table: Mapping[str, Any], rate: float) -> Length | None:
    """min_th or max_th of a queue on a link of `rate` bit/s, if its `table` has "auto" there; None otherwise.

    min_th is max(5, C d / 2) packets, for C packets of `mean_packet` a second and the target d; max_th is three times
    min_th.

    References: S. Floyd, R. Gummadi, S. Shenker, "Adaptive RED", 2001, section 4.4.

    >>> automatic_threshold("max_th", {"scheme": "red", "min_th": "auto", "max_th": "auto"}, 100e6)
    Length(unit='packets', amount=93.75)
    """
    if table.get("scheme") not in RED_KIN or name not in ("min_th", "max_th") or table.get(name) != "auto":
        return None
    low = table.get("min_th", LEAST_MIN_TH)
    if low == "auto":
        capacity = rate / (8 * float(parse_size(table.get("mean_packet", "1000B"))))
        given = Length("packets", max(LEAST_MIN_TH, DELAY_TARGET_S * capacity / 2))
    else:
        try:
            given = parse_length(low)
        except UnitError:
            return None
    return given if name == "min_th" else Length(given.unit, 3 * float(given.amount))
