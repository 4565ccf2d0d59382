"""Arista EOS: `random-detect drop` and `random-detect ecn` of transmit queues (EOS manual, Quality of Service).

A queue serves the traffic class with its number: in strict priority order, the highest number first, unless `no
priority` makes it share the link by `bandwidth percent`. Without `qos map` lines the traffic class follows from the
code point.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from penstock.dialects.conversion import Conversion, ConversionContext, DialectError, length_in_packets
from penstock.dialects.keys import ANY, Key, find_key, refuse_misspelt, select_object
from penstock.dialects.red import (
    DEFAULTS,
    NEVER,
    list_lost_parameters,
    max_p_percent,
    nearest_weight_exponent,
    packet_bytes,
    round_parameter,
    thresholds_in_packets,
)
from penstock.dialects.value_kinds import parse_integer_argument, round_to_12_digits

__all__ = ["KEYS", "read", "write"]

LARGEST_WEIGHT = 15
"""Arista AVD, eos_cli_config_gen, QoS profiles: weight 0 to 15, probability 1 to 100."""
DEFAULT_WEIGHT, DEFAULT_PROBABILITY = 0, 100
"""Not documented. Assumed: no weight means no averaging, and the drop probability is 100 % at the maximum threshold."""
_UNITS = {"bytes": 1, "kbytes": 1000, "mbytes": 1_000_000}
_TIMES = {"milliseconds": "ms", "microseconds": "us"}
_LINE = re.compile(
    r"random-detect (?P<how>drop|ecn)(?: drop-precedence (?P<level>\d))? "
    r"minimum-threshold (?P<low>\d++) ?(?P<unit>\w+) "
    r"maximum-threshold (?P<high>\d++) ?(?P<other>\w+)(?: (?:drop-probability|max-mark-probability) (?P<share>\d+))?"
    r"(?: weight (?P<weight>\d+))?"
)
_QUEUE = re.compile(r"(uc-tx-queue|mc-tx-queue|tx-queue) (\d)")
_MAP = re.compile(
    r"qos map (dscp|traffic-class) ([\d ,-]+?) to (traffic-class|tx-queue|uc-tx-queue) (\d)(?: drop-precedence (\d))?"
)
_NO_MAP = re.compile(r"(?:no|default) qos map (dscp|traffic-class) ([\d ,-]+?)(?: to .*)?")
_REMOVED = re.compile(
    r"[\w-]+(?: (?:drop|ecn|count|strict|percent|rate|guaranteed|shared|kbps|mbps|pps|minimum-threshold|"
    r"maximum-threshold|drop-precedence|drop-probability|max-mark-probability|weight|units|burst-size|"
    r"\d+ ?(?:bytes|kbytes|mbytes|milliseconds|microseconds|nanoseconds|segments)?))*"
)
"""A command without its `no`."""
_EXEC = ("show", "enable", "configure", "copy", "write", "terminal", "bash", "ping")
"""Commands that change no setting and are ignored after a prompt."""
_CLASSES, LEVELS = 8, 3
"""Traffic classes, and drop precedences."""
_DOC = "EOS manual, Quality of Service"

KEYS = [
    Key("random-detect", "no AQM", "bytes, kbytes, mbytes, time", "weight 0 to 15",
        "min_th, max_th, max_p, w_q = 2^-weight of red", _DOC),
    Key("priority", "strict", "", "strict, no priority", "pq, or wfq", _DOC),
    Key("bandwidth", "", "percent", "1 to 100", "weight of a class of wfq", _DOC),
    Key("shape", "", "kbps or mbps", "", "Of the link, or an upper bound of a class", _DOC),
    Key("latency", "", "time", "", "Packets do not expire", _DOC),
    Key("drop-precedence", "", "percent", "", "Tail drop by drop precedence", _DOC),
    Key("description", "", "", "", "Text", _DOC, neutral_values=ANY),
]  # fmt: skip
"""Commands of a transmit queue."""


@dataclass
class _Port:
    """An interface or profile: the lines of its queues, and the lines that cannot be expressed.

    Attributes:
        profile: name of the profile that an interface uses.
        rate: shaping rate of the interface in bit/s.

    """

    queues: dict[str, list[str]] = field(default_factory=dict)
    lost_settings: list[str] = field(default_factory=list)
    is_profile: bool = False
    profile: str | None = None
    rate: float | None = None


@dataclass
class _Maps:
    """Traffic class by code point, and queue by traffic class."""

    classes: dict[int, int] = field(default_factory=lambda: {p: _usual(p) for p in range(64)})
    queues: dict[int, int] = field(default_factory=lambda: {number: number for number in range(_CLASSES)})
    lost_settings: list[str] = field(default_factory=list)


def _usual(point: int) -> int:
    """The default traffic class of a code point: its precedence, with 0 and 1 exchanged."""
    precedence = point >> 3
    return 1 - precedence if precedence < 2 else precedence


def read(text: str, facts: ConversionContext) -> Conversion:
    """The queues of the only interface or profile, or of the one that `--device` names."""
    ports, maps = _ports(text)
    if not ports:
        raise DialectError(
            "expected random-detect drop minimum-threshold N kbytes maximum-threshold N kbytes drop-probability P"
        )
    distinct = {repr(port): name for name, port in reversed(ports.items())}
    if len(distinct) == 1 and facts.chosen not in ports:
        ports = dict(list(ports.items())[:1])
    _, port = select_object(ports, facts, "interfaces")
    facts = replace(facts, rate=facts.rate or port.rate)
    queues = {name: _queue(name, lines, facts) for name, lines in port.queues.items() if not name.startswith("mc-")}
    lost = [*maps.lost_settings, *port.lost_settings] + [
        f"{name}: of multicast" for name in port.queues if name.startswith("mc-")
    ]
    if not queues:
        raise DialectError("no queue of unicast traffic in the text")
    if len(queues) > 1 and "" in queues:
        raise DialectError(f"{port.queues[''][0]}: expected tx-queue N above it, as there are other queues")
    if len(queues) == 1:
        (name, (result, settings)), *_ = queues.items()
        if name:
            result.notes.append(f"only {name} is configured: other queues are drop-tail")
        result.lost_settings += [f"{name} {word} {value}: it is alone" for word, value in settings.items()]
    else:
        result = _several(queues, maps, facts)
    result.lost_settings += lost
    result.rate = port.rate
    return result


def _ports(text: str) -> tuple[dict[str, _Port], _Maps]:
    ports: dict[str, _Port] = {}
    maps = _Maps()
    port: _Port | None = None
    queue = ""
    has_modes = re.search(r"^\s*(?:interface |qos profile )", text, re.MULTILINE) is not None
    for line in _lines(text):
        if opened := re.fullmatch(r"(interface|qos profile) (.+)", line):
            port, queue = ports.setdefault(opened[2].replace(" ", ""), _Port()), ""
            port.is_profile = opened[1] != "interface"
        elif opened := re.fullmatch(r"(?:no|default) (?:interface|qos profile) (.+)", line):
            ports.pop(opened[1].replace(" ", ""), None)
            port, queue = None, ""
        elif match := _NO_MAP.fullmatch(line):
            usual = _Maps()
            into, source = (maps.classes, usual.classes) if match[1] == "dscp" else (maps.queues, usual.queues)
            into |= {number_: source[number_] for number_ in _numbers(match[2]) if number_ in source}
        elif match := _MAP.fullmatch(line):
            into = maps.classes if match[1] == "dscp" else maps.queues
            into |= dict.fromkeys(_numbers(match[2]), int(match[4]))
            maps.lost_settings += [f"{line}: drop precedences follow from the code points of AF"] if match[5] else []
        elif line.startswith("qos random-detect "):
            maps.lost_settings.append(f"{line}: only packets of ECN-capable flows are marked")
        elif re.match(r"(?:(?:no|default) )?qos (?!rewrite\b|profile\b)", line) and port is None:
            maps.lost_settings.append(f"{line}: this form is not read")
        elif line.split()[0].endswith("tx-queue") and not _QUEUE.fullmatch(line):
            raise DialectError(f"{line}: expected tx-queue N, from 0 to 7")
        elif match := _QUEUE.fullmatch(line):
            port = port if port is not None else ports.setdefault("", _Port())
            queue = f"{match[1]} {match[2]}"
            port.queues.setdefault(queue, [])
        elif (match := _QUEUE.fullmatch(_bare(line))) and port is not None:
            port.queues.pop(f"{match[1]} {match[2]}", None)
            queue = ""
        elif line in ("exit", "end"):
            queue = ""
        elif queue or not has_modes:
            port = port if port is not None else ports.setdefault("", _Port())
            _put(port.queues.setdefault(queue, []), line)
        elif port is None or not queue:
            words = line.split()
            refuse_misspelt(words[0], ("interface", "tx-queue", "uc-tx-queue", "mc-tx-queue"), "EOS")
            refuse_misspelt(
                " ".join(words[:2]), ("qos profile", "qos map", "qos random-detect"), "EOS", ("qos rewrite",)
            )
            if port is not None:
                _of_port(port, line)
    _apply_profiles(ports)
    return {name: port for name, port in ports.items() if port.queues}, maps


def _apply_profiles(ports: dict[str, _Port]) -> None:
    """Copies the queues of profiles to the interfaces that use them; then only interfaces can be chosen."""
    profiles = {name: port for name, port in ports.items() if port.is_profile}
    used = {port.profile for port in ports.values() if port.profile in profiles}
    for port in ports.values():
        if port.profile is None:
            continue
        profile = profiles.get(port.profile)
        if profile is None:
            port.lost_settings.append(f"service-profile {port.profile}: the text has no such profile")
            continue
        port.queues = {**profile.queues, **port.queues}
        port.lost_settings = [*profile.lost_settings, *port.lost_settings]
        port.rate = port.rate or profile.rate
    for name in profiles if used else ():
        del ports[name]


def _of_port(port: _Port, line: str) -> None:
    """A command of an interface outside its queues."""
    word = _bare(line).partition(" ")[0]
    if word not in ("shape", "service-profile"):
        return
    is_set = _bare(line) == line
    if word == "service-profile":
        port.profile = line.split()[-1] if is_set else None
        return
    port.lost_settings = [item for item in port.lost_settings if not item.startswith(f"{word} ")]
    rate = re.fullmatch(r"shape rate (\d+)(?: (kbps|mbps))?", line)
    port.rate = parse_integer_argument("shape rate", rate[1]) * (1e6 if rate[2] == "mbps" else 1e3) if rate else None
    if is_set and rate is None:
        port.lost_settings.append(f"{line}: not a rate in kbps or mbps")


def _lines(text: str) -> Iterator[str]:
    """The commands of a text, without prompts, comments and commands that change no setting."""
    for line in text.splitlines():
        prompt = re.match(r"^\s*[\w.-]+(?:\([\w./-]+\))*[#>]\s*", line)
        bare = " ".join((line[prompt.end() :] if prompt else line).split())
        if prompt and bare.startswith(("show qos", "show interfaces")):
            raise DialectError(f"the output of {bare} is not read: paste the output of show running-config section qos")
        if bare and not bare.startswith("!") and not (prompt and bare.split()[0] in _EXEC):
            yield bare


def _numbers(text: str) -> list[int]:
    numbers: list[int] = []
    for part in text.replace(",", " ").split():
        first, _, last = part.partition("-")
        numbers += range(parse_integer_argument("qos map", first), parse_integer_argument("qos map", last or first) + 1)
        if numbers and max(numbers) > 63:
            raise DialectError(f"qos map {text}: expected 0 to 63")
    return numbers


def _put(lines: list[str], line: str) -> None:
    """Add a command to a queue; `no` and `default` remove it, and `no priority` is a setting."""
    bare = _bare(line)
    word = bare.partition(" ")[0]
    find_key(KEYS, word, "a transmit queue")
    if line == "no priority" or bare == line:
        lines.append(line)
        return
    if not _REMOVED.fullmatch(bare) and word != "description":
        raise DialectError(f"{line}: expected no {word}, with no other words than those of the command")
    detect = re.match(r"random-detect(?: (?:drop|ecn))?(?: drop-precedence \d)?", bare)
    removed = detect[0] if detect else word
    lines[:] = [command for command in lines if not f"{_bare(command)} ".startswith(f"{removed} ")]


def _bare(line: str) -> str:
    return re.sub(r"^(?:no|default) ", "", line)


def _queue(name: str, lines: list[str], facts: ConversionContext) -> tuple[Conversion, dict[str, str]]:
    """A queue, with its settings for the scheduler."""
    result = Conversion("droptail", {})
    rows: dict[tuple[str, int | None], re.Match[str]] = {}
    settings: dict[str, str] = {}
    for line in lines:
        if line.startswith("random-detect"):
            if line == "random-detect ecn count":
                continue
            match = _LINE.fullmatch(line)
            if match is None:
                raise DialectError(
                    (
                        f"{name} {line}: expected random-detect drop minimum-threshold N kbytes maximum-threshold N "
                        "kbytes drop-probability P"
                    ).lstrip()
                )
            rows[match["how"], None if match["level"] is None else int(match["level"])] = match
        elif line in ("no priority", "priority strict"):
            settings["priority"] = "no" if line.startswith("no") else "strict"
        elif match := re.fullmatch(r"bandwidth percent (\d+)", line):
            settings["bandwidth"] = match[1]
        else:
            result.lost_settings.append(
                f"{name} {line}: {find_key(KEYS, line.split()[0], 'a transmit queue').loss_reason}".lstrip()
            )
    if rows:
        _settle(result, name, rows, facts)
    return result, settings


def _settle(
    result: Conversion, name: str, rows: dict[tuple[str, int | None], re.Match[str]], facts: ConversionContext
) -> None:
    how = "ecn" if any(key[0] == "ecn" for key in rows) else "drop"
    by_level = {level: _red(row, name) for (key, level), row in rows.items() if key == how}
    every = by_level.pop(None, None)
    if any(level is not None and level >= LEVELS for level in by_level):
        raise DialectError(f"{name} drop-precedence {max(filter(None, by_level))}: expected 0 to {LEVELS - 1}".lstrip())
    levels = {level: by_level.get(level, every) for level in range(LEVELS)}
    first = next(row for row in levels.values() if row)
    if how == "ecn" and any(_red(row, name) != first for (key, _), row in rows.items() if key == "drop"):
        result.lost_settings.append(f"{name} random-detect drop: different thresholds for packets without ECN".lstrip())
    result.parameters |= first
    result.scheme = "red"
    if any(row != first for row in levels.values()):
        _settle_levels(result, levels, facts)
    result.parameters |= {"spacing": "none", "guards": False}
    if how == "ecn":
        result.parameters["ecn"] = True
        if result.scheme == "red":
            result.parameters["mark_up_to"] = "always"
    result.notes.append("drops are independent of each other; above the maximum threshold all packets are affected")


def _settle_levels(result: Conversion, levels: dict[int, dict[str, Any] | None], facts: ConversionContext) -> None:
    """A level for each drop precedence, and the first level again for best effort.

    A level without a line drops nothing early.
    """
    result.scheme = "wred"
    if len({(row["w_q"], row["min_th"].lstrip("0123456789")) for row in levels.values() if row}) > 1:
        raise DialectError("drop precedences with different weights or units cannot be combined in one queue")
    rows = [
        (length_in_packets(row["min_th"], facts), length_in_packets(row["max_th"], facts), row["max_p"])
        if row
        else NEVER
        for row in (*levels.values(), levels[0])
    ]
    for place, key in enumerate(("min_th", "max_th", "max_p")):
        result.parameters[key] = [round_to_12_digits(row[place]) for row in rows]
    result.parameters["mean_packet"] = f"{facts.packet}B"
    del result.parameters["gentle"]
    result.notes.append("levels are the drop precedences of AF; best effort, the last, has drop precedence 0")


def _red(line: re.Match[str], name: str) -> dict[str, Any]:
    unit = line["unit"]
    if unit not in (*_UNITS, *_TIMES):
        raise DialectError(
            f"{name} {unit}: only {', '.join((*_UNITS, *_TIMES))} can be converted; a segment depends on the switch"
        )
    if line["other"] != unit:
        raise DialectError(f"thresholds in {unit} and {line['other']}: expected the same unit")
    power = parse_integer_argument("weight", line["weight"]) if line["weight"] else DEFAULT_WEIGHT
    if power > LARGEST_WEIGHT:
        raise DialectError(f"weight {power}: expected 0 to {LARGEST_WEIGHT}")
    share = parse_integer_argument("probability", line["share"]) if line["share"] else DEFAULT_PROBABILITY
    if share > 100:
        raise DialectError(f"max_p: a probability of {share}: expected 0 to 100 percent")
    lengths = [
        f"{line[name]}{_TIMES[unit]}" if unit in _TIMES else f"{int(line[name]) * _UNITS[unit]}B"
        for name in ("low", "high")
    ]
    settings = {"min_th": lengths[0], "max_th": lengths[1], "max_p": round_to_12_digits(share / 100)}
    return {"measure_in": "bytes", **settings, "w_q": 2.0**-power, "gentle": False}


def _several(queues: dict[str, tuple[Conversion, dict[str, str]]], maps: _Maps, facts: ConversionContext) -> Conversion:
    """The queues as classes, the highest number first."""
    ordered = sorted(queues, key=lambda name: -int(name[-1]))
    shared = [name for name in ordered if queues[name][1].get("priority") == "no"]
    strict = [name for name in ordered if name not in shared]
    if strict and len(shared) > 1:
        raise DialectError(
            f"{', '.join(strict)} with priority and {', '.join(shared)} without: penstock cannot combine them"
        )
    result = Conversion("pq" if strict else "wfq", {"limit": "inf", "classes": []})
    if strict and shared and int(shared[0][-1]) > int(strict[-1][-1]):
        result.notes.append(
            f"{shared[0]} without priority is above queues with it: some switches then serve all in turn"
        )
    for place, name in enumerate([*strict, *shared]):
        own, settings = queues[name]
        points = [p for p in range(64) if maps.queues.get(maps.classes[p]) == int(name[-1])]
        table: dict[str, Any] = {"name": name, "match": {"dscp": points} if points else {"traffic": [name]}}
        if strict:
            table["priority"] = place
        else:
            table["weight"] = parse_integer_argument("bandwidth percent", settings.get("bandwidth", "1"))
        if own.scheme != "droptail":
            _in_bytes(own, facts)
            table["queue"] = {"scheme": own.scheme, **own.parameters}
        result.parameters["classes"].append(table)
        result.lost_settings += own.lost_settings
        result.notes += [note for note in own.notes if note not in result.notes]
        if strict and "bandwidth" in settings:
            result.lost_settings.append(f"{name} bandwidth percent {settings['bandwidth']}: a bound below its priority")
    matched = {p for table in result.parameters["classes"] for p in table["match"].get("dscp", ())}
    if len(matched) < 64:
        rest: dict[str, Any] = {"name": "others"}
        rest |= {"priority": len(queues)} if strict else {"weight": 1}
        result.parameters["classes"].append(rest)
        result.notes.append("queues without lines form the last class, others")
    return result


def _in_bytes(own: Conversion, facts: ConversionContext) -> None:
    """Convert thresholds of a class from times to bytes, since a time would need the rate of the class."""
    for name in ("min_th", "max_th"):
        value = own.parameters[name]
        if isinstance(value, str) and value.endswith("s"):
            own.parameters[name] = f"{round(length_in_packets(value, facts) * facts.packet)}B"
            own.notes.append(f"{name} = {own.parameters[name]}: {value} at the rate of the link")


def write(scheme: str, parameters: dict[str, Any], facts: ConversionContext) -> Conversion:
    """A `random-detect` line for a transmit queue. Raises `DialectError` for all schemes but RED."""
    if scheme != "red":
        raise DialectError(f"Arista EOS has no {scheme}: it has random-detect")
    result = Conversion(scheme, dict(parameters))
    own = replace(facts, packet=packet_bytes(result, facts))
    low, high = (
        round_parameter(result, name, value * own.packet, "bytes")
        for name, value in zip(("min_th", "max_th"), thresholds_in_packets(result, own), strict=True)
    )
    percent = max_p_percent(result, parameters.get("max_p", DEFAULTS["max_p"]), least=1)
    how, word = ("ecn", "max-mark-probability") if parameters.get("ecn") else ("drop", "drop-probability")
    result.text = f"random-detect {how} minimum-threshold {low} bytes maximum-threshold {high} bytes {word} {percent}"
    w_q = parameters.get("w_q", "auto")
    if isinstance(w_q, str):
        result.lost_settings.append(f'w_q = "{w_q}": without a weight, the instantaneous queue is used')
    else:
        power = nearest_weight_exponent(result, w_q, LARGEST_WEIGHT, "EOS has powers of two") if w_q < 1 else 0
        result.text += f" weight {power}"
    result.notes.append(f"thresholds are bytes: packets of {own.packet} B")
    known = {"min_th", "max_th", "max_p", "ecn", "w_q", "measure_in", "mean_packet", "limit", "guards"}
    list_lost_parameters(
        result, known | {"spacing"} | ({"mark_up_to"} if parameters.get("mark_up_to") == "always" else set())
    )
    if parameters.get("spacing", "wait") != "none":
        result.notes.append("drops are not spaced: each packet is dropped independently")
    return result
