"""Queues of Linux' `tc` without classes, one line each. Man pages tc-red(8) and kin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from penstock.dialects.conversion import Conversion, DialectError, Facts, settle_limit
from penstock.dialects.kinds import FLAG, INTEGER, NUMBER, PACKETS, Kind, Option, number, option_texts, plain
from penstock.dialects.tc_lines import Line
from penstock.dialects.tc_red import read_red, red_words
from penstock.dialects.tc_units import RATE, SIZE, TIME
from penstock.units import parse_time

__all__ = ["KINDS", "queue", "read", "write"]

MOST_PROBABILITY = 0.999999
"""tc takes a probability in 32 bits: 1 becomes 0, which it does not say."""
COUNT = Kind(lambda text: INTEGER.read(text.removesuffix("p")), INTEGER.write)
PER_SECOND = Kind(lambda text: float(text.removesuffix("pps")), INTEGER.write)
SECONDS = Kind(lambda text: f"{int(text.removesuffix('sec'))}s", lambda value: plain(parse_time(value) / 1e9))
MILLISECONDS = Kind(
    lambda text: TIME.read(f"{text}ms" if text.isdigit() else text), lambda value: plain(round(parse_time(value) / 1e6))
)
"""Taken as a bare number of milliseconds, tc-sfb(8), and printed with a unit."""
WHOLE = Kind(float, lambda value: str(round(float(value))))
PROBABILITY = Kind(float, lambda value: plain(min(float(value), MOST_PROBABILITY)))
ECN_PROB = Kind(lambda text: number(float(text) / 100), lambda value: str(min(99, round(100 * float(value)))))
"""A whole percentage below 100."""
PERCENT = Kind(lambda text: number(float(text.removesuffix("%")) / 100), lambda value: f"{plain(100 * value)}%")

_CODEL = [Option("limit", "limit", PACKETS), Option("target", "target", TIME), Option("interval", "interval", TIME)]
_CODEL += [Option("ce_threshold", "ce_threshold", TIME), Option("ecn", "ecn", FLAG)]
_FLOWS = [Option("flows", "flows", INTEGER), Option("quantum", "quantum", SIZE)]
_PIE = [Option("limit", "limit", PACKETS), Option("target", "target", TIME), Option("tupdate", "t_update", TIME)]
_PIE += [Option("alpha", "alpha", WHOLE, 1 / 16), Option("beta", "beta", WHOLE, 1 / 16), Option("ecn", "ecn", FLAG)]
_THRESHOLDS = [Option("probability", "max_p", PROBABILITY), Option("ecn", "ecn", FLAG)]

OPTIONS: dict[str, tuple[str, Sequence[Option]]] = {
    "pfifo": ("droptail", [Option("limit", "limit", PACKETS)]),
    "bfifo": ("droptail", [Option("limit", "limit", SIZE)]),
    "codel": ("codel", _CODEL),
    "fq_codel": ("fq-codel", [*_CODEL, *_FLOWS, Option("drop_batch", "drop_batch", INTEGER)]),
    "pie": ("pie", _PIE),
    "fq_pie": ("fq-pie", [*_PIE, *_FLOWS, Option("ecn_prob", "mark_ecnth", ECN_PROB)]),
    "sfq": (
        "sfq",
        [
            Option("limit", "limit", PACKETS),
            Option("perturb", "perturb", SECONDS),
            Option("quantum", "quantum", SIZE),
            Option("divisor", "buckets", INTEGER),
            Option("flows", "flows", INTEGER),
            Option("depth", "depth", INTEGER),
            Option("headdrop", "headdrop", FLAG),
        ],
    ),
    "sfb": (
        "sfb",
        [
            Option("limit", "limit", PACKETS),
            Option("max", "max", COUNT),
            Option("target", "bin_size", COUNT),
            Option("increment", "d1", NUMBER),
            Option("decrement", "d2", NUMBER),
            Option("penalty_rate", "penalty_rate", PER_SECOND),
            Option("penalty_burst", "penalty_burst", COUNT),
            Option("rehash", "rehash", MILLISECONDS),
            Option("db", "warmup", MILLISECONDS),
        ],
    ),
    "cake": (
        "cake",
        [
            Option("bandwidth", "bandwidth", RATE),
            Option("rtt", "rtt", TIME),
            Option("overhead", "overhead", SIZE),
        ],
    ),
    "dualpi2": (
        "dualpi2",
        [
            Option("limit", "limit", PACKETS),
            Option("target", "target", TIME),
            Option("tupdate", "interval", TIME),
            Option("alpha", "alpha", NUMBER),
            Option("beta", "beta", NUMBER),
            Option("step_thresh", "min_th", TIME),
            Option("coupling_factor", "k", NUMBER),
            Option("classic_protection", "classic_weight", PERCENT),
        ],
    ),
    "fq": (
        "sfq",
        [
            Option("limit", "limit", PACKETS),
            Option("flow_limit", "depth", COUNT),
            Option("quantum", "quantum", SIZE),
        ],
    ),
    "red": ("red", [Option("limit", "limit", SIZE), *_THRESHOLDS]),
    "choke": ("choke", [Option("limit", "limit", PACKETS), *_THRESHOLDS]),
}  # fmt: skip

KINDS = tuple(OPTIONS)
"""Names of the queues."""

_BARE = {
    "cake": {
        **{word: ("diffserv", word) for word in ("diffserv3", "diffserv4", "diffserv8", "precedence", "besteffort")},
        **{
            word: ("isolation", word)
            for word in (
                "triple-isolate",
                "dual-srchost",
                "dual-dsthost",
                "flows",
                "hosts",
                "srchost",
                "dsthost",
                "flowblind",
            )
        },
        "unlimited": ("bandwidth", None),
    }
}
"""Words that set a parameter by themselves."""

_NOTHING = {"cake": ("nonat", "nowash", "no-ack-filter", "split-gso", "raw", "noatm", "egress")}
"""Words of a kind that change nothing here, and that tc prints nevertheless."""

_FLAGS_WITHOUT_VALUE = {"ecn", "noecn", "headdrop", "harddrop", "adaptive", "nodrop", "bytemode", "nobytemode"}
_FLAGS_WITHOUT_VALUE |= {"pacing", "nopacing", "horizon_cap", "horizon_drop"}
_VARIANTS = {"codel", "fq-codel", "pie"}


def read(line: Line, facts: Facts) -> Conversion:
    """The settings of a line: tc prints `ecn` where it is on, but is told `noecn` where it is to be off."""
    found = queue(line.kind, line.words, facts)
    if line.printed and "ecn" in found.parameters and line.kind in _HAS_NOECN:
        found.parameters["ecn"] = "ecn" in line.words
    return found


def queue(kind: str, words: Sequence[str], facts: Facts) -> Conversion:
    """The settings of a queue's options."""
    scheme, options = OPTIONS[kind]
    found = Conversion(scheme, {"variant": "linux"} if scheme in _VARIANTS else {})
    by_word = {option.word: option for option in options}
    given: dict[str, str] = {}
    for word, value in _pairs(words, kind):
        if f"{word} {value}" == "bandwidth unlimited" or word in _NOTHING.get(kind, ()):
            continue
        if word in _BARE.get(kind, {}):
            parameter, setting = _BARE[kind][word]
            if setting is not None:
                found.parameters[parameter] = setting
        elif word in ("ecn", "noecn"):
            found.parameters["ecn"] = word == "ecn"
        elif word == "overhead" and str(value).startswith("-"):
            given[word] = str(value)
        elif word in by_word and value is None:
            found.parameters[by_word[word].parameter] = True
        elif word in by_word:
            found.parameters[by_word[word].parameter] = by_word[word].value(str(value))
        else:
            given[word] = value or ""
    if kind in ("red", "choke"):
        read_red(kind, given, found, facts)
    found.missing += [f"{word} {value}".strip() for word, value in given.items()]
    if kind in ("fq_codel", "codel") and "ecn" not in found.parameters:
        found.parameters["ecn"] = kind == "fq_codel"
    if scheme == "pie" and "limit" not in found.parameters:
        found.parameters["limit"] = "1000p"
    if kind == "fq":
        _read_fq(found)
    if kind == "sfb":
        found.parameters = {**_SFB, **found.parameters}
    return found


_SFB: dict[str, Any] = {
    **{
        "limit": "1000p",
        "max": 25,
        "bin_size": 20,
        "d1": number(33 / 65535),
        "d2": number(3 / 65535),
        "rehash": "600s",
        "warmup": "60s",
    },
    **{"penalty_rate": 10.0, "penalty_burst": 20, "levels": 8, "bins": 16, "ecn": True},
}
"""What sfb of Linux has where nothing is given; its levels and bins are fixed, tc-sfb(8), and it marks where it can."""


def _read_fq(found: Conversion) -> None:
    """Defaults of tc-fq(8), and what it has that no queue here has."""
    for name, value in (("limit", "10000p"), ("depth", 100), ("quantum", "3028B")):
        found.parameters.setdefault(name, value)
    found.parameters["buckets"] = FQ_BUCKETS
    found.notes.append(f"fq keeps each flow apart: {FQ_BUCKETS} buckets of sfq make it rare that two meet")
    found.missing.append("pacing of flows, and new flows first: here senders pace their packets themselves")


FQ_BUCKETS = 65536
"""The most that tc-sfq(8) has."""


def _pairs(words: Sequence[str], kind: str) -> Iterator[tuple[str, str | None]]:
    """Words with their values; flags have none."""
    bare = _FLAGS_WITHOUT_VALUE | set(_BARE.get(kind, {}))
    if kind == "cake":
        bare |= {*_NOTHING[kind], "nat", "wash", "ack-filter", "ack-filter-aggressive", "no-split-gso", "atm", "ptm"}
        bare |= {"ingress", "conservative", "autorate-ingress"}
    at = 0
    while at < len(words):
        if words[at] in bare:
            yield words[at], None
            at += 1
        elif at + 1 < len(words):
            yield words[at], words[at + 1]
            at += 2
        else:
            raise DialectError(f"{words[at]} has no value")


def write(scheme: str, parameters: dict[str, Any], facts: Facts) -> Conversion:
    """A queue and its options. Raises `DialectError` if tc has no such queue."""
    kinds = [kind for kind, (name, _) in OPTIONS.items() if name == scheme]
    if not kinds:
        raise DialectError(f"tc has no {scheme}")
    kind = kinds[0]
    if kind == "pfifo" and str(parameters.get("limit", "")).endswith("B"):
        kind = "bfifo"
    found = Conversion(scheme, dict(parameters))
    words: list[str] = []
    said = {"variant", *_fixed(kind, found)}
    options = [option for option in OPTIONS[kind][1] if option.kind is not FLAG]
    if kind in ("red", "choke"):
        words += red_words(kind, found, facts)
        said |= _SAID_OF_RED
        options = [option for option in options if option.word != "limit"]
    else:
        settle_limit(found, facts, in_packets=kind != "bfifo")
    if kind == "sfq" and str(found.parameters.get("limit")) in ("1", "1p"):
        found.parameters["limit"] = "2p"
        found.notes.append("limit = 2 packets instead of 1: sfq of Linux has no less")
    flags = {option.parameter: option.word for option in OPTIONS[kind][1] if option.kind is FLAG}
    for word, (parameter, value) in _BARE.get(kind, {}).items():
        said.add(parameter)
        if value is not None and found.parameters.get(parameter) == value:
            words.append(word)
    for option, text in option_texts(options, found, said | set(flags)):
        words += [option.word, text]
        _note_rounded(found, option, text)
    for parameter, word in flags.items():
        if found.parameters.get(parameter):
            words.append(word)
        elif parameter in found.parameters and word == "ecn" and kind in _HAS_NOECN:
            words.append("noecn")
    found.text = " ".join([kind, *words])
    return found


_HAS_NOECN = {"codel", "fq_codel", "pie"}
_ALWAYS_MARKS = {"sfb", "cake", "dualpi2"}
_SAID_OF_RED = {"limit", "min_th", "max_th", "w_q", "spacing", "measure_in", "mean_packet", "mark_up_to", "gentle"}
_SAID_OF_RED |= {"guards"}


def _fixed(kind: str, found: Conversion) -> set[str]:
    """Parameters that have one value in this queue of Linux; others than that are listed."""
    known = {"ecn": True} if kind in _ALWAYS_MARKS else {}
    if kind == "sfb":
        known |= {"levels": _SFB["levels"], "bins": _SFB["bins"]}
    for name, value in known.items():
        if found.parameters.get(name, value) != value:
            found.missing.append(f"{name} = {found.parameters[name]}: {kind} of Linux has {value}")
    return set(known)


def _note_rounded(found: Conversion, option: Option, text: str) -> None:
    """Note what tc has no number for."""
    given, kind = found.parameters[option.parameter], option.kind
    if kind is WHOLE and float(text) * option.scale != given:
        found.notes.append(f"{option.word} = {text} sixteenths instead of {plain(16 * given)}: tc has whole numbers")
    if kind in (TIME, MILLISECONDS) and parse_time(option.value(text)) != parse_time(given):
        unit = "microseconds" if kind is TIME else "milliseconds"
        found.notes.append(f"{option.word} = {option.value(text)} instead of {given}: tc has whole {unit}")
    if kind in (PROBABILITY, ECN_PROB) and abs(option.value(text) - given) > 1e-9:
        least = "numbers below 1" if kind is PROBABILITY else "whole percents below 100"
        found.notes.append(f"{option.word} = {text} instead of {plain(given)}: tc has {least}")
