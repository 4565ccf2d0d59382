"""Every key of tc's queues without classes: manual pages of iproute2 6.1, of dualpi2 6.17, with Linux's defaults.

Where a manual page and the kernel differ, as in the flows of sfq, the default is what the kernel prints
(`tests/data/linux/tc_read_back.json`).
"""

from __future__ import annotations

from collections.abc import Mapping

from penstock.dialects.tc_keys import (
    GREEDY,
    REPEATABLE,
    Key,
    KeyEffect,
    Qdisc,
    flag_key,
    lost_key,
    no_effect_key,
    parameter_key,
)
from penstock.dialects.tc_quantities import (
    BANDWIDTH,
    COUNT,
    GAIN,
    MILLISECONDS,
    NUMBER,
    OCTETS,
    PACKETS,
    PER_SECOND,
    PERCENT,
    PROBABILITY,
    RATE,
    SECONDS,
    SIGNED_SIZE,
    SIXTEENTHS,
    SIZE,
    TIME,
    WHOLE_PERCENT,
)
from penstock.dialects.value_kinds import round_to_12_digits
from penstock.scenario.framing import FRAMINGS, NO_FRAMING

__all__ = ["FQ_BUCKETS", "QUEUES"]

FQ_BUCKETS = 65536
"""The maximum of tc-sfq(8), since fq has a queue for each flow."""

GSO = "packets of the simulated link are never joined"
MEMORY = "limits are in packets or bytes on the wire, not in memory"


def _ecn(*, is_on: bool) -> list[Key]:
    return [
        flag_key("ecn", "ecn", group="ecn", is_default=is_on),
        flag_key("noecn", "ecn", False, group="ecn", is_default=not is_on),
    ]


_CE_THRESHOLD = parameter_key("ce_threshold", TIME, "ce_threshold")
_CODEL = [
    parameter_key("target", TIME, "target", "5ms"),
    parameter_key("interval", TIME, "interval", "100ms"),
    _CE_THRESHOLD,
]
_PIE = [
    parameter_key("target", TIME, "target", "15ms"),
    parameter_key("tupdate", TIME, "t_update", "15ms", why="the kernel rounds it up to a tick of its clock"),
    parameter_key("alpha", SIXTEENTHS, "alpha", "2", within=(0, 32)),
    parameter_key("beta", SIXTEENTHS, "beta", "20", within=(0, 32)),
    *_ecn(is_on=False),
    lost_key("bytemode", "PIE here decides by packets", group="bytemode"),
    no_effect_key("nobytemode", "the default", group="bytemode", default="nobytemode"),
    flag_key("dq_rate_estimator", "delay", "rate", group="estimator"),
    flag_key("no_dq_rate_estimator", "delay", "timestamp", group="estimator", is_default=True),
]
_RED = [
    Key("min", KeyEffect.APPLIED, arity=1, parameter="", reason="default: max / 3"),
    Key("max", KeyEffect.APPLIED, arity=1, parameter="", reason="default: limit / 4"),
    Key("avpkt", KeyEffect.APPLIED, arity=1, parameter="", reason="sets w_q together with burst, and mean_packet"),
    Key("burst", KeyEffect.APPLIED, arity=1, reason="default: (2 min + max) / (3 avpkt); sets w_q"),
    Key("ewma", KeyEffect.APPLIED, arity=1, reason="printed: the logarithm of 1 / w_q"),
    parameter_key(
        "probability",
        PROBABILITY,
        "max_p",
        "0.02",
        why="1 overflows to 0, and tc and the kernel then take "
        "(max - min) / 2^n with the least n that makes it less than 1",
    ),
    flag_key("ecn", "ecn"),
    Key("bandwidth", KeyEffect.NO_EFFECT, arity=1, reason="the link's rate counts for idle times", default="10Mbit"),
    no_effect_key("Scell_log", "printed: the decay of the average in idle times, which follows the link's rate", 1),
]

_RTTS = {
    "datacentre": "100us",
    "lan": "1ms",
    "metro": "10ms",
    "regional": "30ms",
    "internet": "100ms",
    "oceanic": "300ms",
    "satellite": "1s",
    "interplanetary": "3600s",
}
_TINS = ("besteffort", "precedence", "diffserv8", "diffserv4", "diffserv3")
_ISOLATIONS = ("flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost", "triple-isolate")

_CAKE = [
    parameter_key("bandwidth", BANDWIDTH, "bandwidth"),
    no_effect_key("unlimited", "no shaper", group="bandwidth", default="unlimited"),
    lost_key("autorate-ingress", "the rate of the shaper is fixed", also=("autorate_ingress",)),
    parameter_key("rtt", TIME, "rtt", "100ms"),
    *(Key(word, KeyEffect.APPLIED, None, "rtt", time, group="rtt keyword") for word, time in _RTTS.items()),
    *(flag_key(word, "diffserv", word, group="diffserv", is_default=word == "diffserv3") for word in _TINS),
    *(
        flag_key(word, "isolation", word, group="isolation", is_default=word == "triple-isolate")
        for word in _ISOLATIONS
    ),
    no_effect_key("nat", "hosts are always distinguished", group="nat"),
    no_effect_key("nonat", "noted, as the hosts behind a NAT then have one address", group="nat", default="nonat"),
    flag_key("wash", "wash", group="wash"),
    flag_key("nowash", "wash", False, group="wash", is_default=True),
    no_effect_key("split-gso", GSO, group="gso", default="split-gso"),
    no_effect_key("no-split-gso", GSO, group="gso"),
    flag_key("ack-filter", "ack_filter", "conservative", group="ack-filter"),
    flag_key("ack-filter-aggressive", "ack_filter", "aggressive", group="ack-filter"),
    flag_key("no-ack-filter", "ack_filter", "off", group="ack-filter", is_default=True),
    parameter_key(
        "memlimit",
        SIZE,
        "limit",
        why="default: what bandwidth sends in 4 rtt, at least 4 MiB; counts bytes on "
        "the wire, and not the kernel's memory",
    ),
    lost_key("fwmark", "firewall marks do not exist here", 1, default="0"),
    Key(
        "overhead",
        KeyEffect.APPLIED,
        SIGNED_SIZE,
        "overhead",
        default="0",
        range=(-64, 256),
        arity=1,
    ),
    parameter_key("mpu", OCTETS, "mpu", "0", within=(0, 256)),
    flag_key("atm", "cells", "atm", group=REPEATABLE),
    flag_key("ptm", "cells", "ptm", group=REPEATABLE),
    flag_key("noatm", "cells", "none", group=REPEATABLE, is_default=True),
    *(
        Key(
            word,
            KeyEffect.APPLIED,
            reason=f"overhead {framing.overhead}"
            + f" mpu {framing.mpu}" * (framing.mpu > 0)
            + f" {framing.cells}" * (framing.cells != "none"),
            group=REPEATABLE,
        )
        for word, framing in FRAMINGS.items()
        if framing != NO_FRAMING
    ),
    Key("ether-vlan", KeyEffect.APPLIED, reason="4 bytes of overhead each", group=REPEATABLE),
    Key("raw", KeyEffect.APPLIED, default="raw", reason="overhead 0, no cells", group=REPEATABLE),
    no_effect_key("via-ethernet", "an old keyword: sizes as Linux has them"),
    flag_key("ingress", "ingress", group="side"),
    flag_key("egress", "ingress", False, group="side", is_default=True),
    no_effect_key("total_overhead", "printed by old versions", 1),
    no_effect_key("hard_header_len", "printed by old versions", 1),
]

_DUALPI2 = [
    parameter_key("limit", PACKETS, "limit", "10000"),
    lost_key("memlimit", MEMORY, kind=SIZE, default="15140000"),
    parameter_key("target", TIME, "target", "15ms"),
    parameter_key("tupdate", TIME, "interval", "16ms"),
    parameter_key("alpha", GAIN, "alpha", "0.16"),
    parameter_key("beta", GAIN, "beta", "3.2"),
    parameter_key("step_thresh", TIME, "min_th", "1ms", why="a step, so `range` is 0; in packets it is refused"),
    parameter_key("min_qlen_step", COUNT, "th_len", "0"),
    parameter_key("coupling_factor", COUNT, "k", "2"),
    parameter_key("classic_protection", PERCENT, "classic_weight", "10%"),
    Key(
        "max_rtt",
        KeyEffect.APPLIED,
        TIME,
        arity=1,
        reason="sets target, tupdate, alpha and beta; default 6 typical_rtt",
    ),
    Key(
        "typical_rtt",
        KeyEffect.APPLIED,
        TIME,
        arity=1,
        reason="sets target, tupdate, alpha and beta; default max_rtt / 6",
    ),
    no_effect_key("drop_on_overload", "the default", group="overload", default="drop_on_overload"),
    lost_key("overflow", "in overload packets of both queues are dropped", group="overload"),
    no_effect_key("drop_dequeue", "the default", group="early", default="drop_dequeue"),
    lost_key("drop_enqueue", "packets are judged when they leave", group="early"),
    no_effect_key("l4s_ect", "the default", group="ect", default="l4s_ect"),
    lost_key("any_ect", "ECT(0) waits in the Classic queue", group="ect"),
    no_effect_key("split_gso", GSO, group="gso", default="split_gso"),
    no_effect_key("no_split_gso", GSO, group="gso"),
]

_NO_FQ = "senders pace their packets themselves"
_FQ = [
    parameter_key("limit", PACKETS, "limit", "10000"),
    parameter_key("flow_limit", COUNT, "depth", "100"),
    parameter_key("quantum", SIZE, "quantum", "3028"),
    lost_key("initial_quantum", "a new flow has no larger quantum", kind=SIZE, default="15140"),
    lost_key("maxrate", _NO_FQ, kind=RATE),
    lost_key("defrate", _NO_FQ, kind=RATE),
    lost_key("ce_threshold", "", kind=TIME),
    no_effect_key("buckets", "each flow has a queue", 1, default="1024"),
    no_effect_key("orphan_mask", "each flow has a queue", 1, default="1023"),
    no_effect_key("pacing", _NO_FQ, group="pacing", default="pacing"),
    no_effect_key("nopacing", "the queue does not pace", group="pacing"),
    no_effect_key("low_rate_threshold", _NO_FQ, 1, default="550Kbit"),
    no_effect_key("refill_delay", _NO_FQ, 1, default="40ms"),
    no_effect_key("timer_slack", _NO_FQ, 1, default="10us"),
    no_effect_key("horizon", _NO_FQ, 1, default="10s"),
    no_effect_key("horizon_cap", _NO_FQ, group="horizon action"),
    no_effect_key("horizon_drop", _NO_FQ, group="horizon action", default="horizon_drop"),
    lost_key("bands", "flows have no priorities", 1, is_neutral=False),
    lost_key("priomap", "flows have no priorities", GREEDY, is_neutral=False),
    lost_key("weights", "flows have no priorities", GREEDY, is_neutral=False),
    lost_key("offload_horizon", _NO_FQ, kind=TIME),
]

_SFQ = [
    parameter_key("limit", PACKETS, "limit", "127", within=(2, 65535)),
    parameter_key("perturb", SECONDS, "perturb"),
    parameter_key("quantum", SIZE, "quantum", "1514"),
    parameter_key("divisor", COUNT, "buckets", "1024", within=(1, 65536)),
    parameter_key("flows", COUNT, "flows", "128"),
    parameter_key("depth", COUNT, "depth", "127", within=(1, 127)),
    flag_key("headdrop", "headdrop"),
    *(
        lost_key(word, "RED in each flow of sfq", 1, is_neutral=False)
        for word in ("redflowlimit", "min", "max", "avpkt", "burst", "probability", "ewma")
    ),
    lost_key("ecn", "RED in each flow of sfq"),
    lost_key("harddrop", "RED in each flow of sfq"),
]

_SFB = [
    parameter_key("limit", PACKETS, "limit", "1000"),
    parameter_key("max", COUNT, "max", "25"),
    parameter_key("target", COUNT, "bin_size", "20"),
    parameter_key("increment", NUMBER, "d1", str(round_to_12_digits(33 / 65535)), why="a multiple of 1/65535"),
    parameter_key("decrement", NUMBER, "d2", str(round_to_12_digits(3 / 65535)), why="a multiple of 1/65535"),
    parameter_key("penalty_rate", PER_SECOND, "penalty_rate", "10"),
    parameter_key("penalty_burst", COUNT, "penalty_burst", "20"),
    parameter_key("rehash", MILLISECONDS, "rehash", "600000"),
    parameter_key("db", MILLISECONDS, "warmup", "60000"),
]

_FQ_CODEL = [
    *(
        parameter_key("limit", PACKETS, "limit", "10240"),
        parameter_key("flows", COUNT, "flows", "1024", within=(1, 65536)),
    ),
    parameter_key("quantum", OCTETS, "quantum", "1514"),
    *_CODEL,
    *_ecn(is_on=True),
    parameter_key("drop_batch", COUNT, "drop_batch", "64"),
    lost_key("memory_limit", kind=SIZE, default="32Mb", is_neutral=False),
    lost_key("ce_threshold_selector", "every ECN-capable packet counts for ce_threshold", 1),
]
_FQ_PIE = [
    *(
        parameter_key("limit", PACKETS, "limit", "10240"),
        parameter_key("flows", COUNT, "flows", "1024", within=(1, 65536)),
    ),
    *_PIE,
    parameter_key("quantum", SIZE, "quantum", "1514"),
    parameter_key("ecn_prob", WHOLE_PERCENT, "mark_ecnth", "10", within=(0, 99)),
    lost_key("memory_limit", kind=SIZE, default="32Mb", is_neutral=False),
]

QUEUES: Mapping[str, Qdisc] = {
    one.kind: one
    for one in (
        Qdisc(
            "pfifo",
            "droptail",
            "tc-pfifo(8)",
            [
                parameter_key(
                    "limit", PACKETS, "limit", "1000", why="default: the txqueuelen of the device, mostly 1000"
                ),
            ],
        ),
        Qdisc(
            "bfifo",
            "droptail",
            "tc-bfifo(8)",
            [
                parameter_key("limit", SIZE, "limit", "1514000", why="default: txqueuelen packets of the device's MTU"),
            ],
        ),
        Qdisc(
            "codel",
            "codel",
            "tc-codel(8)",
            [parameter_key("limit", PACKETS, "limit", "1000"), *_CODEL, *_ecn(is_on=False)],
            {"variant": "linux"},
        ),
        Qdisc("fq_codel", "fq-codel", "tc-fq_codel(8)", _FQ_CODEL, {"variant": "linux"}),
        Qdisc(
            "pie", "pie", "tc-pie(8)", [parameter_key("limit", PACKETS, "limit", "1000"), *_PIE], {"variant": "linux"}
        ),
        Qdisc("fq_pie", "fq-pie", "tc-fq_pie(8)", _FQ_PIE, {"variant": "linux"}),
        Qdisc("sfq", "sfq", "tc-sfq(8)", _SFQ),
        Qdisc("sfb", "sfb", "tc-sfb(8)", _SFB, {"levels": 8, "bins": 16, "ecn": True}),
        Qdisc("cake", "cake", "tc-cake(8)", _CAKE),
        Qdisc("dualpi2", "dualpi2", "tc-dualpi2(8)", _DUALPI2, {"range": "0s"}),
        Qdisc("fq", "sfq", "tc-fq(8)", _FQ, {"buckets": FQ_BUCKETS}),
        Qdisc(
            "red",
            "red",
            "tc-red(8)",
            [
                Key("limit", KeyEffect.APPLIED, SIZE, "limit", arity=1),
                *_RED,
                Key("harddrop", KeyEffect.APPLIED, reason="without it Linux marks above max too: `mark_up_to`"),
                lost_key("nodrop", "packets that cannot be marked are dropped early"),
                lost_key("adaptive", "max_p stays as it is; ared-floyd adapts it"),
                lost_key("qevent", "there are no actions", 3),
            ],
        ),
        Qdisc("choke", "choke", "tc-choke(8)", [Key("limit", KeyEffect.APPLIED, PACKETS, "limit", arity=1), *_RED]),
    )
}
"""The keys by the name of the kind of queue."""
