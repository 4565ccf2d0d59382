"""SONiC: `config_db.json`: WRED_PROFILE by colour, SCHEDULER, and the QUEUE table that joins them to ports.

Thresholds are bytes, probabilities percent. Green is AF's drop precedence 1, yellow 2, red 3 (SONiC Configuration.md;
SAI saiwred.h and saischeduler.h for the defaults: a drop probability of 100 %, a weight of 0 for the average).
"""

from __future__ import annotations

import json
import re
from typing import Any

from penstock.dialects.conversion import (
    Conversion,
    ConversionContext,
    DialectError,
    length_in_packets,
    limit_in_packets,
)
from penstock.dialects.keys import ANY, Key, find_key, refuse_misspelt, select_object
from penstock.dialects.red import DEFAULTS, NEVER, list_lost_parameters, max_p_percent, round_parameter
from penstock.dialects.sonic_text import Tree, read_tables
from penstock.dialects.value_kinds import format_number, parse_integer_argument, parse_real_argument, round_to_12_digits
from penstock.units import parse_size

__all__ = ["KEYS", "SCHEDULER_KEYS", "read", "write"]

COLOURS = ("green", "yellow", "red")
MARKS = ("ecn_none", "ecn_green", "ecn_yellow", "ecn_red", "ecn_green_yellow", "ecn_green_red", "ecn_yellow_red",
         "ecn_all")  # fmt: skip
_DOC, _SAI, _YANG = "SONiC Configuration.md", "SAI, saiwred.h", "sonic-wred-profile.yang"
QUEUES = 8

KEYS = [
    *(Key(f"wred_{colour}_enable", "false", "", "true, false", "a level", _DOC) for colour in COLOURS),
    *(Key(f"{colour}_min_threshold", "", "bytes", "0 or more", "min_th", _DOC) for colour in COLOURS),
    *(Key(f"{colour}_max_threshold", "", "bytes", "0 or more", "max_th", _DOC) for colour in COLOURS),
    *(Key(f"{colour}_drop_probability", "100", "percent", "0 to 100", "max_p", _SAI) for colour in COLOURS),
    Key("ecn", "ecn_none", "", ", ".join(MARKS), "ecn", _DOC),
    Key("weight", "0", "", "0 to 15", "w_q = 2^-weight", _SAI),
    *(
        Key(f"ecn_{colour}_{name}", "", "", "", "Marks use the thresholds of drops here", _YANG)
        for colour in COLOURS
        for name in ("min_threshold", "max_threshold", "mark_probability")
    ),
]
"""Fields of a WRED_PROFILE."""

SCHEDULER_KEYS = [
    Key("type", "WRR", "", "DWRR, WRR, STRICT", "wfq, or pq", _DOC),
    Key("weight", "1", "", "1 to 100", "weight of a class of wfq", _DOC),
    Key("meter_type", "packets", "", "bytes, packets", "Of the rates below", _DOC, neutral_values=ANY),
    Key("cir", "", "bytes/s", "", "A guarantee of a class", _DOC),
    Key("cbs", "", "bytes", "", "Burst of cir", _DOC),
    Key("pir", "", "bytes/s", "", "An upper bound of a class", _DOC),
    Key("pbs", "", "bytes", "", "Burst of pir", _DOC),
    Key("priority", "", "", "", "Not of SONiC's own schema", _DOC),
]
"""Fields of a SCHEDULER."""

_TABLES = ("QUEUE", "SCHEDULER", "WRED_PROFILE", "PORT", "DSCP_TO_TC_MAP", "TC_TO_QUEUE_MAP", "PORT_QOS_MAP")
_OTHERS = ("DOT1P_TO_TC_MAP", "TC_TO_DSCP_MAP", "TC_TO_DOT1P_MAP", "MPLS_TC_TO_TC_MAP", "DSCP_TO_FC_MAP", "PORTCHANNEL")
"""Tables that are read, and other tables with similar names."""


def read(text: str, facts: ConversionContext) -> Conversion:
    """The queue of a profile, alone or within `WRED_PROFILE`, or of a port of a whole `config_db.json`."""
    tree = read_tables(text)
    for name in tree:
        refuse_misspelt(name, _TABLES, "config_db.json", _OTHERS)
    if "QUEUE" in tree:
        return _port(tree, facts)
    result = _profile(*_only_profile(tree, facts), facts)
    result.lost_settings += [f"{name}: no QUEUE uses it in the text" for name in ("SCHEDULER",) if name in tree]
    return result


def _only_profile(tree: Tree, facts: ConversionContext) -> tuple[str, Tree]:
    if any(isinstance(value, str) for value in tree.values()):
        return "the profile", tree
    profiles = _table(tree, "WRED_PROFILE") if "WRED_PROFILE" in tree else tree
    if not profiles:
        raise DialectError("WRED_PROFILE is empty")
    name, profile = select_object(profiles, facts, "profiles")
    if not isinstance(profile, dict):
        raise DialectError(f"{name}: expected a table")
    return name, profile


def _table(tree: Tree, name: str) -> Tree:
    tables = tree.get(name, {})
    if not isinstance(tables, dict) or not all(isinstance(value, dict) for value in tables.values()):
        raise DialectError(f"{name}: expected tables by name")
    return tables


def _fields(table: Tree, keys: list[Key], place: str) -> dict[str, str]:
    for name, value in table.items():
        find_key(keys, name, place)
        if not isinstance(value, (str, int, float)) or isinstance(value, bool):
            raise DialectError(f"{place} {name}: expected a text")
    return {**{key.name: key.default for key in keys if key.default}, **{n: str(v) for n, v in table.items()}}


def _profile(name: str, table: Tree, facts: ConversionContext) -> Conversion:
    """RED if its colours agree, else WRED with a level for each colour."""
    fields = _fields(table, KEYS, name)
    result = Conversion("red", {"measure_in": "bytes"})
    for colour in COLOURS:
        if fields[f"wred_{colour}_enable"] not in ("true", "false"):
            raise DialectError(f"{name} wred_{colour}_enable: expected true or false")
    enabled = [colour for colour in COLOURS if fields[f"wred_{colour}_enable"] == "true"]
    if not enabled:
        raise DialectError('no colour is enabled: expected "wred_green_enable": "true"')
    rows = {colour: _colour(fields, colour) for colour in enabled}
    weight = parse_integer_argument("weight", fields["weight"])
    if weight > 15:
        raise DialectError(f"weight {weight}: expected 0 to 15")
    result.parameters |= {"w_q": 2.0**-weight, "spacing": "none", "guards": False}
    if len(set(rows.values())) == 1 and "green" in rows:
        low, high, max_p = rows["green"]
        result.parameters |= {"min_th": f"{low}B", "max_th": f"{high}B", "max_p": max_p, "gentle": False}
        if len(rows) < len(COLOURS):
            off = ", ".join(colour for colour in COLOURS if colour not in rows)
            result.notes.append(f"{off} packets are never dropped early; here all packets are green")
    else:
        _levels(result, rows, facts)
    _marks(result, fields["ecn"], enabled, name)
    result.notes.append(
        f"w_q = {format_number(2.0**-weight)}: SAI_WRED_ATTR_WEIGHT is "
        f"{weight}{'' if 'weight' in table else ' by default'}"
    )
    result.lost_settings += _unused(table, enabled, name)
    result.lost_settings += [f"{name} {key} {value}: {find_key(KEYS, key, name).loss_reason}"
                       for key, value in table.items() if key.startswith("ecn_")]  # fmt: skip
    return result


def _unused(table: Tree, enabled: list[str], name: str) -> list[str]:
    return [
        f"{name} {key} {value}: wred_{key.partition('_')[0]}_enable is not true"
        for key, value in table.items()
        if key.partition("_")[0] in COLOURS and key.partition("_")[0] not in enabled
    ]


def _colour(fields: dict[str, str], colour: str) -> tuple[int, int, float]:
    names = [f"{colour}_{name}" for name in ("min_threshold", "max_threshold", "drop_probability")]
    absent = [name for name in names if name not in fields]
    if absent:
        raise DialectError(f"{', '.join(absent)}: missing")
    low, high = (parse_integer_argument(name, fields[name]) for name in names[:2])
    share = parse_real_argument(names[2], fields[names[2]])
    if not 0 <= share <= 100:
        raise DialectError(f"{names[2]} {fields[names[2]]}: expected 0 to 100 percent")
    return low, high, round_to_12_digits(share / 100)


def _levels(result: Conversion, rows: dict[str, tuple[int, int, float]], facts: ConversionContext) -> None:
    """A level for each colour, and green again for best effort.

    Thresholds of wred are numbers of packets, even if it measures bytes.
    """
    result.scheme = "wred"
    low, high, max_p = NEVER
    never = (round(low * facts.packet), round(high * facts.packet), max_p)
    levels = [rows.get(colour, never) for colour in (*COLOURS, COLOURS[0])]
    lows, highs, shares = zip(*levels, strict=True)
    result.parameters |= {"min_th": [round_to_12_digits(low / facts.packet) for low in lows], "max_p": list(shares)}
    result.parameters |= {"max_th": [round_to_12_digits(high / facts.packet) for high in highs]}
    result.parameters["mean_packet"] = f"{facts.packet}B"
    result.notes.append("levels are green, yellow, red by AF's drop precedence; best effort, the last, is green")


def _marks(result: Conversion, ecn: str, enabled: list[str], name: str) -> None:
    if ecn not in MARKS:
        raise DialectError(f"{name} ecn {ecn}: expected one of {', '.join(MARKS)}")
    if ecn == "ecn_none":
        return
    result.parameters["ecn"] = True
    if result.scheme == "red":
        result.parameters["mark_up_to"] = "always"
    colours = [colour for colour in COLOURS if ecn == "ecn_all" or f"_{colour}" in ecn]
    if any(colour not in colours for colour in enabled):
        result.lost_settings.append(f"ecn = {ecn}: marks some colours only")


def _reference(text: str) -> str:
    """The name that a field refers to, also in the older form `[WRED_PROFILE|NAME]`."""
    return text.strip("[]").rpartition("|")[2]


def _port(tree: Tree, facts: ConversionContext) -> Conversion:
    """The queues of the only port, or of any if all are alike, or of the one that `--device` names."""
    ports: dict[str, dict[int, Tree]] = {}
    for name, table in _table(tree, "QUEUE").items():
        names, _, numbers = name.rpartition("|")
        if not names:
            raise DialectError(f"QUEUE {name}: expected PORT|NUMBER")
        for port in names.split(","):
            for queue in _queue_numbers(numbers, name):
                ports.setdefault(port, {})[queue] = table
    if not ports:
        raise DialectError("QUEUE is empty")
    if facts.chosen not in ports and len({repr(queues) for queues in ports.values()}) == 1:
        ports = dict(list(ports.items())[:1])
    port, queues = select_object(ports, facts, "ports")
    maps = _maps_of(tree, port)
    result = _scheduled(tree, queues, maps, facts)
    own = _table(tree, "PORT").get(port, {})
    for name in own:
        refuse_misspelt(name, ("speed",), f"PORT {port}")
    speed = own.get("speed")
    if speed is not None:
        result.rate = 1e6 * parse_real_argument("speed", str(speed))
    _shape(result, tree, maps)
    result.lost_settings += [f"{name}: buffers of the switch, shared between ports" for name in tree
                       if name.startswith("BUFFER_")]  # fmt: skip
    return result


def _maps_of(tree: Tree, port: str) -> Tree:
    """The maps and the scheduler of a port, in PORT_QOS_MAP, or of all ports."""
    tables = _table(tree, "PORT_QOS_MAP")
    return next((table for names, table in tables.items() if port in names.split(",")), tables.get("global", {}))


def _shape(result: Conversion, tree: Tree, maps: Tree) -> None:
    """Give the link the peak rate of the scheduler of the port, in bytes per second."""
    if "scheduler" not in maps:
        return
    name = _reference(str(maps["scheduler"]))
    fields = _named(tree, "SCHEDULER", name, "PORT_QOS_MAP")
    for key in ("cir", "cbs", "pbs", "priority", "weight"):
        if key in fields:
            result.lost_settings.append(f"SCHEDULER {name} {key} {fields[key]}: belongs to the shaper of the port")
    if "pir" in fields and fields.get("meter_type", "packets") == "bytes":
        rate = 8 * parse_real_argument("pir", str(fields["pir"]))
        result.rate = rate if result.rate is None else min(rate, result.rate)
    elif "pir" in fields:
        result.lost_settings.append(f"SCHEDULER {name} pir {fields['pir']}: a rate in packets per second")


def _named(tree: Tree, kind: str, name: str, place: str) -> Tree:
    tables = _table(tree, kind)
    if name not in tables:
        raise DialectError(f"{place}: no {kind} {name} in the text")
    return dict(tables[name])


def _queue_numbers(text: str, name: str) -> list[int]:
    match = re.fullmatch(r"(\d{1,2})(?:-(\d{1,2}))?", text)
    if match is None or int(match[2] or match[1]) < int(match[1]):
        raise DialectError(f"QUEUE {name}: expected PORT|NUMBER")
    return [*range(int(match[1]), int(match[2] or match[1]) + 1)]


def _scheduled(tree: Tree, queues: dict[int, Tree], maps: Tree, facts: ConversionContext) -> Conversion:
    owned: dict[int, tuple[Conversion, dict[str, str]]] = {}
    for queue, table in sorted(queues.items(), reverse=True):
        owned[queue] = _queue(tree, queue, table, facts)
    if len(owned) == 1:
        ((queue, (result, scheduler)),) = owned.items()
        if "scheduler" in queues[queue]:
            share = f"{scheduler['type']} weight {scheduler['weight']}"
            result.lost_settings.append(f"queue {queue} {share}: a single queue has the whole port")
        return result
    strict = [queue for queue, (_, scheduler) in owned.items() if scheduler["type"] == "STRICT"]
    shared = [queue for queue in owned if queue not in strict]
    if strict and len(shared) > 1:
        raise DialectError(
            f"queues {', '.join(map(str, strict))} are STRICT and {', '.join(map(str, shared))} share by weight: "
            "penstock cannot combine them"
        )
    result = Conversion("pq" if strict else "wfq", {"limit": "inf", "classes": []})
    points = _code_points(tree, maps)
    for place, queue in enumerate([*strict, *shared]):
        own, scheduler = owned[queue]
        held = points.get(queue, [])
        name = f"queue{queue}"
        class_: Tree = {"name": name, "match": {"dscp": held} if held else {"traffic": [name]}}
        class_ |= {"priority": place} if strict else {"weight": parse_integer_argument("weight", scheduler["weight"])}
        if own.scheme != "droptail":
            class_["queue"] = {"scheme": own.scheme, **own.parameters}
        result.parameters["classes"].append(class_)
        result.lost_settings += own.lost_settings
        result.notes += [note for note in own.notes if note not in result.notes]
    if not points:
        result.notes.append("no DSCP_TO_TC_MAP of the port in the text: put the traffic of each queue in match")
    rest: Tree = {"name": "others"} | ({"priority": len(owned)} if strict else {"weight": 1})
    result.parameters["classes"].append(rest)
    result.notes.append("all other packets form the last class")
    return result


def _queue(tree: Tree, queue: int, table: Tree, facts: ConversionContext) -> tuple[Conversion, dict[str, str]]:
    known = [Key(name, "", "", "", "", _DOC) for name in ("scheduler", "wred_profile")]
    fields = _fields(table, known, f"QUEUE {queue}")
    result = Conversion("droptail", {})
    if "wred_profile" in fields:
        name = _reference(fields["wred_profile"])
        result = _profile(name, _named(tree, "WRED_PROFILE", name, f"QUEUE {queue}"), facts)
    scheduler = {"type": "WRR", "weight": "1"}
    if "scheduler" in fields:
        name = _reference(fields["scheduler"])
        own = _named(tree, "SCHEDULER", name, f"QUEUE {queue}")
        scheduler = _fields(own, SCHEDULER_KEYS, name)
        scheduler["type"] = scheduler["type"].upper()
        if scheduler["type"] not in ("WRR", "DWRR", "STRICT"):
            raise DialectError(f"SCHEDULER {name} type {scheduler['type']}: expected DWRR, WRR or STRICT")
        for key in SCHEDULER_KEYS[2:]:
            if key.name in own and key.neutral_values != ANY:
                result.lost_settings.append(f"SCHEDULER {name} {key.name} {scheduler[key.name]}: {key.loss_reason}")
    return result, scheduler


def _code_points(tree: Tree, maps: Tree) -> dict[int, list[int]]:
    """The code points of each queue, by DSCP_TO_TC_MAP and TC_TO_QUEUE_MAP: those of the port, or the only ones."""
    by_class, by_queue = (
        _named(tree, name, _reference(str(maps[name.lower()])), "PORT_QOS_MAP") if name.lower() in maps
        else next(iter(tables.values())) if len(tables := _table(tree, name)) == 1 else {}
        for name in ("DSCP_TO_TC_MAP", "TC_TO_QUEUE_MAP")
    )  # fmt: skip
    queues = by_queue or {str(n): str(n) for n in range(QUEUES)}
    queue_points: dict[int, list[int]] = {}
    for point, traffic_class in by_class.items():
        number_ = parse_integer_argument("DSCP_TO_TC_MAP", str(point))
        queue = queues.get(str(traffic_class))
        if number_ > 63 or queue is None:
            raise DialectError(
                f"DSCP_TO_TC_MAP {point}: {traffic_class}: no such code point, or no queue for the class"
            )
        queue_points.setdefault(parse_integer_argument("TC_TO_QUEUE_MAP", str(queue)), []).append(number_)
    return {queue: sorted(points) for queue, points in queue_points.items()}


def write(scheme: str, parameters: dict[str, Any], facts: ConversionContext) -> Conversion:
    """A WRED profile as JSON: equal colours, or a colour for each level of a WRED with up to three levels."""
    if scheme not in ("red", "wred"):
        raise DialectError(f"SONiC's WRED_PROFILE has no {scheme}")
    result = Conversion(scheme, dict(parameters))
    limit = limit_in_packets(parameters, facts)
    columns = [parameters.get(name, usual) for name, usual in DEFAULTS.items()]
    rows = list(zip(*columns, strict=True)) if isinstance(columns[0], list) else [tuple(columns)]
    if len(rows) > 1 and rows[-1] != rows[0]:
        result.lost_settings.append(f"level {len(rows) - 1}, of best effort: in SONiC best effort is green, level 0")
    result.lost_settings += [f"level {place}: SONiC has three colours" for place in range(len(COLOURS), len(rows) - 1)]
    rows += [rows[-1]] * (len(COLOURS) - len(rows))
    packet = parse_size(parameters["mean_packet"]) if "mean_packet" in parameters else facts.packet
    profile: dict[str, str] = {}
    for colour, (low, high, max_p) in zip(COLOURS, rows, strict=False):
        if not isinstance(low, str) and low >= NEVER[0]:
            continue
        exact = [length_in_packets(value, facts, limit) * facts.packet if isinstance(value, str) else value * packet
                 for value in (low, high)]  # fmt: skip
        sizes = [
            round_parameter(result, name, size, "bytes") for name, size in zip(("min_th", "max_th"), exact, strict=True)
        ]
        profile |= {
            f"wred_{colour}_enable": "true",
            f"{colour}_min_threshold": str(sizes[0]),
            f"{colour}_max_threshold": str(sizes[1]),
            f"{colour}_drop_probability": str(max_p_percent(result, max_p)),
        }
    profile["ecn"] = "ecn_all" if parameters.get("ecn") else "ecn_none"
    result.notes.append(f"thresholds are bytes: packets of {packet} B")
    known = {"min_th", "max_th", "max_p", "ecn", "measure_in", "mean_packet", "spacing", "guards"}
    known |= {"mark_up_to"} if parameters.get("mark_up_to") == "always" else set()
    list_lost_parameters(result, known | ({"w_q"} if parameters.get("w_q") == 1 else set()))
    if "w_q" not in parameters:
        result.lost_settings.append("w_q = auto: the switch sets the weight of the average, 0 by default")
    result.text = json.dumps({"WRED_PROFILE": {"penstock": profile}}, indent=2)
    return result
