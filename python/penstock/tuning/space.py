"""The search space of a scheme: knobs with their ranges, and the parameters that their values determine."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.aqms.catalog import Param, find_scheme
from penstock.scenario.loaded_link import LoadedLink
from penstock.tuning.floors import (
    CODEL_INTERVAL_S,
    CODEL_VARIANTS,
    MIN_THRESHOLD,
    PIE_VARIANTS,
    length_in_packets,
    min_interval_s,
    min_limit,
)
from penstock.units import parse_time

__all__ = ["Knob", "Space", "search_space"]

TARGET_SHARES = (0.02, 0.5)
"""Range of CoDel's target, relative to its interval."""

MIN_TARGET_S = 1e-6
"""Replaces a fixed target of 0 in the range of the interval."""

THRESHOLD_RATIO = 3.0
"""max_th / min_th if the ratio is not searched (Floyd, Gummadi, Shenker 2001, section 4.4)."""

MAX_THRESHOLD_SHARE = 0.9
"""Largest min_th, relative to a fixed max_th."""

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Knob:
    """A number from `low` to `high`, searched on a logarithmic scale, or one of `choices`."""

    name: str
    low: float = 0.0
    high: float = 0.0
    choices: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Space:
    """The knobs of a scheme, and the function from their values to parameters."""

    knobs: tuple[Knob, ...]
    parameters: Callable[[Values], dict[str, Any]]


def search_space(scheme: str, link: LoadedLink, fixed: Values) -> Space:
    """The search space of a scheme on a link, without the fixed parameters; no knobs if nothing is left to search."""
    family = _FAMILIES.get(scheme, _general_family(scheme))
    knobs, make = family(link, fixed)

    def parameters(values: Values) -> dict[str, Any]:
        return {**{name: value for name, value in make(values).items() if name not in fixed}, **fixed}

    free = tuple(knob for knob in knobs if knob.name not in fixed)
    return Space(tuple(knob for knob in free if _matters(knob, free, parameters)), parameters)


def _matters(knob: Knob, knobs: Sequence[Knob], parameters: Callable[[Values], dict[str, Any]]) -> bool:
    """Whether a knob changes any parameter that is not fixed."""
    ends = {each.name: each.choices or (each.low, each.high) for each in knobs}
    corners = ({name: values[end] for name, values in ends.items()} for end in (0, -1))
    return any(
        len({str(parameters({**others, knob.name: value})) for value in ends[knob.name]}) > 1 for others in corners
    )


Family = tuple[list[Knob], Callable[[Values], dict[str, Any]]]


def _length(name: str, link: LoadedLink) -> Knob:
    """A queue length from 5 packets to half of the buffer."""
    return Knob(name, MIN_THRESHOLD, max(MIN_THRESHOLD + 1, link.buffer_pkts / 2))


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")


def _ms(seconds: float) -> str:
    return f"{_rounded(1e3 * seconds):g}ms"


def _droptail_family(link: LoadedLink, _fixed: Values) -> Family:
    """The limit, from the floor of the link to the present buffer."""
    knob = Knob("limit", min_limit(link), link.buffer_pkts)
    return (
        [knob] if knob.low < knob.high else [],
        lambda values: {"limit": f"{round(values['limit'])}p"} if "limit" in values else {},
    )


def _red_family(link: LoadedLink, fixed: Values) -> Family:
    """Thresholds, the probability between them, and the time constant of the average in round trips.

    If one threshold is fixed, the other is searched relative to it.
    """
    fixed_lengths = {name: fixed[name] for name in ("min_th", "max_th", "mean_packet") if name in fixed}
    knobs = [_length("min_th", link), Knob("spread", 1.5, 8.0), Knob("max_p", 0.005, 1.0), Knob("trips", 0.3, 100.0)]
    gentle = Knob("gentle", choices=(False, True))

    def knobs_to_parameters(values: Values) -> dict[str, Any]:
        parameters = _thresholds({**values, **fixed_lengths}, link)
        if "trips" in values:
            parameters["w_q"] = _rounded(link.weight(values["trips"]))
        return parameters | {name: _rounded_number(values[name]) for name in ("max_p", "gentle") if name in values}

    return [*knobs, gentle], knobs_to_parameters


def _wred_family(link: LoadedLink, fixed: Values) -> Family:
    """RED's knobs, for a single profile, or for the level that is dropped first if traffic has drop precedences.

    In the latter case, the knob `lead` is the ratio of the thresholds of the other level, which stay within the buffer.
    If the user fixes one of the lists, which determines the number of levels, none of them is searched.
    """
    knobs, of_red = _red_family(link, {})
    if fixed.keys() & {"min_th", "max_th", "max_p"}:
        knobs = [knob for knob in knobs if knob.name in ("trips", "gentle")]
    elif link.drop_precedences > 1:
        knobs.append(Knob("lead", 1.0, 8.0))

    def knobs_to_parameters(values: Values) -> dict[str, Any]:
        parameters = of_red({name: value for name, value in values.items() if name != "lead"})
        levels = 2 if "lead" in values else 1
        lead = min(values.get("lead", 1.0), link.buffer_pkts / parameters.get("max_th", link.buffer_pkts))
        for name in ("min_th", "max_th"):
            if name in parameters:
                parameters[name] = [_rounded(lead * parameters[name]), parameters[name]][2 - levels :]
        return parameters | ({"max_p": [parameters["max_p"]] * levels} if "max_p" in parameters else {})

    return knobs, knobs_to_parameters


def _thresholds(values: Values, link: LoadedLink) -> dict[str, Any]:
    """min_th < max_th in packets, and max_th within the buffer. Either may be fixed, in any unit."""
    if "min_th" not in values:
        return {}
    low = _packets("min_th", values, link)
    if "max_th" in values:
        return {"min_th": _rounded(min(low, MAX_THRESHOLD_SHARE * _packets("max_th", values, link)))}
    low = _rounded(low)
    return {
        "min_th": low,
        "max_th": _rounded(min(low * values.get("spread", THRESHOLD_RATIO), max(link.buffer_pkts, low + 1))),
    }


def _packets(name: str, values: Values, link: LoadedLink) -> float:
    """A threshold in packets of the link."""
    return length_in_packets(name, values[name], {**values, "scheme": "red"}, link) or 0.0


def _codel_family(link: LoadedLink, fixed: Values) -> Family:
    """The interval, and the target relative to it: RFC 8289 (section 4.3) recommends 5 to 10 %.

    If one is fixed, the other is searched relative to it.
    """
    shortest_s = math.ceil(1e3 * max(0.01, 2 * link.packet_s, min_interval_s(link))) / 1e3
    interval = Knob("interval", shortest_s, max(1.0, 20 * link.packet_s, 2 * shortest_s))
    if "target" in fixed:
        target = max(parse_time(fixed["target"]) / 1e9, MIN_TARGET_S)
        interval = Knob("interval", target / TARGET_SHARES[1], target / TARGET_SHARES[0])
    fixed_interval_s = parse_time(fixed["interval"]) / 1e9 if "interval" in fixed else CODEL_INTERVAL_S

    def knobs_to_parameters(values: Values) -> dict[str, Any]:
        parameters: dict[str, Any] = {}
        if "part" in values:
            parameters["target"] = _ms(max(values["part"] * values.get("interval", fixed_interval_s), link.packet_s))
        if "interval" in values:
            parameters["interval"] = _ms(values["interval"])
        return parameters

    return [interval, Knob("part", *TARGET_SHARES)], knobs_to_parameters


def _pie_family(link: LoadedLink, _fixed: Values) -> Family:
    """The target delay, and one factor for both gains."""
    knobs = [Knob("target", max(link.packet_s, 1e-3), 0.1), Knob("gain", 0.1, 10.0)]

    def knobs_to_parameters(values: Values) -> dict[str, Any]:
        parameters: dict[str, Any] = {}
        if "target" in values:
            parameters["target"] = _ms(values["target"])
        if "gain" in values:
            parameters |= {"alpha": _rounded(0.125 * values["gain"]), "beta": _rounded(1.25 * values["gain"])}
        return parameters

    return knobs, knobs_to_parameters


def _pi_family(link: LoadedLink, _fixed: Values) -> Family:
    """The reference queue length, and one factor for both gains."""
    knobs = [_length("target", link), Knob("gain", 0.1, 100.0)]

    def knobs_to_parameters(values: Values) -> dict[str, Any]:
        parameters: dict[str, Any] = {}
        if "target" in values:
            parameters["target"] = _rounded(values["target"])
        if "gain" in values:
            a = 3.44519e-4 * values["gain"]
            parameters |= {"a": _rounded(a), "b": _rounded(a * 0.99704)}
        return parameters

    return knobs, knobs_to_parameters


def _general_family(scheme: str) -> Callable[[LoadedLink, Values], Family]:
    """Every number, time and length that has a default, from one eighth to eight times the default."""

    def family(link: LoadedLink, _fixed: Values) -> Family:
        params = {param.name: param for param in find_scheme(scheme).params}
        knobs = [knob for param in params.values() if (knob := _knob(param, link)) is not None]
        return knobs, lambda values: {name: _value(params[name], value) for name, value in values.items()}

    return family


def _knob(param: Param, link: LoadedLink) -> Knob | None:
    default = param.default
    if param.kind == "time" and isinstance(default, Mapping):
        default = default["ns"] / 1e9
    if isinstance(default, bool) or not isinstance(default, (int, float)) or default <= 0:
        return None
    if param.kind not in ("number", "time", "length", "length_or_time"):
        return None
    low, high = (param.range or (None, None))[:2]
    lengths = param.kind.startswith("length")
    top = link.buffer_pkts if lengths else math.inf if high is None else high
    knob = Knob(param.name, max(default / 8, low or 0.0), min(default * 8, top))
    return knob if knob.low < knob.high else None


def _value(param: Param, value: float) -> Any:
    return _ms(value) if param.kind == "time" else _rounded(value)


def _rounded_number(value: Any) -> Any:
    return value if isinstance(value, bool) else _rounded(value)


_FAMILIES: dict[str, Callable[[LoadedLink, Values], Family]] = {
    "droptail": _droptail_family,
    "red": _red_family,
    "wred": _wred_family,
    "pi": _pi_family,
    **dict.fromkeys(CODEL_VARIANTS, _codel_family),
    **dict.fromkeys(PIE_VARIANTS, _pie_family),
}
