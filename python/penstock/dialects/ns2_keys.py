"""The variables of ns-2's queues, with the defaults of ns-2.35 (tcl/lib/ns-default.tcl, as `ns` prints them).

The ns-2 manual, chapter "Queue management and packet scheduling", describes them; some of its defaults are older.
"""

from __future__ import annotations

from penstock.dialects.keys import ANY, Key
from penstock.dialects.value_kinds import (
    INTEGER,
    NUMBER,
    PACKETS,
    SIZE,
    ValueKind,
    boolean_kind,
    format_number,
    parse_real,
)
from penstock.units import parse_time

__all__ = ["BASE", "QUEUES"]

_DOC = "ns-2 manual, Queue management and packet scheduling"


def _seconds(text: str) -> str:
    unit = {"ms": 1.0, "us": 1e-3, "ns": 1e-6, "s": 1e3}
    for ending, scale in unit.items():
        if text.endswith(ending) and text[: -len(ending)][-1:].isdigit():
            return f"{format_number(scale * parse_real(text[: -len(ending)]))}ms"
    return f"{format_number(1e3 * parse_real(text))}ms"


SECONDS = ValueKind(_seconds, lambda value: format_number(parse_time(value) / 1e9))
FLAG = boolean_kind(("true", "1", "yes", "on"), ("false", "0", "no", "off"))

_LIMIT = Key("limit_", "50", "packets of mean_pktsize_, or packets", "0 or more", "limit", _DOC, PACKETS)
BASE = [
    _LIMIT,
    *(
        Key(name, "", "", "", "Of the queue's own monitoring or of other modules", _DOC, neutral_values=ANY)
        for name in ("blocked_", "unblock_on_resume_", "interleave_", "acksfirst_", "ackfromfront_", "debug_",
                     "util_check_intv_", "util_records_", "util_weight_")
    ),
]  # fmt: skip
"""Variables of every queue."""

_STATE = "A state of the run"
_MEAN = Key("mean_pktsize_", "500", "bytes", "1 or more", "mean_packet", _DOC, SIZE)
_IN_BYTES = Key("queue_in_bytes_", "false", "", "true, false", "measure_in", _DOC, FLAG)
_RED = [
    _LIMIT,
    Key("thresh_", "0", "packets", "0: automatic", "min_th", _DOC, NUMBER),
    Key("maxthresh_", "0", "packets", "0: three times thresh_", "max_th", _DOC, NUMBER),
    Key("linterm_", "10", "1 / max_p", "above 0", "max_p", _DOC, NUMBER),
    Key("q_weight_", "-1", "", "0 to 1; 0, -1, -2: automatic", "w_q", _DOC, NUMBER),
    Key("gentle_", "true", "", "true, false", "gentle", _DOC, FLAG),
    Key("wait_", "true", "", "true, false", "spacing", _DOC, FLAG),
    _MEAN,
    Key("queue_in_bytes_", "true", "", "true, false", "measure_in", _DOC, FLAG),
    Key("bytes_", "true", "", "true, false", "scale_by_size", _DOC, FLAG),
    Key("setbit_", "false", "", "true, false", "ecn", _DOC, FLAG),
    Key("use_mark_p_", "true", "", "true, false", "mark_up_to", _DOC, FLAG),
    Key("mark_p_", "0.1", "", "0 to 1", "mark_p", _DOC, NUMBER),
    Key("adaptive_", "0", "", "0, 1", "adaptive", _DOC, FLAG),
    Key("feng_adaptive_", "0", "", "0, 1", "feng", _DOC, FLAG),
    Key("targetdelay_", "0.005", "s", "0 or more", "target_delay", _DOC, NUMBER),
    Key("alpha_", "0.01", "", "0 to 1", "alpha", _DOC, NUMBER),
    Key("beta_", "0.9", "", "0 to 1", "beta", _DOC, NUMBER),
    Key("interval_", "0.5", "s", "above 0", "interval", _DOC, SECONDS),
    Key("top_", "0.5", "", "0 to 1", "max_p_high", _DOC, NUMBER),
    Key("bottom_", "0", "", "0: 0.01", "max_p_low", _DOC, NUMBER),
    Key("idle_pktsize_", "100", "bytes", "", "Idle times count packets of mean_packet", _DOC),
    Key("drop_tail_", "true", "", "true, false", "Here the arriving packet is dropped", _DOC, neutral_values=("1",)),
    Key("drop-tail_", "true", "", "true, false", "Here the arriving packet is dropped", _DOC, neutral_values=("1",)),
    Key("drop_front_", "false", "", "true, false", "Here the arriving packet is dropped", _DOC, neutral_values=("0",)),
    Key("drop-front_", "false", "", "true, false", "Here the arriving packet is dropped", _DOC, neutral_values=("0",)),
    Key("drop_rand_", "false", "", "true, false", "Here the arriving packet is dropped", _DOC, neutral_values=("0",)),
    Key("drop-rand_", "false", "", "true, false", "Here the arriving packet is dropped", _DOC, neutral_values=("0",)),
    Key("cautious_", "0", "", "0 to 3", "Not simulated", _DOC),
    Key("ns1_compat_", "false", "", "true, false", "ns-1's form is not simulated", _DOC, neutral_values=("0",)),
    Key("doubleq_", "false", "", "true, false", "Not simulated", _DOC, neutral_values=("0",)),
    *(Key(name, "", "", "", why, _DOC, neutral_values=ANY) for name, why in
      (("dqthresh_", "Of doubleq_"), ("subclasses_", "Of other classes"), ("thresh_queue_", "Of other classes"),
       ("maxthresh_queue_", "Of other classes"), ("summarystats_", "Statistics"), ("cur_max_p_", _STATE),
       ("curq_", _STATE), ("ave_", _STATE), ("prob1_", _STATE))),
]  # fmt: skip
_PI = [
    _LIMIT,
    Key("qref_", "50", "packets", "0 or more", "target", _DOC, NUMBER),
    Key("a_", "0.00001822", "", "", "a", _DOC, NUMBER),
    Key("b_", "0.00001816", "", "", "b", _DOC, NUMBER),
    Key("w_", "170", "1/s", "above 0", "interval", _DOC, NUMBER),
    _MEAN,
    Key("setbit_", "false", "", "true, false", "ecn", _DOC, FLAG),
    Key("bytes_", "false", "", "true, false", "The probability does not follow the size", _DOC, neutral_values=("0",)),
    Key("queue_in_bytes_", "false", "", "true, false", "PI counts packets here", _DOC, neutral_values=("0",)),
    *(Key(name, "", "", "", _STATE, _DOC, neutral_values=ANY) for name in ("prob_", "curq_")),
]  # fmt: skip

QUEUES: dict[str, tuple[str, list[Key]]] = {
    "DropTail": (
        "droptail",
        [
            _LIMIT,
            _MEAN,
            _IN_BYTES,
            Key("drop_front_", "false", "", "true, false", "drop_front", _DOC, FLAG),
            Key("summarystats_", "false", "", "", "Statistics", _DOC, neutral_values=ANY),
        ],
    ),
    "RED": ("red", _RED),
    "PI": ("pi", _PI),
    "REM": (
        "rem",
        [
            _LIMIT,
            Key("gamma_", "0.001", "", "above 0", "gamma", _DOC, NUMBER),
            Key("phi_", "1.001", "", "above 1", "phi", _DOC, NUMBER),
            Key("inw_", "1", "", "0 or more", "alpha", _DOC, NUMBER),
            Key("pbo_", "20.0", "packets", "0 or more", "target", _DOC, NUMBER),
            Key("pupdtime_", "0.002", "s", "above 0", "interval", _DOC, SECONDS),
            Key("mean_pktsize_", "1000", "bytes", "1 or more", "mean_packet", _DOC, SIZE),
            Key("markpkts_", "false", "", "true, false", "ecn", _DOC, FLAG),
            Key("qib_", "false", "", "true, false", "REM counts packets here", _DOC, neutral_values=("0",)),
            *(Key(name, "", "", "", _STATE, _DOC, neutral_values=ANY) for name in ("pmark_", "prob_", "curq_")),
        ],
    ),
    "DRR": (
        "drr",
        [
            Key("blimit_", "25000", "bytes", "0 or more", "limit", _DOC, SIZE),
            Key("buckets_", "10", "", "1 or more", "buckets", _DOC, INTEGER),
            Key("quantum_", "250", "bytes", "1 or more", "quantum", _DOC, SIZE),
            Key("mask_", "0", "", "0, 1", "Queues are by flow, not by host", _DOC),
        ],
    ),
    "CoDel": (
        "codel",
        [
            _LIMIT,
            Key("target_", "0.005", "s", "0 or more", "target", "ns-2.35's CoDel by K. Nichols", SECONDS),
            Key("interval_", "0.1", "s", "above 0", "interval", "ns-2.35's CoDel by K. Nichols", SECONDS),
        ],
    ),
}
"""Classes `Queue/NAME`, the scheme of each, and its variables."""
