"""Keys of dualpi2 that are computed from others, tc-dualpi2(8), by the formulas of RFC 9332, appendix A.1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from penstock.aqms.catalog import find_scheme
from penstock.dialects.conversion import Conversion, DialectError
from penstock.dialects.tc_keys import GivenKey
from penstock.dialects.tc_quantities import TIME
from penstock.dialects.value_kinds import round_to_12_digits, time_text
from penstock.units import format_time, parse_time

__all__ = ["derive_gains", "read_dualpi2"]

MAX_OF_TYPICAL = 6
"""The ratio of max_rtt to typical_rtt if one of them is given."""


def read_dualpi2(order: Sequence[GivenKey], special: Mapping[str, str], conversion: Conversion) -> None:
    """Set dualpi2's target, period and gains from the round trips that are given."""
    if not special:
        return
    given = {word: parse_time(TIME.read(text)) for word, text in special.items()}
    typical = given.get("typical_rtt", given.get("max_rtt", 0) // MAX_OF_TYPICAL)
    longest = given.get("max_rtt", MAX_OF_TYPICAL * typical)
    if not typical or not longest:
        raise DialectError(f"{' and '.join(special)} of dualpi2 must be above 0")
    period = min(typical, longest // 3)
    times = {"target": time_text({"ns": typical}), "interval": time_text({"ns": period})}
    conversion.parameters |= {**times, **_gains(period, longest)}
    overridden = [item.key.word for item in order if item.key.word in ("target", "tupdate", "alpha", "beta")]
    if overridden:
        conversion.notes.append(f"{' and '.join(special)} override {', '.join(overridden)}, tc-dualpi2(8)")


def _gains(period: int, longest: int) -> dict[str, float]:
    """Gains per second for a period and the longest round trip in nanoseconds."""
    return {
        "alpha": round_to_12_digits(0.1 * period / 1e9 / (longest / 1e9) ** 2),
        "beta": round_to_12_digits(0.3 / (longest / 1e9)),
    }


def derive_gains(conversion: Conversion) -> None:
    """Set the parameters that follow from others, and the step that tc uses instead of a ramp."""
    given = conversion.parameters
    ours = {param.name: param.default for param in find_scheme("dualpi2").params}
    nanos = {name: parse_time(_plain(given.get(name, ours[name]))) for name in ("target", "rtt_max", "min_th", "range")}
    period = given.get("interval", "auto")
    length = min(nanos["target"], nanos["rtt_max"] // 3) if period == "auto" else parse_time(period)
    computed = {"interval": time_text({"ns": length}), **_gains(length, nanos["rtt_max"])}
    for name in ("interval", "alpha", "beta"):
        if given.get(name, "auto") == "auto":
            given[name] = computed[name]
    if nanos["range"]:
        step = nanos["min_th"] + nanos["range"] // 2
        conversion.lost_settings.append(
            f"range = {format_time(nanos['range'])}: Linux marks every packet of the L queue from a delay on, here "
            f"{format_time(step)}, the middle of the ramp"
        )
        given["min_th"] = time_text({"ns": step})
    given.pop("range", None)
    given.pop("rtt_max", None)
    if given.get("scheduler") == "wrr":
        del given["scheduler"]


def _plain(value: Any) -> Any:
    """A time of the catalogue or of a scenario."""
    return f"{value['ns']}ns" if isinstance(value, Mapping) else value
