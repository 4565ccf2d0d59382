"""Queues of Linux' `tc` without classes, one line each. Man pages tc-red(8) and kin."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from penstock.dialects.conversion import Conversion, DialectError, Facts, limit_packets
from penstock.dialects.kinds import FLAG, INTEGER, NUMBER, PACKETS, Kind, Option, number, option_texts, plain
from penstock.dialects.red import note_weight, thresholds, weight, whole
from penstock.dialects.tc_units import RATE, SIZE, SIZES, TIME, measured
from penstock.units import parse_size, parse_time

__all__ = ["KINDS", "averaging", "queue", "write"]

COUNT = Kind(lambda text: INTEGER.read(text.removesuffix("p")), INTEGER.write)
SECONDS = Kind(lambda text: f"{int(text.removesuffix('sec'))}s", lambda value: plain(parse_time(value) / 1e9))
WHOLE = Kind(float, lambda value: str(round(float(value))))
PERCENT = Kind(lambda text: number(float(text.removesuffix("%")) / 100), lambda value: f"{plain(100 * value)}%")

_CODEL = [Option("limit", "limit", PACKETS), Option("target", "target", TIME), Option("interval", "interval", TIME)]
_CODEL += [Option("ce_threshold", "ce_threshold", TIME), Option("ecn", "ecn", FLAG)]
_FLOWS = [Option("flows", "flows", INTEGER), Option("quantum", "quantum", SIZE)]
_PIE = [Option("limit", "limit", PACKETS), Option("target", "target", TIME), Option("tupdate", "t_update", TIME)]
_PIE += [Option("alpha", "alpha", WHOLE, 1 / 16), Option("beta", "beta", WHOLE, 1 / 16), Option("ecn", "ecn", FLAG)]
_THRESHOLDS = [Option("probability", "max_p", NUMBER), Option("ecn", "ecn", FLAG)]

OPTIONS: dict[str, tuple[str, Sequence[Option]]] = {
    "pfifo": ("droptail", [Option("limit", "limit", PACKETS)]),
    "bfifo": ("droptail", [Option("limit", "limit", SIZE)]),
    "codel": ("codel", _CODEL),
    "fq_codel": ("fq-codel", [*_CODEL, *_FLOWS, Option("drop_batch", "drop_batch", INTEGER)]),
    "pie": ("pie", _PIE),
    "fq_pie": ("fq-pie", [*_PIE, *_FLOWS, Option("ecn_prob", "mark_ecnth", NUMBER, 0.01)]),
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
            Option("max", "max", INTEGER),
            Option("target", "bin_size", INTEGER),
            Option("increment", "d1", NUMBER),
            Option("decrement", "d2", NUMBER),
            Option("penalty_rate", "penalty_rate", NUMBER),
            Option("penalty_burst", "penalty_burst", NUMBER),
            Option("rehash", "rehash", TIME),
            Option("db", "warmup", TIME),
        ],
    ),
    "cake": (
        "cake",
        [
            Option("bandwidth", "bandwidth", RATE),
            Option("rtt", "rtt", TIME),
            Option("overhead", "overhead", INTEGER),
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

_FLAGS_WITHOUT_VALUE = {"ecn", "noecn", "headdrop", "harddrop", "adaptive", "nodrop", "bytemode", "nobytemode"}
_FLAGS_WITHOUT_VALUE |= {"pacing", "nopacing", "horizon_cap", "horizon_drop"}
_VARIANTS = {"codel", "fq-codel", "pie"}


def queue(kind: str, words: Sequence[str], facts: Facts) -> Conversion:
    """The settings of a queue's options."""
    scheme, options = OPTIONS[kind]
    found = Conversion(scheme, {"variant": "linux"} if scheme in _VARIANTS else {})
    by_word = {option.word: option for option in options}
    given: dict[str, str] = {}
    for word, value in _pairs(words, kind):
        if word in _BARE.get(kind, {}):
            parameter, setting = _BARE[kind][word]
            if setting is not None:
                found.parameters[parameter] = setting
        elif word in ("ecn", "noecn"):
            found.parameters["ecn"] = word == "ecn"
        elif word in by_word and value is None:
            found.parameters[by_word[word].parameter] = True
        elif word in by_word:
            found.parameters[by_word[word].parameter] = by_word[word].value(str(value))
        else:
            given[word] = value or ""
    if kind in ("red", "choke"):
        _read_red(kind, given, found, facts)
    found.missing += [f"{word} {value}".strip() for word, value in given.items()]
    if kind in ("fq_codel", "codel") and "ecn" not in found.parameters:
        found.parameters["ecn"] = kind == "fq_codel"
    if scheme == "pie" and "limit" not in found.parameters:
        found.parameters["limit"] = "1000p"
    if kind == "fq":
        _read_fq(found)
    return found


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
        bare |= {"nat", "nonat", "wash", "nowash", "ack-filter", "ack-filter-aggressive", "no-ack-filter", "split-gso"}
        bare |= {"no-split-gso", "raw", "noatm", "atm", "ptm", "ingress", "egress", "conservative", "autorate-ingress"}
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


LARGEST_POWER = 31


def averaging(burst: int, min_packets: float) -> int | None:
    """Tc's logarithm of 1 / w_q for a burst in packets, the least that lets it pass: None if no weight does.

    S. Floyd, V. Jacobson, 1993, section 6: L + 1 + ((1 - w)^(L+1) - 1) / w < min_th bounds w for bursts of L packets;
    tc takes the first power of two with burst + 1 - min <= (1 - (1 - w)^burst) / w.
    """
    above = burst + 1 - min_packets
    if above < 1:
        return None
    for power in range(1, LARGEST_POWER + 1):
        w = 2.0**-power
        if above <= (1 - (1 - w) ** burst) / w:
            return power
    return None


def _read_red(kind: str, given: dict[str, str], found: Conversion, facts: Facts) -> None:
    """Thresholds and the weight of red, in bytes, and of choke, in packets."""
    packet = round(measured(given.pop("avpkt", str(facts.packet)), SIZES, "size"))
    in_bytes = kind == "red"
    low, high = (_threshold(given.pop(word, None), in_bytes) for word in ("min", "max"))
    limit = found.parameters.get("limit")
    if high is None:
        high = None if limit is None else (parse_size(limit) if in_bytes else float(str(limit).removesuffix("p"))) / 4
    if high is None:
        raise DialectError(f"{kind} needs limit, or min and max")
    low = high / 3 if low is None else low
    mean = packet if in_bytes else 1
    burst = int(given.pop("burst", 0)) or math.floor((2 * low + high) / (3 * mean))
    power = int(given.pop("ewma")) if "ewma" in given else averaging(burst, low / mean)
    if power is None:
        raise DialectError(
            f"burst {burst} is too small: tc asks for at least min / avpkt = {plain(low / mean)} packets"
        )
    unit = "B" if in_bytes else "p"
    found.parameters |= {"min_th": f"{plain(low)}{unit}", "max_th": f"{plain(high)}{unit}", "w_q": 2.0**-power}
    found.parameters.setdefault("max_p", 0.02)
    found.parameters["spacing"] = "count"
    if in_bytes:
        found.parameters |= {"measure_in": "bytes", "mean_packet": f"{packet}B"}
    found.notes.append(f"w_q = 2^-{power}, from burst {burst} and min {plain(low / mean)} packets")
    given.pop("bandwidth", None)
    given.pop("Scell_log", None)
    if found.parameters.get("ecn") and "harddrop" not in given:
        found.parameters["mark_up_to"] = "always"
        found.notes.append("without harddrop Linux marks above max too")
    given.pop("harddrop", None)


def _threshold(text: str | None, in_bytes: bool) -> float | None:
    if text is None:
        return None
    return measured(text, SIZES, "size") if in_bytes else float(text.removesuffix("p"))


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
    said = {"variant"}
    options = [option for option in OPTIONS[kind][1] if option.kind is not FLAG]
    if kind in ("red", "choke"):
        words += _red_words(kind, found, facts)
        said |= {
            "limit",
            "min_th",
            "max_th",
            "w_q",
            "spacing",
            "measure_in",
            "mean_packet",
            "mark_up_to",
            "gentle",
            "guards",
        }
        options = [option for option in options if option.word != "limit"]
    elif found.parameters.get("limit") == "inf":
        del found.parameters["limit"]
    flags = {option.parameter: option.word for option in OPTIONS[kind][1] if option.kind is FLAG}
    for word, (parameter, value) in _BARE.get(kind, {}).items():
        said.add(parameter)
        if value is not None and found.parameters.get(parameter) == value:
            words.append(word)
    for option, text in option_texts(options, found, said | set(flags)):
        words += [option.word, text]
        given = found.parameters[option.parameter]
        if option.kind is WHOLE and float(text) * option.scale != given:
            found.notes.append(
                f"{option.word} = {text} sixteenths instead of {plain(16 * given)}: tc has whole numbers"
            )
    for parameter, word in flags.items():
        if parameter in found.parameters:
            words += (
                [word] if found.parameters[parameter] else ["noecn"] if kind in _HAS_NOECN and word == "ecn" else []
            )
    found.text = " ".join([kind, *words])
    return found


_HAS_NOECN = {"codel", "fq_codel", "pie"}


def _red_words(kind: str, found: Conversion, facts: Facts) -> list[str]:
    """limit, min, max, avpkt, burst and bandwidth of red and choke."""
    given = found.parameters
    packet = parse_size(given["mean_packet"]) if "mean_packet" in given else facts.packet
    own = Facts(facts.rate, packet, facts.device)
    low, high = thresholds(found, own)
    limit = limit_packets(given, own) or 4 * high
    w_q = weight(found, own)
    burst, got = _burst(low, min(LARGEST_POWER, max(1, round(-math.log2(w_q)))))
    note_weight(found, w_q, got, "tc has powers of two, set by burst")
    if given.get("gentle"):
        found.missing.append("gentle = true: Linux drops every packet above max")
    unit, size = ("bytes", packet) if kind == "red" else ("packets", 1)
    words: list[str] = []
    for word, exact in (("limit", limit), ("min", low), ("max", high)):
        words += [word, str(whole(found, word, exact * size, unit))]
    if kind == "red":
        found.notes.append(f"min and max are bytes: packets of {packet} B")
        words += ["avpkt", str(packet)]
    words += ["burst", str(burst)]
    return words if facts.rate is None else [*words, "bandwidth", RATE.write(f"{facts.rate:.0f}bit")]


def _burst(low: float, power: int) -> tuple[int, int]:
    """The smallest burst for which tc takes this weight, or the nearest power that it can be made to take.

    The power never falls as the burst grows, so it is found by bisection.
    """

    def reached(burst: int) -> int:
        return averaging(burst, low) or LARGEST_POWER + 1

    below, above = max(1, math.ceil(low)), max(1, math.ceil(low)) + 1
    if reached(below) >= power:
        return below, reached(below)
    while reached(above) < power:
        below, above = above, 2 * above
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (middle, above) if reached(middle) < power else (below, middle)
    return above, reached(above)
