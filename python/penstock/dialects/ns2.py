"""ns-2's queues: `Queue/RED set thresh_ 5` and kin, a variable a line. Names as in the ns-2 manual."""

from __future__ import annotations

import re
from typing import Any

from penstock.dialects.conversion import Conversion, DialectError, Facts, settle_limit
from penstock.dialects.kinds import FLAG, INVERSE, LENGTH, NUMBER, PACKETS, SIZE, Kind, Option, option_texts, plain
from penstock.errors import nearest
from penstock.units import parse_time

__all__ = ["read", "write"]

SECONDS = Kind(lambda text: f"{plain(1e3 * float(text))}ms", lambda value: plain(parse_time(value) / 1e9))
WEIGHT = Kind(
    lambda text: "auto" if float(text) == 0 else float(text), lambda value: "0" if value == "auto" else plain(value)
)

_LIMIT = Option("limit_", "limit", PACKETS)
QUEUES: dict[str, tuple[str, list[Option]]] = {
    "DropTail": ("droptail", [_LIMIT]),
    "RED": (
        "red",
        [
            _LIMIT,
            Option("thresh_", "min_th", LENGTH),
            Option("maxthresh_", "max_th", LENGTH),
            Option("linterm_", "max_p", INVERSE),
            Option("q_weight_", "w_q", WEIGHT),
            Option("gentle_", "gentle", FLAG),
            Option("mean_pktsize_", "mean_packet", SIZE),
            Option("setbit_", "ecn", FLAG),
        ],
    ),
    "PI": ("pi", [_LIMIT, Option("qref_", "target", LENGTH), Option("a_", "a", NUMBER), Option("b_", "b", NUMBER)]),
    "CoDel": ("codel", [_LIMIT, Option("target_", "target", SECONDS), Option("interval_", "interval", SECONDS)]),
}
_SIDE = {"wait_": ("spacing", {"true": "wait", "1": "wait", "false": "no_wait", "0": "no_wait"})}


def read(text: str, facts: Facts) -> Conversion:
    """Lines `Queue/NAME set VARIABLE VALUE`; `Queue set limit_ 50` belongs to all."""
    del facts
    lines = re.findall(r"Queue(?:/(\w+))?\s+set\s+(\w+)\s+(\S+)", text)
    names = {name for name, _, _ in lines if name}
    if len(names) != 1:
        raise DialectError("expected lines such as Queue/RED set thresh_ 5, of one queue")
    (name,) = names
    if name not in QUEUES:
        raise DialectError(f'no queue "{name}"{nearest(name, QUEUES)}; there are: {", ".join(QUEUES)}')
    scheme, options = QUEUES[name]
    by_word = {option.word: option for option in options}
    conversion = Conversion(scheme, {})
    for _, word, value in lines:
        if word in _SIDE and value.lower() in _SIDE[word][1]:
            conversion.parameters[_SIDE[word][0]] = _SIDE[word][1][value.lower()]
        elif word in by_word:
            conversion.parameters[by_word[word].parameter] = by_word[word].value(value)
        else:
            conversion.missing.append(f"{word} {value}")
    return conversion


def write(scheme: str, parameters: dict[str, Any], facts: Facts) -> Conversion:
    """Lines of Tcl."""
    name = next((queue for queue, (own, _) in QUEUES.items() if own == scheme), None)
    if name is None:
        raise DialectError(f"ns-2 has no {scheme}")
    conversion = Conversion(scheme, dict(parameters))
    settle_limit(conversion, facts, in_packets=True)
    said = {"spacing"} if parameters.get("spacing") in ("wait", "no_wait") else set()
    texts = [(option.word, text) for option, text in option_texts(QUEUES[name][1], conversion, said)]
    if said:
        texts.append(("wait_", "true" if parameters["spacing"] == "wait" else "false"))
    conversion.text = "\n".join(f"Queue/{name} set {word} {text}" for word, text in texts)
    if scheme == "red" and parameters.get("w_q") == "auto":
        conversion.notes.append("q_weight_ 0: ns-2 computes the weight from the link's bandwidth")
    return conversion
