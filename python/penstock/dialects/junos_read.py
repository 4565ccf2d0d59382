"""Class of service of Junos: schedulers, scheduler maps and interfaces with the drop profiles that they name.

Source: Junos OS Class of Service User Guide ("Configuring Schedulers", "Configuring the Scheduler Buffer Size",
"Mapping Drop Profiles to Schedulers", "Configuring Scheduler Maps").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from penstock.dialects.cisco_keys import CODE_POINTS
from penstock.dialects.conversion import Conversion, ConversionContext, DialectError
from penstock.dialects.junos_text import Path, statements_below
from penstock.dialects.keys import ANY, Key, find_key, refuse_misspelt, select_object
from penstock.dialects.value_kinds import parse_integer_argument, parse_real_argument, rate_text, round_to_12_digits
from penstock.units import parse_time

__all__ = [
    "INTERFACE_KEYS",
    "SCHEDULER_KEYS",
    "Profiles",
    "QueueAssignment",
    "Scheduler",
    "check_levels",
    "queue_assignment",
    "read_schedulers",
    "scheduler_of_queues",
]

_DOC = "Junos OS Class of Service User Guide"
PRIORITIES = ("strict-high", "high", "medium-high", "medium-low", "low")
BEST_EFFORT = ("best-effort", "be", "best_effort", "besteffort")
Profiles = dict[str, Conversion]

SCHEDULER_KEYS = [
    Key("transmit-rate", "remainder", "bit/s, percent", "RATE, percent P, remainder", "weight or rate of a class",
        _DOC),
    Key("buffer-size", "", "percent, us", "temporal N, percent P, remainder", "limit, if temporal", _DOC),
    Key("priority", "low", "", ", ".join(PRIORITIES), "priority of a class of pq", _DOC),
    Key("drop-profile-map", "", "", "loss-priority L protocol P drop-profile NAME", "red or nonlinear", _DOC),
    Key("explicit-congestion-notification", "off", "", "", "ecn", _DOC),
    Key("shaping-rate", "", "bit/s", "", "An upper bound of a class", _DOC),
    Key("excess-rate", "", "", "", "Bandwidth beyond the guarantees goes by weight or order", _DOC),
    Key("excess-priority", "", "", "", "Bandwidth beyond the guarantees goes by weight or order", _DOC),
    Key("adjust-minimum", "", "", "", "Rates are not adjusted", _DOC),
    Key("adjust-percent", "", "", "", "Rates are not adjusted", _DOC),
    Key("description", "", "", "", "Text", _DOC, neutral_values=ANY),
]  # fmt: skip
"""Statements of a scheduler."""


INTERFACE_KEYS = [
    Key("scheduler-map", "", "", "a scheduler map", "wfq or pq", _DOC),
    Key("shaping-rate", "", "bit/s", "", "rate of the link", _DOC),
    Key("output-traffic-control-profile", "", "", "a profile", "wfq or pq, and the rate of the link", _DOC),
    *(Key(name, "", "", "", "Does not concern the queues", _DOC, neutral_values=ANY) for name in
      ("classifiers", "rewrite-rules", "forwarding-class", "unit", "apply-groups", "description")),
    *(Key(name, "", "", "", "Not simulated", _DOC) for name in
      ("scheduler-map-chassis", "input-traffic-control-profile", "input-scheduler-map", "input-shaping-rate",
       "output-forwarding-class-map", "congestion-notification-profile", "output-traffic-control-profile-remaining",
       "excess-bandwidth-share", "exclude-queue-overhead-bytes", "member-link-scheduler", "shared-scheduler")),
]  # fmt: skip
"""Statements of an interface below class-of-service."""


@dataclass
class QueueAssignment:
    """The schedulers of an interface's forwarding classes, and its shaping rate.

    Attributes:
        schedulers: name of the scheduler of each forwarding class.
        rate: of the interface in bit/s, if it is shaped.
        lost_settings: statements that are not read.

    """

    schedulers: dict[str, str]
    rate: float | None = None
    lost_settings: list[str] = field(default_factory=list)


@dataclass
class Scheduler:
    """The settings of a Junos scheduler: rate, buffer limit, priority, drop profile and ECN.

    Attributes:
        rate: kind (bit/s, percent, remainder) and number.
        limit: as a time; None if it is a part of a buffer of unknown size.
        profile: name of the drop profile of packets of low loss priority.

    """

    name: str
    rate: tuple[str, float] = ("remainder", 0.0)
    limit: str | None = None
    priority: str = "low"
    profile: str | None = None
    ecn: bool = False
    lost_settings: list[str] = field(default_factory=list)


LEVELS = ("drop-profiles", "schedulers", "scheduler-maps", "interfaces", "classifiers")
OTHER_LEVELS = ("forwarding-classes", "forwarding-class-sets", "loss-priority-maps", "rewrite-rules")


def check_levels(statements: list[Path]) -> None:
    """Raise `DialectError` for a misspelt hierarchy level."""
    for statement in statements:
        refuse_misspelt(statement[0], ("class-of-service", "chassis", *LEVELS), "Junos")
        if statement[0] == "class-of-service":
            for word in statement[1:2]:
                refuse_misspelt(word, LEVELS, "class-of-service", OTHER_LEVELS)
        elif statement[0] == "chassis":
            for word in statement[1:]:
                refuse_misspelt(word, ("red-buffer-occupancy",), "chassis")


def read_schedulers(statements: list[Path]) -> dict[str, Scheduler]:
    """The schedulers of a configuration, by name."""
    schedulers: dict[str, Scheduler] = {}
    maps: dict[str, dict[tuple[str, str], str]] = {}
    for name, *words in statements_below(statements, "schedulers"):
        scheduler = schedulers.setdefault(name, Scheduler(name))
        if not words:
            continue
        key = find_key(SCHEDULER_KEYS, words[0], f"scheduler {name}")
        line = f"scheduler {name} {' '.join(words)}"
        match words[0]:
            case "transmit-rate":
                _read_rate(scheduler, words[1:], line)
            case "buffer-size":
                _read_buffer(scheduler, words[1:], line)
            case "priority":
                if len(words) != 2 or words[1] not in PRIORITIES:
                    raise DialectError(f"{line}: expected one of {', '.join(PRIORITIES)}")
                scheduler.priority = words[1]
            case "drop-profile-map":
                _read_map(maps.setdefault(name, {}), words[1:], line)
            case "explicit-congestion-notification":
                scheduler.ecn = True
            case _:
                if key.neutral_values != ANY:
                    scheduler.lost_settings.append(f"{line}: {key.loss_reason}")
    for name, map_ in maps.items():
        _settle_map(schedulers[name], map_)
    return schedulers


def _rate_of(text: str, line: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kmg]?)(?:bps)?", text)
    if match is None or parse_real_argument(line, match[1]) == 0:
        raise DialectError(f"{line}: expected a rate such as 10m")
    return parse_real_argument(line, match[1]) * {"": 1, "k": 1e3, "m": 1e6, "g": 1e9}[match[2]]


def _read_rate(scheduler: Scheduler, words: list[str], line: str) -> None:
    """Reads `transmit-rate`; one rate, with or without `exact`, may take several statements."""
    if words[:1] == ["percent"] and len(words) > 1:
        value = parse_real_argument(line, words[1])
        if not 0 < value <= 100:
            raise DialectError(f"{line}: expected 1 to 100 percent")
        scheduler.rate = ("percent", value)
        words = words[2:]
    elif words[:1] == ["remainder"]:
        scheduler.rate = ("remainder", 0.0)
        words = words[2:] if len(words) > 1 and words[1].isdecimal() else words[1:]
    elif words and words[0] not in ("exact", "rate-limit"):
        scheduler.rate = ("bit/s", _rate_of(words[0], line))
        words = words[1:]
    if words:
        scheduler.lost_settings.append(f"{line}: an upper bound of a class")


def _microseconds(text: str, line: str) -> int:
    """A time in microseconds; `50k` is 50 000."""
    match = re.fullmatch(r"(\d+)([km]?)", text)
    if match is None:
        raise DialectError(f"{line}: expected a whole number of microseconds, such as 50k")
    return parse_integer_argument(line, match[1]) * {"": 1, "k": 1000, "m": 10**6}[match[2]]


def _read_buffer(scheduler: Scheduler, words: list[str], line: str) -> None:
    if words[:1] == ["temporal"] and len(words) > 1:
        scheduler.limit = f"{_microseconds(words[1], line)}us"
    elif words[:1] in (["percent"], ["remainder"], ["exact"], ["shared"]):
        if words[0] in ("percent", "remainder"):
            scheduler.limit = None
        scheduler.lost_settings.append(f"{line}: the size of the port's buffer is not in the text")
    else:
        raise DialectError(f"{line}: expected temporal N, percent P or remainder")


def _read_map(map_: dict[tuple[str, str], str], words: list[str], line: str) -> None:
    pairs = dict(zip(words[::2], words[1::2], strict=False))
    if set(pairs) != {"loss-priority", "protocol", "drop-profile"}:
        raise DialectError(f"{line}: expected loss-priority L protocol P drop-profile NAME")
    if pairs["loss-priority"] not in ("low", "medium-low", "medium-high", "high", "any"):
        raise DialectError(f"{line}: expected low, medium-low, medium-high, high or any")
    if pairs["protocol"] not in ("any", "tcp", "non-tcp"):
        raise DialectError(f"{line}: expected any, tcp or non-tcp")
    map_[pairs["loss-priority"], pairs["protocol"]] = pairs["drop-profile"]


def _settle_map(scheduler: Scheduler, map_: dict[tuple[str, str], str]) -> None:
    """The profile of TCP packets of low loss priority, as unmarked packets are; profiles that differ are listed."""
    for priority in ("low", "any", *(priority for priority, _ in map_)):
        for protocol in ("tcp", "any", "non-tcp"):
            if scheduler.profile is None and (priority, protocol) in map_:
                scheduler.profile = map_[priority, protocol]
    scheduler.lost_settings += [
        f"scheduler {scheduler.name} drop-profile-map loss-priority {priority} protocol {protocol} drop-profile "
        f"{profile}: only the profile for low loss priority is used"
        for (priority, protocol), profile in map_.items()
        if profile != scheduler.profile
    ]


def queue_assignment(statements: list[Path], facts: ConversionContext) -> QueueAssignment | None:
    """The scheduler of each forwarding class, in the only or the chosen interface or map."""
    maps: dict[str, dict[str, str]] = {}
    for path in statements_below(statements, "scheduler-maps"):
        if len(path) != 5 or path[1] != "forwarding-class" or path[3] != "scheduler":
            raise DialectError(f"scheduler-maps {' '.join(path)}: expected forwarding-class NAME scheduler NAME")
        maps.setdefault(path[0], {})[path[2]] = path[4]
    used: dict[str, str] = {}
    rates: dict[str, float] = {}
    lost: dict[str, list[str]] = {}
    for place, words in _of_interfaces(statements):
        line = f"interfaces {place} {' '.join(words)}"
        key = find_key(INTERFACE_KEYS, words[0], f"interfaces {place}")
        if words[0] == "scheduler-map" and len(words) == 2:
            used[place] = words[1]
        elif words[0] == "shaping-rate" and len(words) > 1:
            rates[place] = _rate_of(words[1], line)
            lost.setdefault(place, []).extend([f"{line}: a burst of the link's shaper"] if len(words) > 2 else [])
        elif words[0] == "output-traffic-control-profile" and len(words) == 2:
            _apply_control_profile(statements, words[1], place, (used, rates, lost))
        elif key.neutral_values != ANY:
            lost.setdefault(place, []).append(f"{line}: {key.loss_reason}")
    if used:
        # Interfaces with the same map count as one: the first with a rate.
        places: dict[str, str] = {}
        for place, name in used.items():
            if name not in places or places[name] not in rates:
                places[name] = place
        name, place = select_object(places, facts, "scheduler maps of interfaces")
        if name not in maps:
            raise DialectError(f"interfaces {place}: no scheduler map {name} in the text")
        whole = place.partition(".")[0]
        return QueueAssignment(maps[name], rates.get(place, rates.get(whole)),
                          [item for key, items in lost.items() if key in (place, whole) for item in items])  # fmt: skip
    if not maps:
        return None
    return QueueAssignment(
        select_object(maps, facts, "scheduler maps")[1], None, [item for items in lost.values() for item in items]
    )


def _apply_control_profile(
    statements: list[Path], name: str, place: str, into: tuple[dict[str, str], dict[str, float], dict[str, list[str]]]
) -> None:
    """Reads the scheduler map and the rate of a traffic control profile, as if the interface had them itself."""
    used, rates, lost = into
    profiles = statements_below(statements, "traffic-control-profiles")
    for path in profiles:
        if path[1:2] and path[1] not in _OF_PROFILES:
            raise DialectError(f"traffic-control-profiles {' '.join(path)}: expected one of {', '.join(_OF_PROFILES)}")
    paths = [path[1:] for path in profiles if path[:1] == (name,)]
    if not paths:
        line = f"interfaces {place} output-traffic-control-profile {name}"
        lost.setdefault(place, []).append(f"{line}: not in the text: paste this profile too")
    for words in paths:
        line = f"traffic-control-profiles {name} {' '.join(words)}"
        if words[:1] == ("scheduler-map",) and len(words) == 2:
            used[place] = words[1]
        elif words[:1] == ("shaping-rate",) and len(words) > 1:
            rates[place] = _rate_of(words[1], line)
            lost.setdefault(place, []).extend([f"{line}: a burst of the link's shaper"] if len(words) > 2 else [])
        else:
            lost.setdefault(place, []).append(f"{line}: not simulated")


_OF_PROFILES = ("scheduler-map", "shaping-rate", "guaranteed-rate", "delay-buffer-rate", "excess-rate",
                "excess-rate-high", "excess-rate-low", "overhead-accounting", "adjust-minimum", "atm-service",
                "max-burst-size", "peak-rate", "sustained-rate", "queue-parameters", "description", "apply-groups",
                )  # fmt: skip
"""Statements of a traffic control profile."""


def _of_interfaces(statements: list[Path]) -> Iterator[tuple[str, list[str]]]:
    """Each statement of an interface or unit below class-of-service; elsewhere, only statements about queues."""
    own = {key.name for key in INTERFACE_KEYS}
    for statement in statements:
        if "interfaces" not in statement:
            continue
        start = statement.index("interfaces")
        name, *words = statement[start + 1 :] or ("",)
        place = f"{name}.{words[1]}" if words[:1] == ["unit"] and len(words) > 2 else name
        words = words[2:] if place != name else words
        if words and ("class-of-service" in statement[:start] or words[0] in own - {"unit", "description"}
                      or get_close_matches(words[0], ("scheduler-map", "shaping-rate"), 1, 0.85)):  # fmt: skip
            yield place, words


_CLASSIFIERS = ("dscp", "dscp-ipv6", "exp", "ieee-802.1", "ieee-802.1ad", "inet-precedence")


def _code_points(statements: list[Path]) -> dict[str, list[int]]:
    """The code points of each forwarding class, from the only DSCP classifier, or the only one that interfaces use."""
    own = [statement for statement in statements if "interfaces" not in statement]
    for kind, *rest in statements_below(own, "classifiers"):
        if kind not in _CLASSIFIERS or rest[1:2] not in ([], ["forwarding-class"], ["import"]):
            raise DialectError(
                f"classifiers {' '.join([kind, *rest])}: expected one of {', '.join(_CLASSIFIERS)}, a name, and "
                "forwarding-class or import"
            )
    names = {path[0] for path in statements_below(own, "classifiers", "dscp") if path}
    if len(names) > 1:
        elsewhere = [statement for statement in statements if "interfaces" in statement]
        names &= {path[0] for path in statements_below(elsewhere, "classifiers", "dscp") if path}
    points: dict[str, list[int]] = {}
    if len(names) != 1:
        return points
    for path in statements_below(own, "classifiers", "dscp"):
        if path[0] not in names or path[1:2] == ("import",):
            continue
        if len(path) != 7 or path[1::2] != ("forwarding-class", "loss-priority", "code-points"):
            raise DialectError(f"classifiers dscp {' '.join(path)}: expected forwarding-class NAME loss-priority L "
                               "code-points POINTS")  # fmt: skip
        points.setdefault(path[2], []).append(_code_point(path[6]))
    return points


def _code_point(text: str) -> int:
    if re.fullmatch(r"[01]{6}", text):
        return int(text, 2)
    aliases = {**CODE_POINTS, "be": 0, "nc1": 48, "nc2": 56}
    if text not in aliases:
        raise DialectError(f"code-points {text}: expected six bits, or an alias such as ef")
    return aliases[text]


def scheduler_of_queues(
    statements: list[Path], queues: dict[str, tuple[Scheduler, Conversion]], rate: float | None
) -> Conversion:
    """The queues of forwarding classes as classes of a scheduler."""
    levels = {scheduler.priority for scheduler, _ in queues.values()}
    result = Conversion("pq" if len(levels) > 1 else "wfq", {"limit": "inf", "classes": []})
    points = _code_points(statements)
    rest = _default_class([*queues], points, statements)
    shares, is_rate = _shares([scheduler for scheduler, _ in queues.values()], rate)
    ordered = sorted(queues, key=lambda name: (name == rest, PRIORITIES.index(queues[name][0].priority)))
    for name in ordered:
        scheduler, own = queues[name]
        share = shares[scheduler.name]
        held = sorted(points.get(name, []))
        table: dict[str, Any] = {"name": name, "match": {"dscp": held} if held else {"traffic": [name]}}
        if result.scheme == "wfq":
            table["weight"] = round_to_12_digits(share / 1e6 if is_rate else share)
        else:
            table["priority"] = PRIORITIES.index(scheduler.priority)
            if scheduler.priority != "strict-high":
                table["rate"] = rate_text(share if is_rate else share / 100 * _known(rate, scheduler))
        _add_queue(table, scheduler, own, rate)
        result.parameters["classes"].append(table)
        result.lost_settings += own.lost_settings
        result.notes += [note for note in own.notes if note not in result.notes]
    if not points:
        result.notes.append("no dscp classifier in the text: put the traffic of each forwarding class in match")
    if result.scheme == "pq":
        result.lost_settings.append("bandwidth beyond the guarantees: here the first classes get it first")
    del result.parameters["classes"][-1]["match"]
    result.notes.append(f"packets that no classifier names are in {rest}")
    return result


def _shares(schedulers: list[Scheduler], rate: float | None) -> tuple[dict[str, float], bool]:
    """The transmit rate of each scheduler, and whether it is in bit/s; otherwise it is in percent."""
    kinds = {scheduler.rate[0] for scheduler in schedulers} - {"remainder"}
    if len(kinds) > 1:
        raise DialectError("transmit-rate in both bit/s and percent")
    is_rate = kinds == {"bit/s"}
    rests = [scheduler for scheduler in schedulers if scheduler.rate[0] == "remainder"]
    shares = {scheduler.name: scheduler.rate[1] for scheduler in schedulers}
    if rests:
        whole = _known(rate, rests[0]) if is_rate else 100.0
        left = max(whole - sum(shares.values()), whole / 100) / len(rests)
        shares |= {scheduler.name: left for scheduler in rests}
    return shares, is_rate


def _add_queue(table: dict[str, Any], scheduler: Scheduler, own: Conversion, rate: float | None) -> None:
    """The queue of a class: a temporal buffer size is the data of that time at the speed of the interface."""
    limit = own.parameters.pop("limit", None)
    size = None if limit is None else f"{max(1, round(parse_time(limit) * _known(rate, scheduler) / 8e9))}B"
    if own.scheme != "droptail":
        if size is None:
            raise DialectError(
                f"scheduler {scheduler.name}: its drop profile has shares of a buffer whose size is not in the text; "
                "give buffer-size temporal"
            )
        table["queue"] = {"scheme": own.scheme, "limit": size, **own.parameters}
    elif size is not None:
        table["limit"] = size


def _default_class(names: list[str], points: dict[str, list[int]], statements: list[Path]) -> str:
    """The forwarding class of unclassified packets: the class of queue 0, otherwise best effort."""
    classes = statements_below(statements, "forwarding-classes")
    first = [path[2] for path in classes if path[:2] == ("queue", "0") and len(path) > 2]
    first += [path[1] for path in classes if path[:1] == ("class",) and path[2:] == ("queue-num", "0")]
    unnamed = [name for name in names if name not in points] or names
    return next(
        (name for name in [*first, *unnamed] if name in names and (name in first or name.lower() in BEST_EFFORT)),
        unnamed[-1],
    )


def _known(rate: float | None, scheduler: Scheduler) -> float:
    if rate is None:
        raise DialectError(f"scheduler {scheduler.name}: its rate or buffer depends on the link: give --rate RATE")
    return rate
