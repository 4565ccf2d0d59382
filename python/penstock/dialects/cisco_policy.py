"""Policy maps of Cisco IOS as queues: the commands of a class, and the scheduler that several classes form."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from penstock.dialects.cisco_keys import ACTIONS, DEFAULT_LIMIT, code_point
from penstock.dialects.cisco_red import RandomDetect, set_red_or_wred
from penstock.dialects.cisco_text import IMPLICIT, Configuration, Lines, Policy
from penstock.dialects.conversion import Conversion, ConversionContext, DialectError, length_in_packets
from penstock.dialects.keys import find_key, select_object
from penstock.dialects.value_kinds import parse_integer_argument, parse_real_argument, rate_text, round_to_12_digits
from penstock.units import parse_rate, parse_time

__all__ = ["EXPECTED", "read_policy"]

EXPECTED = "expected a policy map, random-detect, or queue-limit"
REST = "class-default"
_DEPTH = 5


@dataclass
class _Class:
    """The commands of a class.

    Attributes:
        bandwidth: kind (kbit/s, percent, remaining percent, remaining ratio) and number.
        priority: level from 0 on; None without priority.
        priority_rate: kind and number.
        shape: rate in bit/s, or a share of that above.

    """

    name: str
    bandwidth: tuple[str, float] | None = None
    priority: int | None = None
    priority_rate: tuple[str, float] | None = None
    burst: int | None = None
    shape: tuple[str, float] | None = None
    limit: str | None = None
    random_detect: RandomDetect | None = None
    has_fair_queue: bool = False
    child_policy: str | None = None
    lost_settings: list[str] = field(default_factory=list)

    @property
    def label(self) -> str:
        """The name of the class in messages."""
        return f"class {self.name}" if self.name != IMPLICIT else "the class"


def read_policy(configuration: Configuration, facts: ConversionContext) -> Conversion:
    """The queue of an interface, or of the only policy map that no other policy map uses."""
    policies = configuration.policies
    bandwidth = None
    if configuration.output_policies:
        # Interfaces with the same policy map count as one: the first with a bandwidth.
        used: dict[str, str] = {}
        for interface, policy in configuration.output_policies.items():
            if policy not in used or used[policy] not in configuration.bandwidths:
                used[policy] = interface
        used |= {name: name.removeprefix("interface ") for name in policies if name.startswith("interface ")}
        if facts.chosen in configuration.output_policies:
            name, interface = configuration.output_policies[facts.chosen], facts.chosen
        else:
            name, interface = select_object(used, facts, "policy maps of interfaces")
        bandwidth = configuration.bandwidths.get(interface)
        if name not in policies:
            raise DialectError(f"interface {interface}: no policy map {name} in the text")
    else:
        children = {line[-1] for policy in policies.values() for lines in policy.values() for line in lines
                    if line[0] == "service-policy"}  # fmt: skip
        roots = {name: policy for name, policy in policies.items() if name not in children and policy}
        if not roots:
            why = f"; {configuration.lost_settings[0]}" if configuration.lost_settings else ""
            raise DialectError(f"{EXPECTED}{why}")
        name, _ = select_object(roots, facts, "policy maps")
        bandwidth = configuration.bandwidths.get(name.removeprefix("interface "))
    reader = _Reader(configuration, facts)
    result = reader.policy(name, facts.rate or bandwidth, 0)
    if result.rate is None and bandwidth is not None:
        result.rate = bandwidth
    result.lost_settings += configuration.lost_settings
    return result


def _read_class(name: str, lines: Lines) -> _Class:
    class_ = _Class(name)
    for words in lines:
        line = " ".join(words)
        match words[0]:
            case "bandwidth":
                class_.bandwidth = _bandwidth(words, class_.label)
            case "priority":
                _read_priority(class_, words)
            case "shape":
                _read_shape(class_, words)
            case "queue-limit":
                _read_limit(class_, words)
            case "random-detect":
                class_.random_detect = class_.random_detect or RandomDetect()
                class_.random_detect.read_line(words[1:], class_.label)
            case "fair-queue":
                _read_fair(class_, words[1:])
            case "service-policy":
                if len(words) != 2:
                    raise DialectError(f"{class_.label} {line}: expected service-policy NAME")
                class_.child_policy = words[1]
            case "description":
                pass
            case word:
                class_.lost_settings.append(f"{class_.label} {line}: {find_key(ACTIONS, word, 'a class').loss_reason}")
    return class_


def _bandwidth(words: list[str], place: str) -> tuple[str, float]:
    match = re.fullmatch(r"bandwidth (remaining percent|remaining ratio|percent|)\s*(\d+(?:\.\d+)?)", " ".join(words))
    if match is None:
        raise DialectError(f"{place} {' '.join(words)}: expected bandwidth KBPS, percent P, or remaining percent P")
    value = parse_real_argument("bandwidth", match[2])
    if "percent" in match[1] and not 1 <= value <= 100:
        raise DialectError(f"{place} {' '.join(words)}: expected 1 to 100 percent")
    return (match[1] or "kbit/s", value)


def _read_priority(class_: _Class, words: list[str]) -> None:
    match = re.fullmatch(r"priority(?: level (\d))?(?: (percent )?(\d+)(?: (\d+))?)?", " ".join(words))
    if match is None:
        raise DialectError(f"{class_.label} {' '.join(words)}: expected priority [level N] [KBPS [BURST] | percent P]")
    class_.priority = int(match[1] or 1) - 1
    if match[3]:
        class_.priority_rate = ("percent" if match[2] else "kbit/s", parse_real_argument("priority", match[3]))
    if match[4]:
        class_.burst = int(match[4])


def _read_shape(class_: _Class, words: list[str]) -> None:
    match = re.fullmatch(
        r"shape (?:(average|peak) )?(percent )?(\d+(?:\.\d+)?)([kmg]?)(?:bps)?((?: \d+(?: ms)?)*)( account .*)?",
        " ".join(words),
    )
    if match is None:
        raise DialectError(f"{class_.label} {' '.join(words)}: expected shape average RATE")
    rate = parse_real_argument("shape", match[3]) * {"": 1, "k": 1e3, "m": 1e6, "g": 1e9}[match[4]]
    if rate == 0:
        raise DialectError(f"{class_.label} {' '.join(words)}: expected a rate above 0")
    class_.shape = ("percent" if match[2] else "bit/s", rate)
    if match[1] == "peak":
        class_.lost_settings.append(f"{class_.label} shape peak: the excess burst; the rate is the committed one")
    elif match[5].strip():
        class_.lost_settings.append(f"{class_.label} shape burst{match[5]}: the link sends evenly at the rate")
    if match[6]:
        class_.lost_settings.append(f"{class_.label}{match[6]}: overhead of the link")


def _read_fair(class_: _Class, words: list[str]) -> None:
    class_.has_fair_queue = True
    line = " ".join(["fair-queue", *words])
    if words and not re.fullmatch(r"fair-queue(?: (?:individual-limit|queue-limit|aggregate-limit))?(?: \d+)+", line):
        raise DialectError(f"{class_.label} {line}: expected fair-queue")
    if words:
        class_.lost_settings.append(
            f"{class_.label} {line}: here each flow has its own queue, without a separate limit"
        )


def _read_limit(class_: _Class, words: list[str]) -> None:
    match = re.fullmatch(r"queue-limit (\d+)(?: (packets|bytes|ms|us))?", " ".join(words))
    if match is None:
        class_.lost_settings.append(f"{class_.label} {' '.join(words)}: a separate limit for some packets of a queue")
        return
    unit = {"packets": "p", "bytes": "B"}.get(match[2] or "packets", match[2])
    class_.limit = f"{parse_integer_argument('queue-limit', match[1])}{unit}"


class _Reader:
    """Converts policy maps to queues; `facts.rate` is the rate of the link if the text has none."""

    def __init__(self, configuration: Configuration, facts: ConversionContext) -> None:
        self.configuration, self.facts = configuration, facts

    def policy(self, name: str, rate: float | None, depth: int) -> Conversion:
        """The queue of a policy map on a link with this rate."""
        if depth > _DEPTH:
            raise DialectError(f"policy map {name} uses itself")
        if name not in self.configuration.policies:
            raise DialectError(f"no policy map {name} in the text")
        policy: Policy = self.configuration.policies[name]
        classes = [_read_class(class_, lines) for class_, lines in policy.items()]
        if not classes:
            raise DialectError(f"policy map {name} has no class")
        may_be_alone = classes[-1].priority is None or classes[-1].name in (REST, IMPLICIT)
        if may_be_alone and not any(map(_queues, classes[:-1])):
            result = self._single(classes[-1], rate, depth)
            for class_ in classes[:-1]:
                result.lost_settings += [*class_.lost_settings] or [f"{class_.label}: it has no separate queue"]
            return result
        return self._several(classes, rate)

    def _single(self, class_: _Class, rate: float | None, depth: int) -> Conversion:
        shaped = None
        if class_.shape is not None:
            shaped = self._share(class_.shape, rate, class_.label) if class_.shape[0] == "percent" else class_.shape[1]
        if class_.child_policy is not None:
            result = self.policy(class_.child_policy, shaped or rate, depth + 1)
            own = [
                key for key, value in (("queue-limit", class_.limit), ("random-detect", class_.random_detect)) if value
            ]
            result.lost_settings += [f"{class_.label} {key}: the classes below have queues of their own" for key in own]
        else:
            result = self._queue(class_, shaped or rate)
            if class_.has_fair_queue:
                _make_fair(result, class_)
        if class_.bandwidth is not None:
            kind, value = class_.bandwidth
            result.lost_settings.append(f"{class_.label} bandwidth {kind} {value:g}: a single class has the whole link")
        if class_.priority is not None:
            result.lost_settings.append(f"{class_.label} priority: a single class has the whole link")
        if class_.name not in (REST, IMPLICIT):
            result.lost_settings.append(f"{class_.label}: which packets it holds; {REST} holds the others")
        result.lost_settings += class_.lost_settings
        if shaped is not None:
            result.rate = shaped
        return result

    def _queue(self, class_: _Class, rate: float | None) -> Conversion:
        """The queue of a class, with the default limit of IOS if it has none."""
        result = Conversion("droptail", {})
        if class_.limit is not None:
            result.parameters["limit"] = class_.limit
        if class_.random_detect is not None:
            set_red_or_wred(
                result,
                class_.random_detect,
                class_.label,
                ConversionContext(rate or self.facts.rate, self.facts.packet),
            )
        if class_.limit is None and not _is_above_default(result):
            result.parameters["limit"] = DEFAULT_LIMIT
        return result

    def _several(self, classes: list[_Class], rate: float | None) -> Conversion:
        classes = [
            *[class_ for class_ in classes if class_.name != REST],
            *[class_ for class_ in classes if class_.name == REST],
        ]
        if classes[-1].name != REST:
            classes.append(_Class(REST))
        has_priority = any(class_.priority is not None for class_ in classes)
        result = Conversion("pq" if has_priority else "wfq", {"limit": "inf", "classes": []})
        extras = self._priorities(result, classes, rate) if has_priority else self._weights(classes, rate)
        for class_, extra in zip(classes, extras, strict=True):
            own = self._queue(class_, rate)
            table: dict[str, Any] = {"name": class_.name, **extra}
            if class_.name != REST:
                table["match"] = self._match(result, class_)
            if "limit" in own.parameters:
                table["limit"] = _class_limit(own.parameters.pop("limit"), class_, extras, extra, rate)
            if own.scheme != "droptail":
                table["queue"] = {"scheme": own.scheme, **own.parameters}
            result.parameters["classes"].append(table)
            result.lost_settings += [*own.lost_settings, *class_.lost_settings]
            if class_.name != REST and not _queues(class_):
                result.lost_settings.append(
                    f"{class_.label} has no queue: IOS puts its packets in that of {REST}, penstock in a separate one"
                )
            result.notes += [note for note in own.notes if note not in result.notes]
            if class_.child_policy is not None:
                result.lost_settings.append(
                    f"{class_.label} service-policy {class_.child_policy}: only one level of classes is supported"
                )
            if class_.shape is not None:
                result.lost_settings.append(f"{class_.label} shape: an upper bound of a class")
            if class_.has_fair_queue:
                result.lost_settings.append(f"{class_.label} fair-queue: a queue per flow within a class")
        return result

    def _weights(self, classes: list[_Class], rate: float | None) -> list[dict[str, Any]]:
        kinds = {class_.bandwidth[0] for class_ in classes if class_.bandwidth}
        if len(kinds) > 1:
            raise DialectError(f"bandwidths of classes in different units: {', '.join(sorted(kinds))}")
        kind = next(iter(kinds), "remaining ratio")
        bandwidths = [class_.bandwidth[1] if class_.bandwidth else None for class_ in classes]
        rest = self._rest(kind, sum(value or 0 for value in bandwidths), bandwidths.count(None), rate)
        scale = 1000 if kind == "kbit/s" else 1
        return [{"weight": round_to_12_digits((rest if value is None else value) / scale)} for value in bandwidths]

    def _rest(self, kind: str, total: float, count: int, rate: float | None) -> float:
        """The bandwidth of each class without a given bandwidth, in the unit of the others."""
        if kind == "remaining ratio" or count == 0:
            return 1.0
        if kind == "kbit/s":
            if rate is None:
                raise DialectError(f"{REST} has the bandwidth that the other classes leave: give --rate RATE")
            return max(rate / 1000 - total, rate / 1e5) / count
        return max(100 - total, 1) / count

    def _priorities(self, result: Conversion, classes: list[_Class], rate: float | None) -> list[dict[str, Any]]:
        tables = []
        levels = [class_.priority for class_ in classes if class_.priority is not None]
        others = [class_ for class_ in classes if class_.priority is None]
        reserved = 0.0
        for class_ in classes:
            if class_.priority_rate is not None and (class_.priority_rate[0] == "kbit/s" or rate is not None):
                reserved += self._share(class_.priority_rate, rate, class_.label)
        for class_ in classes:
            table: dict[str, Any] = {"priority": class_.priority if class_.priority is not None else max(levels) + 1}
            if class_.priority_rate is not None:
                own = self._share(class_.priority_rate, rate, class_.label)
                table |= {"rate": rate_text(own), "burst": f"{class_.burst or max(1, round(own * 0.2 / 8))}B"}
            elif class_.priority is None and len(others) > 1:
                table["rate"] = rate_text(self._guarantee(class_, others, rate, reserved))
            tables.append(table)
        result.notes.append(
            "IOS drops what a priority class sends above its rate while the link is busy; here it waits"
        )
        if len(others) > 1:
            result.lost_settings.append(
                "bandwidth beyond the guarantees: IOS shares it by weight; here the first classes get it first"
            )
        return tables

    def _guarantee(self, class_: _Class, others: list[_Class], rate: float | None, reserved: float) -> float:
        if rate is None:
            raise DialectError(f"{class_.label}: its bandwidth is a part of the link: give --rate RATE, or shape above")
        free = max(rate - reserved, rate / 100)
        if any(other.bandwidth and other.bandwidth[0] == "percent" for other in others):
            bandwidths = [rate * other.bandwidth[1] / 100 for other in others if other.bandwidth]
            rests = len(others) - len(bandwidths)
            return (
                class_.bandwidth[1] / 100 * rate
                if class_.bandwidth
                else max(free - sum(bandwidths), rate / 100) / rests
            )
        weights = self._weights(others, free)
        total = float(sum(table["weight"] for table in weights))
        return free * float(weights[others.index(class_)]["weight"]) / total

    def _share(self, bandwidths: tuple[str, float], rate: float | None, place: str) -> float:
        kind, value = bandwidths
        if kind == "kbit/s":
            return 1000 * value
        if rate is None:
            raise DialectError(f"{place}: {value:g} percent of the link: give --rate RATE, or shape above")
        return value / 100 * rate

    def _match(self, result: Conversion, class_: _Class) -> dict[str, Any]:
        """The code points that a class holds; else a name for its traffic."""
        class_map = self.configuration.class_maps.get(class_.name)
        if class_map is None or not class_map.conditions:
            result.notes.append(f"{class_.label}: the text has no class map: name its traffic in match")
            return {"traffic": [class_.name]}
        sets = []
        for words in class_map.conditions:
            points = _points(words)
            if points is None:
                result.lost_settings.append(
                    f"class-map {class_.name} match {' '.join(words)}: only code points are read"
                )
            else:
                sets.append(points)
        if not sets:
            return {"traffic": [class_.name]}
        points = set().union(*sets) if class_map.matches_any else set.intersection(*sets)
        if not points:
            raise DialectError(f"class-map {class_.name}: no packet has all its code points")
        return {} if len(points) == 64 else {"dscp": sorted(points)}


def _class_limit(
    limit: str, class_: _Class, extras: list[dict[str, Any]], extra: dict[str, Any], rate: float | None
) -> str:
    """A limit in packets or bytes; a time is converted at the bandwidth of the class."""
    if not limit.endswith("s"):
        return limit
    own = float(parse_rate(extra["rate"])) if "rate" in extra else rate
    if own is None:
        raise DialectError(f"{class_.label} queue-limit {limit}: a time needs the rate of the link: give --rate RATE")
    if "weight" in extra:
        own *= extra["weight"] / sum(table["weight"] for table in extras)
    return f"{max(1, round(parse_time(limit) * own / 8e9))}B"


def _queues(class_: _Class) -> bool:
    return any(
        (
            class_.bandwidth,
            class_.priority is not None,
            class_.shape,
            class_.limit,
            class_.random_detect,
            class_.has_fair_queue,
            class_.child_policy,
        )
    )


def _points(words: list[str]) -> set[int] | None:
    """The code points of a condition; None for a condition on anything else."""
    if words[:1] == ["not"]:
        excluded = _points(words[1:])
        return None if excluded is None else set(range(64)) - excluded
    words = words[1:] if words and words[0] in ("ip", "ipv4", "ipv6") else words
    if words == ["any"]:
        return set(range(64))
    if len(words) > 1 and words[0] == "dscp":
        return {code_point(word, "dscp") for word in words[1:]}
    if len(words) > 1 and words[0] in ("precedence", "prec"):
        return {8 * code_point(word, "precedence") + low for word in words[1:] for low in range(8)}
    return None


def _is_above_default(result: Conversion) -> bool:
    """Whether thresholds exceed the default limit of IOS, which then does not bound the queue, or may exceed it."""
    highest = result.parameters.get("max_th", 0)
    highest = max(highest) if isinstance(highest, list) else highest
    return isinstance(highest, str) or highest > length_in_packets(DEFAULT_LIMIT, ConversionContext())


def _make_fair(result: Conversion, class_: _Class) -> None:
    if class_.random_detect is not None:
        result.lost_settings.append(f"{class_.label} fair-queue: with random-detect each flow has its own queue")
    else:
        result.scheme = "fq"
