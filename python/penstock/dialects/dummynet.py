"""FreeBSD's dummynet: the queue of `ipfw pipe N config ...` and `ipfw sched N config ... type ...`, as in ipfw(8)."""

from __future__ import annotations

import re
from typing import Any

from penstock.dialects.conversion import Conversion, DialectError, Facts, packets, settle_limit
from penstock.dialects.kinds import INTEGER, NUMBER, PACKETS, SIZE, TIME, Option, option_texts, plain
from penstock.dialects.red import DEFAULTS, list_unsaid, thresholds, weight

__all__ = ["read", "write"]

_CODEL = [Option("target", "target", TIME), Option("interval", "interval", TIME)]
_PIE = [Option("target", "target", TIME), Option("tupdate", "t_update", TIME), Option("alpha", "alpha", NUMBER)]
_PIE += [
    Option("beta", "beta", NUMBER),
    Option("max_burst", "max_burst", TIME),
    Option("max_ecnth", "mark_ecnth", NUMBER),
]
_FLOWS = [Option("quantum", "quantum", SIZE), Option("limit", "limit", PACKETS), Option("flows", "flows", INTEGER)]
LAWS: dict[str, tuple[str, list[Option]]] = {
    "codel": ("codel", _CODEL),
    "pie": ("pie", _PIE),
    "fq_codel": ("fq-codel", [*_CODEL, *_FLOWS]),
    "fq_pie": ("fq-pie", [*_PIE, *_FLOWS]),
}


def read(text: str, facts: Facts) -> Conversion:
    """The settings of a pipe, queue or scheduler."""
    del facts
    words = text.replace("\\", " ").split()
    found = Conversion("droptail", {})
    at = 0
    options: dict[str, Option] = {}
    while at < len(words):
        word, value = words[at], words[at + 1] if at + 1 < len(words) else ""
        if word in ("red", "gred") and "/" in value:
            _read_red(word, value, found)
        elif word in LAWS:
            found.scheme, options = LAWS[word][0], {option.word: option for option in LAWS[word][1]}
            at += 1
            continue
        elif word == "queue" and re.match(r"\d", value) and not (at and words[at - 1] == "ipfw"):
            found.parameters["limit"] = _limit(value)
        elif word in ("ecn", "noecn"):
            found.parameters["ecn"] = word == "ecn"
            at += 1
            continue
        elif word in options:
            found.parameters[options[word].parameter] = options[word].value(value)
        elif word in ("bw", "delay", "plr", "weight", "mask"):
            found.missing.append(f"{word} {value}: of the link or its scheduler, not of the queue")
        else:
            at += 1
            continue
        at += 2
    if found.scheme == "droptail" and not found.parameters:
        raise DialectError("expected settings such as queue 50, red 0.002/5/15/0.1, codel, pie, type fq_codel")
    return found


def _limit(value: str) -> str:
    found = re.fullmatch(r"(\d+)(?:([kK]?)(?:[bB]ytes|B))?", value)
    if found is None:
        raise DialectError(f"queue {value}: expected slots, or a size such as 50KBytes")
    return f"{found[1]}p" if found[2] is None else f"{int(found[1]) * (1000 if found[2] else 1)}B"


def _read_red(word: str, value: str, found: Conversion) -> None:
    """`red w_q/min_th/max_th/max_p`; gentle with gred."""
    try:
        w_q, low, high, max_p = (float(part) for part in value.split("/"))
    except ValueError:
        raise DialectError(f"{word} {value}: expected w_q/min_th/max_th/max_p") from None
    found.scheme = "red"
    found.parameters |= {"w_q": w_q, "min_th": low, "max_th": high, "max_p": max_p, "gentle": word == "gred"}
    found.notes.append("dummynet's thresholds are slots where its queue is in slots, else bytes")


def write(scheme: str, parameters: dict[str, Any], facts: Facts) -> Conversion:
    """A line of `ipfw`."""
    found = Conversion(scheme, dict(parameters))
    bw = "" if facts.rate is None else f"bw {plain(facts.rate)}bit/s "
    if scheme in ("droptail", "red"):
        found.text = f"ipfw pipe 1 config {bw}{' '.join(_pipe_words(found, facts))}"
        return found
    law = next((law for law, (own, _) in LAWS.items() if own == scheme), None)
    if law is None:
        raise DialectError(f"dummynet has no {scheme}")
    fair = law.startswith("fq_")
    limit = [] if fair or parameters.get("limit") in (None, "inf") else [f"queue {_slots(parameters, facts)}"]
    flags = {"ecn"} | (set() if fair else {"limit"})
    if fair or parameters.get("limit") == "inf":
        settle_limit(found, facts, in_packets=True)
    words = [f"{option.word} {text}" for option, text in option_texts(LAWS[law][1], found, flags)]
    if "ecn" in parameters:
        words.append("ecn" if parameters["ecn"] else "noecn")
    if fair:
        first = f"ipfw pipe 1 config {bw}".rstrip() + "\n" if bw else ""
        found.text = first + " ".join(["ipfw sched 1 config pipe 1 type", law, *words])
    else:
        found.text = f"ipfw pipe 1 config {bw}{' '.join([*limit, law, *words])}"
    return found


def _slots(parameters: dict[str, Any], facts: Facts) -> str:
    limit = str(parameters["limit"])
    return (
        limit.replace("B", "Bytes")
        if re.fullmatch(r"\d+B", limit)
        else plain(round(packets(parameters["limit"], facts)))
    )


def _pipe_words(found: Conversion, facts: Facts) -> list[str]:
    """The buffer, and RED's four numbers."""
    given = found.parameters
    words = [] if given.get("limit") in (None, "inf") else [f"queue {_slots(given, facts)}"]
    known = {"limit"}
    if found.scheme == "red":
        low, high = thresholds(found, facts)
        word = "gred" if given.get("gentle") else "red"
        max_p = given.get("max_p", DEFAULTS["max_p"])
        words.append(f"{word} {plain(weight(found, facts))}/{plain(low)}/{plain(high)}/{plain(max_p)}")
        if given.get("ecn"):
            words.append("ecn")
        known |= {"min_th", "max_th", "max_p", "w_q", "gentle", "ecn"}
    list_unsaid(found, known)
    return words
