"""The QoS commands of Cisco IOS and IOS XE that are read, with their defaults, and the code points by name.

Sources: Cisco IOS Quality of Service Solutions Command Reference (IOS QoS), and the configuration guides that it names.
"""

from __future__ import annotations

from penstock.dialects.conversion import DialectError
from penstock.dialects.keys import Key

__all__ = ["ACTIONS", "CODE_POINTS", "DEFAULT_DENOMINATOR", "DEFAULT_EXPONENT", "DEFAULT_LIMIT", "code_point",
           "default_wred_thresholds"]  # fmt: skip

_BOOK = "Cisco IOS Quality of Service Solutions Command Reference, the commands by these names"
DEFAULT_EXPONENT, DEFAULT_DENOMINATOR, DEFAULT_LIMIT = 9, 10, "64p"

CODE_POINTS = {
    "default": 0, "ef": 46, **{f"cs{number}": 8 * number for number in range(8)},
    **{f"af{number}{drop}": 8 * number + 2 * drop for number in range(1, 5) for drop in range(1, 4)},
}  # fmt: skip
_PRECEDENCES = ("routine", "priority", "immediate", "flash", "flash-override", "critical", "internet", "network")


def code_point(text: str, field: str) -> int:
    """A code point, or a precedence, by name or number. Raises `DialectError`."""
    names = CODE_POINTS if field == "dscp" else {name: number for number, name in enumerate(_PRECEDENCES)}
    most = 63 if field == "dscp" else 7
    if text.lower() in names:
        return names[text.lower()]
    if text.isascii() and text.isdecimal() and len(text) < 4 and int(text) <= most:
        return int(text)
    raise DialectError(f"{field} {text}: expected 0 to {most}, or a name such as {'af11' if most > 7 else 'routine'}")


def default_wred_thresholds(field: str, number: int) -> tuple[int, int, int]:
    """Default minimum, maximum and mark denominator of a code point or precedence (random-detect dscp, Table).

    Minimum of AF: 32, 28 and 24 by its drop precedence; EF: 36; others: from 20 in steps of 2 by their precedence.
    """
    low = 20 + 2 * (number >> 3 if field == "dscp" else number)
    if field == "dscp" and number in CODE_POINTS.values() and number & 7 and number != CODE_POINTS["ef"]:
        low = 36 - 4 * ((number & 7) // 2)
    if field == "dscp" and number == CODE_POINTS["ef"]:
        low = 36
    return low, 40, DEFAULT_DENOMINATOR


def _lost(name: str, why: str) -> Key:
    return Key(name, "", "", "", why, _BOOK)


ACTIONS = [
    Key("bandwidth", "", "kbit/s, percent", "kbit/s; [remaining] percent; remaining ratio",
        "weight of a class of wfq; rate of a class of pq", _BOOK),
    Key("priority", "burst 200 ms", "kbit/s, percent", "[level 1-2] [kbit/s [burst] | percent]",
        "priority, rate and burst of a class of pq", _BOOK),
    Key("shape", "", "bit/s, percent", "average RATE [bc [be]], peak RATE", "rate of the link",
        _BOOK),
    Key("queue-limit", "64 packets", "packets, bytes, ms, us", "1 or more", "limit", _BOOK),
    Key("random-detect", "", "packets, bytes, ms, us", "min max [denominator] by dscp or precedence",
        "min_th, max_th, max_p of red or wred", _BOOK),
    Key("random-detect exponential-weighting-constant", "9", "", "1 to 16", "w_q = 2^-n",
        _BOOK),
    Key("random-detect ecn", "off", "", "", "ecn", _BOOK),
    Key("fair-queue", "", "", "", "scheme fq, for a policy of one class", _BOOK),
    Key("service-policy", "", "", "a policy map", "queue of a class that is shaped", _BOOK),
    _lost("police", "A policer is an element of a link's edge, not of its queue"),
    _lost("conform-action", "Of police"),
    _lost("exceed-action", "Of police"),
    _lost("violate-action", "Of police"),
    _lost("set", "Marking is an element of a link's edge, not of its queue"),
    _lost("drop", "A class whose packets are all dropped"),
    _lost("compression", "Headers are not compressed"),
    _lost("estimate", "Estimates bandwidth only"),
    _lost("netflow-sampler", "Measures only"),
    _lost("log", "Logs only"),
    _lost("account", "Overhead belongs to the link, not to its queue"),
    _lost("description", "Text"),
]  # fmt: skip
"""Commands of a class in a policy map."""
