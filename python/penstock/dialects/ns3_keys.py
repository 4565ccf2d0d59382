"""The attributes of ns-3's queue discs, with the initial values of ns-3.46.

Sources: the chapters of the traffic-control module in ns-3's model library, and the lists of attributes with their
initial values in ns-3's API documentation.
"""

from __future__ import annotations

import re
from fractions import Fraction

from penstock.dialects.keys import ANY, Key
from penstock.dialects.value_kinds import INTEGER, INVERSE, NUMBER, SIZE, ValueKind, boolean_kind, parse_real, time_text
from penstock.units import parse_rate

__all__ = ["DISCS", "FLAG", "RED", "parse_data_rate", "parse_queue_size"]

_TIME_UNITS = {"fs": Fraction(1, 10**6), "ps": Fraction(1, 1000), "ns": Fraction(1), "us": Fraction(1000),
               "ms": Fraction(10**6), "s": Fraction(10**9), "": Fraction(10**9), "min": Fraction(60 * 10**9),
               "h": Fraction(3600 * 10**9), "d": Fraction(86400 * 10**9)}  # fmt: skip
_PREFIXES = {"": 1, "k": 1000, "K": 1000, "Ki": 1024, "M": 10**6, "Mi": 1024**2, "G": 10**9, "Gi": 1024**3}


def _time(text: str) -> str | None:
    """A time of ns-3, in seconds if it has no unit; None for the largest time, which switches a threshold off."""
    if text == "max":
        return None
    match = re.fullmatch(r"\+?(\d++\.?\d*|\.\d+)(e[+-]?\d{1,3})?\s*(fs|ps|ns|us|ms|s|min|h|d|)", text)
    if match is None:
        raise ValueError("expected a time such as 5ms")
    nanos = Fraction(match[1] + (match[2] or "")) * _TIME_UNITS[match[3]]
    if nanos >= 2**63:
        return None
    return time_text({"ns": round(nanos)})


def parse_queue_size(text: str) -> tuple[int, str]:
    """A `QueueSize` as a number and "p" or "B". Raises `ValueError`."""
    match = re.fullmatch(r"(\d{1,19})\s*(k|K|Ki|M|Mi|G|Gi|)([pB])", text)
    if match is None:
        raise ValueError("expected a size such as 25p or 30000B")
    return int(match[1]) * _PREFIXES[match[2]], match[3]


def parse_data_rate(text: str) -> float:
    """A `DataRate` in bit/s. Raises `ValueError`."""
    match = re.fullmatch(r"(\d++\.?\d*|\.\d+)\s*(k|K|Ki|M|Mi|G|Gi|)(b|B)(?:ps|/s)", text)
    if match is None or parse_real(match[1]) == 0:
        raise ValueError("expected a rate such as 1.5Mbps")
    return parse_real(match[1]) * _PREFIXES[match[2]] * (8 if match[3] == "B" else 1)


def _size_text(value: object) -> str:
    text = str(value).replace("_", "").replace(" ", "")
    return text if text.endswith(("p", "B")) else f"{round(float(text))}p"


TIME = ValueKind(_time, time_text)
FLAG = boolean_kind(("true", "1", "t"), ("false", "0", "f"))
LIMIT = ValueKind(lambda text: "".join(map(str, parse_queue_size(text))), _size_text)
_RATE = ValueKind(
    parse_data_rate, lambda value: f"{round(value if isinstance(value, float) else parse_rate(value))}bps"
)
_WAIT = ValueKind(
    lambda text: "wait" if FLAG.read(text) else "no_wait", lambda value: "true" if value == "wait" else "false"
)
_ON_OFF = ValueKind(lambda text: "on" if FLAG.read(text) else "off", lambda value: "true" if value == "on" else "false")
_DELAY = ValueKind(lambda text: "rate" if FLAG.read(text) else "timestamp", lambda value: FLAG.write(value == "rate"))
_ECT1 = ValueKind(lambda text: "ect1" if FLAG.read(text) else None, lambda value: FLAG.write(value == "ect1"))

_DOC = "ns-3 model library, "
_SALT = "No effect here: hashes have their own salts"


def _limit(default: str, source: str) -> Key:
    return Key("MaxSize", default, "packets or bytes", "25p, 30000B, 30kB", "limit", source, LIMIT)


def _times(source: str, **defaults: str) -> list[Key]:
    fates = {"Target": "target", "Interval": "interval", "CeThreshold": "ce_threshold", "Tupdate": "t_update",
             "QueueDelayReference": "target", "MaxBurstAllowance": "max_burst"}  # fmt: skip
    return [Key(name, default, "time", "0 or more", fates[name], source, TIME) for name, default in defaults.items()]


def _ecn(default: str, source: str) -> Key:
    return Key("UseEcn", default, "", "true, false", "ecn", source, FLAG)


def _l4s(source: str) -> Key:
    return Key("UseL4s", "false", "", "true, false", "ce_threshold_for", source, _ECT1)


def _red() -> list[Key]:
    doc = _DOC + "RED queue disc"
    number = "expected by ARED"
    return [
        _limit("25p", doc),
        Key("MinTh", "5", "that of MaxSize", "0 or more", "min_th", doc, NUMBER),
        Key("MaxTh", "15", "that of MaxSize", "above MinTh", "max_th", doc, NUMBER),
        Key("LInterm", "50", "1 / max_p", "1 or more", "max_p", doc, INVERSE),
        Key("MaxP", "", "", "0 to 1; not of ns-3 itself, whose name is LInterm", "max_p", doc, NUMBER),
        Key("Gentle", "true", "", "true, false", "gentle", doc, FLAG),
        Key("QW", "0.002", "", "0 to 1, or 0, -1, -2: automatic", "w_q", doc, NUMBER),
        Key("MeanPktSize", "500", "bytes", "1 or more", "mean_packet", doc, SIZE),
        Key("IdlePktSize", "0", "bytes", "0: MeanPktSize", "The idle time counts packets of mean_packet", doc),
        Key("Wait", "true", "", "true, false", "spacing", doc, _WAIT),
        Key("NLRED", "false", "", "true, false", "nonlinear", doc, FLAG),
        _ecn("false", doc),
        Key("UseHardDrop", "true", "", "true, false", "mark_up_to", doc, FLAG),
        Key("ARED", "false", "", "true, false", "scheme", doc, FLAG),
        Key("AdaptMaxP", "false", "", "true, false", "scheme", doc, FLAG),
        Key("FengAdaptive", "false", "", "true, false", "scheme", doc, FLAG),
        Key("LinkBandwidth", "1.5Mbps", "bit/s", "above 0", "rate", doc, _RATE),
        Key("LinkDelay", "20ms", "time", "0 or more", "link_delay", doc, TIME),
        Key("TargetDelay", "5ms", "time", "0 or more", "target_delay", doc, TIME),
        Key("Interval", "500ms", "time", "above 0", "interval", doc, TIME),
        Key("Top", "0.5", "", "0 to 1", "max_p_high", doc, NUMBER),
        Key("Bottom", "0", "", "0 to 1; 0: automatic", "max_p_low", doc, NUMBER),
        Key("Alpha", "0.01", "", number, "alpha", doc, NUMBER),
        Key("Beta", "0.9", "", number, "beta", doc, NUMBER),
        Key("FengAlpha", "3", "", "above 0", "feng_alpha", doc, NUMBER),
        Key("FengBeta", "2", "", "above 0", "feng_beta", doc, NUMBER),
        Key("LastSet", "0s", "time", "", "Of the simulation's start", doc, neutral_values=ANY),
        Key("Rtt", "0s", "time", "", "Only for an automatic Bottom", doc, neutral_values=("0ns", "0")),
        Key("Ns1Compat", "false", "", "true, false", "ns-1's form is not simulated", doc, neutral_values=("0",)),
    ]


def _codel(size: str, ecn: str, source: str) -> list[Key]:
    keys = [_limit(size, source), *_times(source, Interval="100ms", Target="5ms"), _ecn(ecn, source)]
    return [*keys, *_times(source, CeThreshold="max"), _l4s(source)]


def _pie(size: str, ecn: str, source: str) -> list[Key]:
    return [
        _limit(size, source),
        *_times(source, QueueDelayReference="15ms", Tupdate="15ms"),
        Key("A", "0.125", "", "0 or more", "alpha", source, NUMBER),
        Key("B", "1.25", "", "0 or more", "beta", source, NUMBER),
        *_times(source, MaxBurstAllowance="150ms"),
        Key("MarkEcnThreshold", "0.1", "", "0 to 1", "mark_ecnth", source, NUMBER),
        _ecn(ecn, source),
        Key("MeanPktSize", "1000", "bytes", "1 or more", "mean_packet", source, SIZE),
        Key("UseDequeueRateEstimator", "false", "", "true, false", "delay", source, _DELAY),
        Key("DequeueThreshold", "16384", "bytes", "1 or more", "dq_threshold", source, SIZE),
        Key("UseCapDropAdjustment", "true", "", "true, false", "cap_drop", source, _ON_OFF),
        Key("UseDerandomization", "false", "", "true, false", "derandomization", source, _ON_OFF),
        Key("ActiveThreshold", "max", "time", "0 or more", "Here PIE is active always, or from a third of the limit on",
            source),
        Key("Supdate", "0s", "time", "0 or more", "The first update is one period after the start", source,
            neutral_values=("0ns", "0")),
    ]  # fmt: skip


def _flows(source: str) -> list[Key]:
    return [
        Key("Flows", "1024", "", "1 or more", "flows", source, INTEGER),
        Key("DropBatchSize", "64", "packets", "1 or more", "drop_batch", source, INTEGER),
        Key("Quantum", "1500", "bytes", "1 or more; by default the MTU of the device", "quantum", source, SIZE),
        Key("Perturbation", "0", "", "", _SALT, source, neutral_values=ANY),
        Key("EnableSetAssociativeHash", "false", "", "true, false", "Flows share queues by a plain hash", source,
            neutral_values=("0",)),
        Key("SetWays", "8", "", "", "Of the set associative hash alone", source, neutral_values=ANY),
    ]  # fmt: skip


RED = _red()
_CODEL_DOC, _PIE_DOC, _COBALT_DOC = (_DOC + f"{name} queue disc" for name in ("CoDel", "PIE", "Cobalt"))
_FQ_DOC, _FQ_PIE_DOC = (_DOC + f"{name} queue disc" for name in ("FqCoDel", "FQ-PIE"))


def _cobalt() -> list[Key]:
    return [
        *_codel("1500000B", "false", _COBALT_DOC),
        Key("Increment", "0.00390625", "", "0 to 1", "p_inc", _COBALT_DOC, NUMBER),
        Key("Decrement", "0.000244140625", "", "0 to 1", "p_dec", _COBALT_DOC, NUMBER),
        Key("Pdrop", "0", "", "0 to 1", "The probability starts from 0", _COBALT_DOC),
        Key("BlueThreshold", "400ms", "time", "0 or more", "Here only an overflow raises BLUE's probability",
            _COBALT_DOC),
        Key("MinBytes", "1500", "bytes", "0 or more", "mtu", _COBALT_DOC, SIZE),
    ]  # fmt: skip


DISCS: dict[str, tuple[str, list[Key]]] = {
    "FifoQueueDisc": ("droptail", [_limit("1000p", _DOC + "Fifo queue disc")]),
    "DropTailQueue": ("droptail", [_limit("100p", _DOC + "Queues")]),
    "RedQueueDisc": ("red", RED),
    "CoDelQueueDisc": (
        "codel",
        [
            *_codel("1500000B", "false", _CODEL_DOC),
            Key("MinBytes", "1500", "bytes", "0 or more", "maxpacket", _CODEL_DOC, SIZE),
        ],
    ),
    "FqCoDelQueueDisc": ("fq-codel", [*_codel("10240p", "true", _FQ_DOC), *_flows(_FQ_DOC)]),
    "CobaltQueueDisc": ("cobalt", _cobalt()),
    "PieQueueDisc": ("pie", _pie("25p", "false", _PIE_DOC)),
    "FqPieQueueDisc": (
        "fq-pie",
        [
            *_pie("10240p", "true", _FQ_PIE_DOC),
            *_flows(_FQ_PIE_DOC),
            *_times(_FQ_PIE_DOC, CeThreshold="max"),
            _l4s(_FQ_PIE_DOC),
        ],
    ),
    "TbfQueueDisc": (
        "shaper",
        [
            _limit("1000p", _DOC + "TBF queue disc"),
            Key("Rate", "125KB/s", "bit/s", "above 0", "rate", _DOC + "TBF queue disc", _RATE),
            Key("Burst", "125000", "bytes", "1 or more", "burst", _DOC + "TBF queue disc", SIZE),
            Key("PeakRate", "0KB/s", "bit/s", "0: none", "A second bucket is not simulated", _DOC + "TBF queue disc",
                neutral_values=("0bps", "0KB/s")),
            Key("Mtu", "0", "bytes", "", "Of the second bucket", _DOC + "TBF queue disc", neutral_values=ANY),
        ],
    ),
}  # fmt: skip
"""Classes of ns-3, the scheme of each, and its attributes."""
