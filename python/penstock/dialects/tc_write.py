"""Schedulers, the shaper and wred as lines of `tc`: a root queue with its classes, their queues and filters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from penstock.dialects import tc_queue
from penstock.dialects.conversion import (
    Conversion,
    ConversionContext,
    DialectError,
    length_in_packets,
    limit_in_packets,
)
from penstock.dialects.tc_lines import normalize_handle
from penstock.dialects.tc_match import write_filters
from penstock.dialects.tc_units import RATE
from penstock.dialects.value_kinds import format_number, round_to_12_digits
from penstock.units import format_rate, parse_rate

__all__ = ["WRITERS"]

LONGEST_BURST_S = 274
"""tc stores the time that a burst of htb takes at its rate in 32 bits, in units of 64 ns, and wraps around."""
LARGEST_SIZE = 2**32 - 1
"""The largest number of bytes that tc(8) stores."""


def _bytes(value: Any, facts: ConversionContext, limit: float | None = None) -> int:
    """A length in bytes."""
    return round(facts.packet * length_in_packets(value, facts, limit))


def _shaper(scheme: str, given: dict[str, Any], facts: ConversionContext) -> Conversion:
    """Tbf, tc-tbf(8)."""
    found = _tbf(scheme, given, facts)
    found.text = f"tc qdisc replace dev {facts.interface} root {found.text}"
    return found


def _tbf(scheme: str, given: dict[str, Any], facts: ConversionContext) -> Conversion:
    found = Conversion(scheme, given)
    depth, limit = given.get("burst", 0), given.get("limit", "inf")
    burst = round(depth) if isinstance(depth, (int, float)) else _bytes(depth, facts)
    if burst < 1:
        burst = facts.packet
        found.notes.append(f"burst {burst} instead of 0: the bucket of tbf holds at least a packet")
    room = LARGEST_SIZE if limit == "inf" else _bytes(limit, facts)
    if str(limit).endswith("p") or isinstance(limit, int):
        found.notes.append(f"limit = {room} bytes: packets of {facts.packet} B")
    found.lost_settings += [
        f"{name} = {value}" for name, value in given.items() if name not in ("rate", "burst", "limit")
    ]
    found.text = f"tbf rate {RATE.write(given['rate'])} burst {burst} limit {room}"
    return found


def _wred(scheme: str, given: dict[str, Any], facts: ConversionContext) -> Conversion:
    """Gred in its mode with one average: grio and equal prio."""
    found = Conversion(scheme, given)
    lists = {name: given.get(name, default) for name, default in _WRED.items()}
    if len({len(values) for values in lists.values()}) != 1:
        raise DialectError("min_th, max_th and max_p need a value for each level")
    shared: dict[str, Any] = {name: given[name] for name in ("w_q", "mean_packet", "limit", "ecn") if name in given}
    limit = limit_in_packets(given, facts)
    most = 4 * max(length_in_packets(high, facts, limit) for high in lists["max_th"]) if limit is None else limit
    room = min(round(most * facts.packet), LARGEST_SIZE)
    lines = [f"tc qdisc replace dev {facts.interface} root gred setup vqs {len(lists['max_p'])} "
             f"default {len(lists['max_p']) - 1} grio limit {room}"]  # fmt: skip
    for level, (low, high, share) in enumerate(zip(*lists.values(), strict=True)):
        top = length_in_packets(high, facts, limit)
        own = {"min_th": low, "max_th": high, "max_p": share}
        if limit is not None and length_in_packets(low, facts, limit) >= limit:
            own = {"min_th": limit, "max_th": 2 * limit, "max_p": share}
            found.notes.append(f"vq {level} is never dropped early: its thresholds are at the limit and above")
        elif limit is None:
            shared["limit"] = f"{format_number(4 * top)}p"
        one = tc_queue.write("red", {**own, **shared}, facts)
        found.notes += one.notes
        found.lost_settings += one.lost_settings
        lines.append(
            f"tc qdisc change dev {facts.interface} root gred vq {level} prio 1 {one.text.removeprefix('red ')}"
        )
    said = {*lists, *shared, "limit", "spacing", "measure_in", "guards", "gentle"}
    found.lost_settings += [f"{name} = {value}" for name, value in given.items() if name not in said]
    found.notes.append("gred takes the level of a packet from its tc_index, which a filter must set")
    found.notes, found.lost_settings = list(dict.fromkeys(found.notes)), list(dict.fromkeys(found.lost_settings))
    found.text = "\n".join(lines)
    return found


_WRED: dict[str, list[Any]] = {"min_th": [1e6, 5], "max_th": [2e6, 15], "max_p": [0.1, 0.1]}
"""Defaults of the registry."""


def _pq(scheme: str, given: dict[str, Any], facts: ConversionContext) -> Conversion:
    """Prio, tc-prio(8); htb where a class has a rate."""
    if any("rate" in one for one in _classes(given)):
        return _htb(scheme, given, facts)
    found = Conversion(scheme, given)
    classes = _classes(given)
    if not 2 <= len(classes) <= 16:
        raise DialectError(f"prio has 2 to 16 bands; this has {len(classes)} classes")
    ranks = [one.get("priority", place) for place, one in enumerate(classes)]
    order = sorted(range(len(classes)), key=lambda place: ranks[place])
    bands = [order.index(place) for place in range(len(classes))]
    last = str(bands[-1])
    head = f"tc qdisc replace dev {facts.interface} root handle 1: prio"
    lines = [f"{head} bands {len(classes)} priomap {' '.join([last] * 16)}"]
    places = [f"1:{band + 1:x}" for band in bands]
    found.text = "\n".join([*lines, *_below(found, classes, places, facts)])
    _unsaid(found, {"priority"})
    return found


def _htb(scheme: str, given: dict[str, Any], facts: ConversionContext) -> Conversion:
    """Htb, tc-htb(8): a class for the link, and one below it for each class."""
    found = Conversion(scheme, given)
    classes = _classes(given)
    rates, whole = _rates(scheme, classes, facts, found)
    places = _places(classes)
    link = RATE.write(f"{round(whole)}bit")
    lines = [
        f"tc qdisc replace dev {facts.interface} root handle 1: htb default {places[-1].partition(':')[2]}",
        f"tc class replace dev {facts.interface} parent 1: classid 1:1 htb rate {link} ceil {link}",
    ]
    for number_, (one, place, rate) in enumerate(zip(classes, places, rates, strict=True)):
        more = ""
        if scheme == "pq":
            burst = _bytes(one.get("burst", "20p"), facts)
            most = int(rate / 8 * LONGEST_BURST_S)
            if burst > most:
                found.notes.append(
                    f"burst of {place} = {most} bytes instead of {burst}: tc has up to {LONGEST_BURST_S} s"
                )
            more = f" burst {min(burst, most)} prio {one.get('priority', number_)}"
        lines.append(f"tc class replace dev {facts.interface} parent 1:1 classid {place} htb "
                     f"rate {RATE.write(f'{round(rate)}bit')} ceil {link}{more}")  # fmt: skip
    found.text = "\n".join([*lines, *_below(found, classes, places, facts)])
    _unsaid(found, {"weight", "share", "rate", "burst", "priority"})
    return found


def _rates(
    scheme: str, classes: list[dict[str, Any]], facts: ConversionContext, found: Conversion
) -> tuple[list[float], float]:
    """The rate of each class and of the link."""
    if scheme == "pq":
        if facts.rate is None:
            raise DialectError("htb needs the rate of the link: give --rate RATE")
        bare = [one["name"] for one in classes if "rate" not in one]
        found.notes += [f"{name} has priority without a limit: its rate is that of the link" for name in bare]
        return [parse_rate(one["rate"]) if "rate" in one else facts.rate for one in classes], facts.rate
    weights = [float(one.get("weight", one.get("share", 1))) for one in classes]
    if facts.rate is None and any("share" in one for one in classes):
        raise DialectError("a share refers to the link's rate: give --rate RATE")
    total = round_to_12_digits(1e6 * sum(weights))
    if facts.rate is None or abs(facts.rate - total) < 1:
        if facts.rate is None:
            found.notes.append(
                f"weights are written as Mbit/s, {format_rate(round(total))} in all: give --rate RATE for others"
            )
        return [1e6 * weight for weight in weights], total
    found.notes.append("the rates of the classes divide the link's rate by weight")
    return [facts.rate * weight / sum(weights) for weight in weights], facts.rate


def _classes(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = [dict(one) for one in given.get("classes", ())]
    if not found:
        raise DialectError("classes are missing")
    return [{"name": str(place), **one} for place, one in enumerate(found)]


def _places(classes: list[dict[str, Any]]) -> list[str]:
    """Class identifiers: the names if they are class identifiers, else 1:10, 1:20 and so on."""
    names = [str(one["name"]) for one in classes]
    own = [name for name in names if name.startswith("1:") and name != "1:1" and name == _known(name)]
    return names if len(set(own)) == len(names) else [f"1:{number_}0" for number_ in range(1, len(names) + 1)]


def _known(name: str) -> str:
    try:
        return normalize_handle(name)
    except DialectError:
        return ""


def _below(found: Conversion, classes: list[dict[str, Any]], places: list[str], facts: ConversionContext) -> list[str]:
    """The queues of the classes, and the filters that lead to them."""
    queues, filters = [], []
    for rank, (one, place) in enumerate(zip(classes, places, strict=True), 1):
        if one["name"] != place:
            found.notes.append(f"{one['name']} is class {place}")
        child = _queue(one)
        if child is not None:
            scheme = child.pop("scheme")
            made = (_tbf if scheme == "shaper" else tc_queue.write)(scheme, child, facts)
            found.notes += [f"{place}: {note}" for note in made.notes]
            found.lost_settings += [f"{place}: {item}" for item in made.lost_settings]
            queues.append(f"tc qdisc replace dev {facts.interface} parent {place} {made.text}")
        if rank < len(classes):
            selectors, unsaid = write_filters(one.get("match", {}))
            found.lost_settings += [f"{item} of {place}: write a filter for it" for item in unsaid]
            head = f"tc filter add dev {facts.interface} parent 1: protocol ip prio {rank} u32"
            filters += [f"{head} {selector} flowid {place}" for selector in selectors]
    return [*queues, *filters]


def _queue(one: Mapping[str, Any]) -> dict[str, Any] | None:
    """The queue of a class, its limit among its parameters."""
    given = one.get("queue")
    table = {"scheme": given} if isinstance(given, str) else dict(given or {"scheme": "droptail"})
    if "limit" in one:
        table.setdefault("limit", one["limit"])
    return table if given or "limit" in one else None


def _unsaid(found: Conversion, known: set[str]) -> None:
    """List the parameters that neither the queue nor its classes can express."""
    for one in _classes(found.parameters):
        extra = [name for name in one if name not in {"name", "match", "queue", "limit", *known}]
        found.lost_settings += [f"{name} = {one[name]} of {one['name']}" for name in extra]
    found.lost_settings += [
        f"{name} = {value}: classes in tc cannot share a limit" if name == "limit" else f"{name} = {value}"
        for name, value in found.parameters.items()
        if name != "classes" and value != "inf"
    ]


WRITERS: dict[str, Callable[[str, dict[str, Any], ConversionContext], Conversion]] = {
    "shaper": _shaper,
    "wred": _wred,
    "pq": _pq,
    "wfq": _htb,
}
"""Schemes that need more than one line, or that include the link's rate."""
