"""Cisco IOS and IOS XE: policy maps with classes (MQC), `random-detect`, `queue-limit`, shapers above.

A class is a queue. Several classes form a scheduler: wfq by their bandwidths, or pq if one has priority; a shaper above
them gives the rate of the link. The output of `show policy-map interface` is also read.
"""

from __future__ import annotations

from typing import Any

from penstock.dialects.cisco_policy import EXPECTED, read_policy
from penstock.dialects.cisco_red import LARGEST_EXPONENT
from penstock.dialects.cisco_show import configuration_from_output
from penstock.dialects.cisco_text import read_configuration
from penstock.dialects.conversion import (
    Conversion,
    ConversionContext,
    DialectError,
    length_in_packets,
    limit_in_packets,
)
from penstock.dialects.red import (
    DEFAULTS,
    averaging_weight,
    list_lost_parameters,
    nearest_weight_exponent,
    round_parameter,
)
from penstock.dialects.value_kinds import round_to_12_digits

__all__ = ["read", "write"]

PRECEDENCES = 8


def read(text: str, facts: ConversionContext) -> Conversion:
    """The queue of the only interface or policy map, or of the one that `--device` names."""
    configured = configuration_from_output(text)
    if all(line.strip().startswith("!") or not line.strip() for line in configured.splitlines()):
        raise DialectError(EXPECTED)
    return read_policy(read_configuration(configured), facts)


def write(scheme: str, parameters: dict[str, Any], facts: ConversionContext) -> Conversion:
    """The lines of a class in a policy map. Raises `DialectError` for all but drop-tail, RED and WRED."""
    result = Conversion(scheme, dict(parameters))
    limit = limit_in_packets(parameters, facts)
    lines = [] if limit is None else [f"queue-limit {round_parameter(result, 'limit', limit, 'packets')} packets"]
    if scheme not in ("droptail", "red", "wred"):
        raise DialectError(f"Cisco IOS has no {scheme}: it has queue-limit and random-detect")
    if scheme != "droptail":
        lines += _lines(result, facts, limit)
    result.text = "\n".join(lines)
    return result


def _lines(result: Conversion, facts: ConversionContext, limit: float | None) -> list[str]:
    given = result.parameters
    lows, highs, shares = (_list(given.get(name, DEFAULTS[name])) for name in ("min_th", "max_th", "max_p"))
    by_drop = result.scheme == "wred" and given.get("precedence", "af") == "af"
    power = nearest_weight_exponent(result, averaging_weight(result, facts), LARGEST_EXPONENT, "IOS has powers of two")
    lines = ["random-detect dscp-based" if by_drop else "random-detect"]
    lines.append(f"random-detect exponential-weighting-constant {power}")
    rows = []
    for low, high, max_p in zip(lows, highs, shares, strict=True):
        first, last = (
            round_parameter(result, key, length_in_packets(value, facts, limit), "packets")
            for key, value in (("min_th", low), ("max_th", high))
        )
        if max_p <= 0:
            raise DialectError("Cisco IOS has no max_p = 0: its mark denominator is 1 / max_p")
        rows.append(
            (
                first,
                last,
                max(1, round_parameter(result, "the mark denominator", round_to_12_digits(1 / max_p), "packets")),
            )
        )
    lines += [
        f"random-detect {name} {low} {high} {share}" for name, (low, high, share) in _named(result, rows, by_drop)
    ]
    if given.get("ecn"):
        lines.append("random-detect ecn")
    list_lost_parameters(
        result, {"limit", "min_th", "max_th", "max_p", "w_q", "ecn", "spacing", "precedence", "variant"}
    )
    return lines


Row = tuple[int, int, int]


def _named(result: Conversion, rows: list[Row], by_drop: bool) -> list[tuple[str, Row]]:
    """The code points of the levels, or the precedences, each with its row."""
    if not by_drop:
        return [(f"precedence {place}", rows[min(7 - place, len(rows) - 1)]) for place in range(PRECEDENCES)]
    named = [(f"dscp af1{place + 1}", row) for place, row in enumerate(rows[:3])]
    if len(rows) > 3:
        named.append(("dscp default", rows[3]))
    result.lost_settings += [f"level {place}: AF has three drop precedences" for place in range(4, len(rows))]
    return named


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
