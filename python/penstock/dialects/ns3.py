"""ns-3's queue discs with their attributes: `ns3::RedQueueDisc[MinTh=5|MaxTh=15]`, or lines of `Config::SetDefault`.

Attributes as in ns-3's documentation of the traffic-control module. ns-3's RED waits between drops (`Wait`), as ns-2's.
"""

from __future__ import annotations

import re
from typing import Any

from penstock.dialects.conversion import Conversion, DialectError, Facts, settle_limit
from penstock.dialects.kinds import FLAG, INTEGER, INVERSE, LENGTH, NUMBER, SIZE, TIME, Kind, Option, option_texts
from penstock.errors import nearest

__all__ = ["read", "write"]


def _queue_size(text: str) -> str:
    found = re.fullmatch(r"(\d+)\s*([pB]|kB|KiB)", text)
    if found is None:
        raise ValueError("expected a size such as 25p or 30000B")
    return "".join(found.groups())


LIMIT = Kind(_queue_size, lambda value: value if str(value).endswith(("p", "B")) else f"{round(float(value))}p")
SECONDS = Kind(lambda text: TIME.read(text if re.search(r"[a-z]$", text) else f"{text}s"), TIME.write)

_SIZE = Option("MaxSize", "limit", LIMIT)
_ECN = Option("UseEcn", "ecn", FLAG)
_CODEL = [_SIZE, Option("Interval", "interval", SECONDS), Option("Target", "target", SECONDS), _ECN]
_CODEL += [Option("CeThreshold", "ce_threshold", SECONDS)]

DISCS: dict[str, tuple[str, list[Option]]] = {
    "FifoQueueDisc": ("droptail", [_SIZE]),
    "RedQueueDisc": (
        "red",
        [
            _SIZE,
            Option("MinTh", "min_th", LENGTH),
            Option("MaxTh", "max_th", LENGTH),
            Option("LInterm", "max_p", INVERSE),
            Option("QW", "w_q", NUMBER),
            Option("Gentle", "gentle", FLAG),
            Option("MeanPktSize", "mean_packet", SIZE),
            _ECN,
        ],
    ),
    "CoDelQueueDisc": ("codel", _CODEL),
    "FqCoDelQueueDisc": (
        "fq-codel",
        [*_CODEL, Option("Flows", "flows", INTEGER), Option("DropBatchSize", "drop_batch", INTEGER)],
    ),
    "CobaltQueueDisc": ("cobalt", _CODEL[:4]),
    "PieQueueDisc": (
        "pie",
        [
            _SIZE,
            Option("QueueDelayReference", "target", SECONDS),
            Option("Tupdate", "t_update", SECONDS),
            Option("A", "alpha", NUMBER),
            Option("B", "beta", NUMBER),
            Option("MaxBurstAllowance", "max_burst", SECONDS),
            Option("MarkEcnThreshold", "mark_ecnth", NUMBER),
            _ECN,
        ],
    ),
}

_VALUE = r'(?:\w+Value\s*\(\s*)?(?:(?:Seconds|MilliSeconds|Time|QueueSize)\s*\(\s*)?"?([^")|\]]*)"?'


def read(text: str, facts: Facts) -> Conversion:
    """The attributes of one queue disc."""
    del facts
    found = re.search(r"ns3::(\w+)|\b(\w+QueueDisc)\b", text)
    name = (found[1] or found[2]) if found else text.strip().split("[")[0]
    if name not in DISCS:
        raise DialectError(f'no queue disc "{name}"{nearest(name, DISCS)}; there are: {", ".join(DISCS)}')
    scheme, options = DISCS[name]
    by_word = {option.word: option for option in options}
    conversion = Conversion(scheme, {})
    for word, value in _attributes(text):
        if word == "MaxP" and scheme == "red":
            conversion.parameters["max_p"] = float(value)
        elif word in by_word:
            conversion.parameters[by_word[word].parameter] = by_word[word].value(value)
        else:
            conversion.missing.append(f"{word} = {value}")
    return conversion


def _attributes(text: str) -> list[tuple[str, str]]:
    """Names and values of both notations."""
    bracket = re.search(r"\[(.*)\]", text, re.DOTALL)
    if bracket:
        return [
            (name.strip(), value.strip()) for name, _, value in (item.partition("=") for item in bracket[1].split("|"))
        ]
    lines = re.findall(r'SetDefault\s*\(\s*"ns3::\w+::(\w+)"\s*,\s*' + _VALUE, text)
    return lines or re.findall(r'"(\w+)"\s*,\s*' + _VALUE, text)


def write(scheme: str, parameters: dict[str, Any], facts: Facts) -> Conversion:
    """The factory text of a queue disc."""
    name = next((disc for disc, (own, _) in DISCS.items() if own == scheme), None)
    if name is None:
        raise DialectError(f"ns-3 has no {scheme}")
    conversion = Conversion(scheme, dict(parameters))
    settle_limit(conversion, facts, in_packets=False)
    if conversion.parameters.get("w_q") == "auto":
        del conversion.parameters["w_q"]
        conversion.notes.append("QW is left at ns-3's default; it is computed from the link's bandwidth if QW = 0")
    pairs = [f"{option.word}={text}" for option, text in option_texts(DISCS[name][1], conversion)]
    conversion.text = f"ns3::{name}[{'|'.join(pairs)}]"
    return conversion
