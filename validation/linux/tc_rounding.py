"""What the kernel and ``tc`` make of a setting before they print it, by parameter: no tolerance, each number predicted.

Constants of Linux 6.1 and iproute2 6.1. `HZ` is that of the kernel in virtual time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from penstock.dialects import Conversion
from penstock.units import parse_rate, parse_size, parse_time

__all__ = ["differences", "expected_of", "number_of", "shown_number", "shown_rate", "shown_size", "shown_time"]

HZ = 100
TICK_NS = 64
"""Of packet schedulers; tc counts microseconds in them."""
SFB_ONE = 0xFFFF
"""A probability of 1 in sfb."""
SFQ_FLOWS = 128
"""The default of sfq, printed whatever its limit."""


def shown_time(us: int) -> int:
    """Nanoseconds of a time as tc prints it: three digits in s or ms."""
    for size in (10**6, 10**3):
        if us >= size:
            return round(float(f"{us / size:.3g}") * size) * 1000
    return us * 1000


def shown_size(octets: int) -> int:
    """A size as tc prints it: in Mb when within 1 KiB of whole MiB, in Kb when within 16 B of whole KiB."""
    for size, near in ((2**20, 1024), (2**10, 16)):
        if octets >= size and abs(size * round(octets / size) - octets) < near:
            return size * round(octets / size)
    return octets


def shown_rate(bits: int) -> int:
    """A rate as tc prints it: in a larger unit from a million of the smaller one on, what is left over cut off."""
    unit = 1
    while bits >= 1000 and unit < 10**12 and not (bits % 1000 and bits < 10**6):
        bits, unit = bits // 1000, 1000 * unit
    return bits * unit


def shown_number(value: float) -> float:
    """A share as tc prints it: six digits."""
    return float(f"{value:.6g}")


def us_of_ticks(ticks: int) -> int:
    """Microseconds as tc takes them from ticks of schedulers."""
    return ticks * TICK_NS // 1000


def us_of_burst(octets: int, bits: int) -> int:
    """The time that a burst of tbf takes at a rate: the kernel's, which multiplies by a whole number and shifts."""
    factor, shift = 10**9, 0
    while not (factor // (bits // 8) >> 31 & 1 or factor >> 63):
        factor, shift = 2 * factor, shift + 1
    return us_of_ticks((octets * (factor // (bits // 8)) >> shift) // TICK_NS)


def us_of_class_burst(octets: int, bits: int) -> int:
    """The time that a burst of a class of htb takes: tc's, which has whole microseconds."""
    return us_of_ticks(int(10**6 * (octets / (bits / 8))) * 1000 // TICK_NS)


def made_burst(us: int, bits: int) -> int:
    """A burst as tc prints it: what its time makes at the rate."""
    return shown_size(int(bits / 8 * us / 10**6))


def in_ticks_of_codel(us: int) -> int:
    """Microseconds as CoDel keeps them: in units of 1024 ns."""
    return (1000 * us >> 10 << 10) // 1000


def in_ticks_of_schedulers(us: int) -> int:
    """Microseconds as PIE keeps its target."""
    return 1000 * us // TICK_NS * TICK_NS // 1000


def in_ticks_of_kernel(us: int) -> int:
    """Microseconds in whole ticks of the kernel's clock, rounded up."""
    return math.ceil(us * HZ / 10**6) * 10**6 // HZ


def _time(kept: Callable[[int], int]) -> Callable[[Any], int]:
    return lambda value: shown_time(kept(parse_time(value) // 1000))


def _size(value: Any) -> int:
    return shown_size(parse_size(value))


def _packets(value: Any) -> float:
    return float(str(value).removesuffix("p"))


def _exactly(us: int) -> int:
    return us


def _sfb(value: float) -> float:
    return shown_number(int(value * SFB_ONE + 0.5) / SFB_ONE)


_BY_NAME: Mapping[str, Callable[[Any], Any]] = {
    **{"quantum": _size, "overhead": parse_size, "max_p": shown_number, "d1": _sfb, "d2": _sfb},
    **{"perturb": _time(_exactly), "rtt": _time(_exactly), "bandwidth": lambda value: shown_rate(parse_rate(value))},
    **dict.fromkeys(("t_update", "rehash", "warmup"), _time(in_ticks_of_kernel)),
    **dict.fromkeys(("target", "interval", "ce_threshold"), _time(in_ticks_of_codel)),
    "limit": lambda value: _size(value) if str(value).endswith("B") else _packets(value),
}
"""The printed number for the parameter of a setting."""
_OF_KIND: Mapping[str, Mapping[str, Callable[[Any], Any]]] = {
    "pie": {"target": _time(in_ticks_of_schedulers)},
    "fq_pie": {"target": _time(in_ticks_of_schedulers)},
    "fq_codel": {"quantum": parse_size},  # tc prints it as a plain number
}
_FOUND: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("quantum", "overhead"), parse_size),
    **dict.fromkeys(
        ("perturb", "rtt", "t_update", "rehash", "warmup", "target", "interval", "ce_threshold"), parse_time
    ),
    "bandwidth": parse_rate,
    "limit": lambda value: parse_size(value) if str(value).endswith("B") else _packets(value),
}
"""The number of a parameter that was read."""


def differences(kind: str, given: Mapping[str, Any], found: Conversion) -> list[str]:
    """Parameters that came back otherwise than the kernel and tc round them: none if nothing was lost."""
    if kind == "tbf":
        expected: Any = _tbf(given)
        read: Any = {name: _bytes_or_rate(name, value) for name, value in found.parameters.items()}
    elif "classes" in given:
        expected, read = [_class(one) for one in given["classes"]], [_read_class(one) for one in _ordered(found)]
    elif kind in ("red", "choke", "gred"):
        expected, read = _red(kind, given), _read_red(found.parameters, given)
    else:
        expected = expected_of(kind, given)
        read = {name: number_of(name, value) for name, value in found.parameters.items() if name in given}
    if isinstance(expected, list):
        return [f"{ours} came back as {theirs}" for ours, theirs in zip(expected, read, strict=True) if ours != theirs]
    return [
        f"{name} = {given[name]} must come back as {value}, not {read.get(name)}"
        for name, value in expected.items()
        if value != read.get(name) and (value is not False or read.get(name))
    ]


def number_of(name: str, value: Any) -> Any:
    """The number of a parameter that was read."""
    return _FOUND.get(name, _same)(value)


def expected_of(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers that tc prints for the parameters of a queue without classes."""
    rules = {**_BY_NAME, **_OF_KIND.get(kind, {})}
    made = {name: rules.get(name, _same)(value) for name, value in given.items()}
    if kind == "sfq" and made.get("flows", SFQ_FLOWS) != SFQ_FLOWS:
        made["flows"] = min(made["flows"], made["limit"])  # as no more queues can hold a packet
    return made


def _same(value: Any) -> Any:
    return value


def _bytes_or_rate(name: str, value: Any) -> int:
    return parse_rate(value) if name == "rate" else parse_size(value)


def _tbf(given: Mapping[str, Any]) -> dict[str, int]:
    """Tc prints a limit above the burst as the time for which a packet then waits at most."""
    rate, burst, limit = parse_rate(given["rate"]), parse_size(given["burst"]), parse_size(given["limit"])
    us = us_of_burst(burst, rate)
    wait = int(10**6 * (limit / (rate / 8)) - us)
    shown, burst = shown_rate(rate), made_burst(us, rate)
    room = shown_size(limit) if wait < 0 else round(shown / 8 * shown_time(wait) / 1e9 + burst)
    return {"rate": shown, "burst": burst, "limit": room}


def _red(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Thresholds of red and gred in bytes of its mean packet, of choke in packets; the weight is checked separately."""
    packet = parse_size(given.get("mean_packet", "1000B"))

    def length(packets: float) -> float:
        return packets if kind == "choke" else shown_size(round(packets * packet))

    def each(values: Any, rule: Callable[[Any], Any]) -> Any:
        return [rule(value) for value in values] if isinstance(values, list) else rule(values)

    return {
        **{name: each(given[name], length) for name in ("min_th", "max_th")},
        **{"limit": length(_packets(given["limit"])), "max_p": each(given["max_p"], shown_number), "ecn": given["ecn"]},
    }


def _read_red(found: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    def length(value: Any) -> float:
        return parse_size(value) if str(value).endswith("B") else _packets(value)

    packet = parse_size(given.get("mean_packet", "1000B"))
    lengths = ("min_th", "max_th", "limit")
    return {
        name: [round(one * packet) for one in value] if isinstance(value, list) and name in lengths
        else length(value) if name in lengths else value
        for name, value in found.items() if name in given
    }  # fmt: skip


def _ordered(found: Conversion) -> list[Mapping[str, Any]]:
    """The classes in the order of their names, in which they were given."""
    return sorted(found.parameters["classes"], key=lambda one: int(str(one["name"]).partition(":")[2], 16))


def _class(one: Mapping[str, Any]) -> dict[str, Any]:
    """A class as it is printed."""
    made = {name: value for name, value in one.items() if name in ("name", "match", "priority")}
    if "weight" in one:
        made["weight"] = shown_rate(round(1e6 * one["weight"]))
    if "rate" in one:
        rate = parse_rate(one["rate"])
        made |= {"rate": shown_rate(rate), "burst": made_burst(us_of_class_burst(parse_size(one["burst"]), rate), rate)}
    if "queue" in one:
        made["queue"] = expected_of("codel", one["queue"])
    if "limit" in one or "queue" not in one:
        made["limit"] = one.get("limit", "1000p")  # of a pfifo
    return made


def _read_class(one: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(one)
    if "weight" in one:
        made["weight"] = round(1e6 * one["weight"])
    if "rate" in one:
        made |= {"rate": parse_rate(one["rate"]), "burst": parse_size(one["burst"])}
    if "queue" in one:
        made["queue"] = {name: number_of(name, value) for name, value in one["queue"].items() if name not in _OF_LINUX}
    return made


_OF_LINUX = ("variant", "interval")
"""What a queue of a class has when read, and does not say when given."""
