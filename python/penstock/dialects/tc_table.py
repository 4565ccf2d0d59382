"""Every key of tc's queues without classes: manual pages of iproute2 6.1, of dualpi2 6.17, with Linux's defaults.

Where a manual page and the kernel differ, as in the flows of sfq, the default is what the kernel prints
(`tests/data/linux/tc_read_back.json`).
"""

from __future__ import annotations

from collections.abc import Mapping

from penstock.dialects.kinds import number
from penstock.dialects.tc_keys import GREEDY, REPEATABLE, Fate, Key, Qdisc, applied, flag, inert, lost
from penstock.dialects.tc_kinds import (
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
from penstock.scenario.framing import FRAMINGS, NO_FRAMING

__all__ = ["FQ_BUCKETS", "QUEUES"]

FQ_BUCKETS = 65536
"""The maximum of tc-sfq(8), since fq has a queue for each flow."""

GSO = "packets of the simulated link are never joined"
MEMORY = "limits are in packets or bytes on the wire, not in memory"


def _ecn(*, is_on: bool) -> list[Key]:
    return [
        flag("ecn", "ecn", group="ecn", is_default=is_on),
        flag("noecn", "ecn", False, group="ecn", is_default=not is_on),
    ]


_CE_THRESHOLD = applied("ce_threshold", TIME, "ce_threshold")
_CODEL = [applied("target", TIME, "target", "5ms"), applied("interval", TIME, "interval", "100ms"), _CE_THRESHOLD]
_PIE = [
    applied("target", TIME, "target", "15ms"),
    applied("tupdate", TIME, "t_update", "15ms", why="the kernel rounds it up to a tick of its clock"),
    applied("alpha", SIXTEENTHS, "alpha", "2", within=(0, 32)),
    applied("beta", SIXTEENTHS, "beta", "20", within=(0, 32)),
    *_ecn(is_on=False),
    lost("bytemode", "PIE here decides by packets", group="bytemode"),
    inert("nobytemode", "the default", group="bytemode", default="nobytemode"),
    flag("dq_rate_estimator", "delay", "rate", group="estimator"),
    flag("no_dq_rate_estimator", "delay", "timestamp", group="estimator", is_default=True),
]
_RED = [
    Key("min", Fate.APPLIED, arity=1, parameter="", why="default: max / 3"),
    Key("max", Fate.APPLIED, arity=1, parameter="", why="default: limit / 4"),
    Key("avpkt", Fate.APPLIED, arity=1, parameter="", why="sets w_q together with burst, and mean_packet"),
    Key("burst", Fate.APPLIED, arity=1, why="default: (2 min + max) / (3 avpkt); sets w_q"),
    Key("ewma", Fate.APPLIED, arity=1, why="printed: the logarithm of 1 / w_q"),
    applied(
        "probability",
        PROBABILITY,
        "max_p",
        "0.02",
        why="1 overflows to 0, and tc and the kernel then take "
        "(max - min) / 2^n with the least n that makes it less than 1",
    ),
    flag("ecn", "ecn"),
    Key("bandwidth", Fate.NO_EFFECT, arity=1, why="the link's rate counts for idle times", default="10Mbit"),
    inert("Scell_log", "printed: the decay of the average in idle times, which follows the link's rate", 1),
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
    applied("bandwidth", BANDWIDTH, "bandwidth"),
    inert("unlimited", "no shaper", group="bandwidth", default="unlimited"),
    lost("autorate-ingress", "the rate of the shaper is fixed", also=("autorate_ingress",)),
    applied("rtt", TIME, "rtt", "100ms"),
    *(Key(word, Fate.APPLIED, None, "rtt", time, group="rtt keyword") for word, time in _RTTS.items()),
    *(flag(word, "diffserv", word, group="diffserv", is_default=word == "diffserv3") for word in _TINS),
    *(flag(word, "isolation", word, group="isolation", is_default=word == "triple-isolate") for word in _ISOLATIONS),
    inert("nat", "hosts are always distinguished", group="nat"),
    inert("nonat", "noted, as the hosts behind a NAT then have one address", group="nat", default="nonat"),
    flag("wash", "wash", group="wash"),
    flag("nowash", "wash", False, group="wash", is_default=True),
    inert("split-gso", GSO, group="gso", default="split-gso"),
    inert("no-split-gso", GSO, group="gso"),
    flag("ack-filter", "ack_filter", "conservative", group="ack-filter"),
    flag("ack-filter-aggressive", "ack_filter", "aggressive", group="ack-filter"),
    flag("no-ack-filter", "ack_filter", "off", group="ack-filter", is_default=True),
    applied(
        "memlimit",
        SIZE,
        "limit",
        why="default: what bandwidth sends in 4 rtt, at least 4 MiB; counts bytes on "
        "the wire, and not the kernel's memory",
    ),
    lost("fwmark", "firewall marks do not exist here", 1, default="0"),
    Key(
        "overhead",
        Fate.APPLIED,
        SIGNED_SIZE,
        "overhead",
        default="0",
        range=(-64, 256),
        arity=1,
    ),
    applied("mpu", OCTETS, "mpu", "0", within=(0, 256)),
    flag("atm", "cells", "atm", group=REPEATABLE),
    flag("ptm", "cells", "ptm", group=REPEATABLE),
    flag("noatm", "cells", "none", group=REPEATABLE, is_default=True),
    *(
        Key(
            word,
            Fate.APPLIED,
            why=f"overhead {framing.overhead}"
            + f" mpu {framing.mpu}" * (framing.mpu > 0)
            + f" {framing.cells}" * (framing.cells != "none"),
            group=REPEATABLE,
        )
        for word, framing in FRAMINGS.items()
        if framing != NO_FRAMING
    ),
    Key("ether-vlan", Fate.APPLIED, why="4 bytes of overhead each", group=REPEATABLE),
    Key("raw", Fate.APPLIED, default="raw", why="overhead 0, no cells", group=REPEATABLE),
    inert("via-ethernet", "an old keyword: sizes as Linux has them"),
    flag("ingress", "ingress", group="side"),
    flag("egress", "ingress", False, group="side", is_default=True),
    inert("total_overhead", "printed by old versions", 1),
    inert("hard_header_len", "printed by old versions", 1),
]

_DUALPI2 = [
    applied("limit", PACKETS, "limit", "10000"),
    lost("memlimit", MEMORY, kind=SIZE, default="15140000"),
    applied("target", TIME, "target", "15ms"),
    applied("tupdate", TIME, "interval", "16ms"),
    applied("alpha", GAIN, "alpha", "0.16"),
    applied("beta", GAIN, "beta", "3.2"),
    applied("step_thresh", TIME, "min_th", "1ms", why="a step, so `range` is 0; in packets it is refused"),
    applied("min_qlen_step", COUNT, "th_len", "0"),
    applied("coupling_factor", COUNT, "k", "2"),
    applied("classic_protection", PERCENT, "classic_weight", "10%"),
    Key("max_rtt", Fate.APPLIED, TIME, arity=1, why="sets target, tupdate, alpha and beta; default 6 typical_rtt"),
    Key("typical_rtt", Fate.APPLIED, TIME, arity=1, why="sets target, tupdate, alpha and beta; default max_rtt / 6"),
    inert("drop_on_overload", "the default", group="overload", default="drop_on_overload"),
    lost("overflow", "in overload packets of both queues are dropped", group="overload"),
    inert("drop_dequeue", "the default", group="early", default="drop_dequeue"),
    lost("drop_enqueue", "packets are judged when they leave", group="early"),
    inert("l4s_ect", "the default", group="ect", default="l4s_ect"),
    lost("any_ect", "ECT(0) waits in the Classic queue", group="ect"),
    inert("split_gso", GSO, group="gso", default="split_gso"),
    inert("no_split_gso", GSO, group="gso"),
]

_NO_FQ = "senders pace their packets themselves"
_FQ = [
    applied("limit", PACKETS, "limit", "10000"),
    applied("flow_limit", COUNT, "depth", "100"),
    applied("quantum", SIZE, "quantum", "3028"),
    lost("initial_quantum", "a new flow has no larger quantum", kind=SIZE, default="15140"),
    lost("maxrate", _NO_FQ, kind=RATE),
    lost("defrate", _NO_FQ, kind=RATE),
    lost("ce_threshold", "", kind=TIME),
    inert("buckets", "each flow has a queue", 1, default="1024"),
    inert("orphan_mask", "each flow has a queue", 1, default="1023"),
    inert("pacing", _NO_FQ, group="pacing", default="pacing"),
    inert("nopacing", "the queue does not pace", group="pacing"),
    inert("low_rate_threshold", _NO_FQ, 1, default="550Kbit"),
    inert("refill_delay", _NO_FQ, 1, default="40ms"),
    inert("timer_slack", _NO_FQ, 1, default="10us"),
    inert("horizon", _NO_FQ, 1, default="10s"),
    inert("horizon_cap", _NO_FQ, group="horizon action"),
    inert("horizon_drop", _NO_FQ, group="horizon action", default="horizon_drop"),
    lost("bands", "flows have no priorities", 1, is_neutral=False),
    lost("priomap", "flows have no priorities", GREEDY, is_neutral=False),
    lost("weights", "flows have no priorities", GREEDY, is_neutral=False),
    lost("offload_horizon", _NO_FQ, kind=TIME),
]

_SFQ = [
    applied("limit", PACKETS, "limit", "127", within=(2, 65535)),
    applied("perturb", SECONDS, "perturb"),
    applied("quantum", SIZE, "quantum", "1514"),
    applied("divisor", COUNT, "buckets", "1024", within=(1, 65536)),
    applied("flows", COUNT, "flows", "128"),
    applied("depth", COUNT, "depth", "127", within=(1, 127)),
    flag("headdrop", "headdrop"),
    *(
        lost(word, "RED in each flow of sfq", 1, is_neutral=False)
        for word in ("redflowlimit", "min", "max", "avpkt", "burst", "probability", "ewma")
    ),
    lost("ecn", "RED in each flow of sfq"),
    lost("harddrop", "RED in each flow of sfq"),
]

_SFB = [
    applied("limit", PACKETS, "limit", "1000"),
    applied("max", COUNT, "max", "25"),
    applied("target", COUNT, "bin_size", "20"),
    applied("increment", NUMBER, "d1", str(number(33 / 65535)), why="a multiple of 1/65535"),
    applied("decrement", NUMBER, "d2", str(number(3 / 65535)), why="a multiple of 1/65535"),
    applied("penalty_rate", PER_SECOND, "penalty_rate", "10"),
    applied("penalty_burst", COUNT, "penalty_burst", "20"),
    applied("rehash", MILLISECONDS, "rehash", "600000"),
    applied("db", MILLISECONDS, "warmup", "60000"),
]

_FQ_CODEL = [
    *(applied("limit", PACKETS, "limit", "10240"), applied("flows", COUNT, "flows", "1024", within=(1, 65536))),
    applied("quantum", OCTETS, "quantum", "1514"),
    *_CODEL,
    *_ecn(is_on=True),
    applied("drop_batch", COUNT, "drop_batch", "64"),
    lost("memory_limit", kind=SIZE, default="32Mb", is_neutral=False),
    lost("ce_threshold_selector", "every ECN-capable packet counts for ce_threshold", 1),
]
_FQ_PIE = [
    *(applied("limit", PACKETS, "limit", "10240"), applied("flows", COUNT, "flows", "1024", within=(1, 65536))),
    *_PIE,
    applied("quantum", SIZE, "quantum", "1514"),
    applied("ecn_prob", WHOLE_PERCENT, "mark_ecnth", "10", within=(0, 99)),
    lost("memory_limit", kind=SIZE, default="32Mb", is_neutral=False),
]

QUEUES: Mapping[str, Qdisc] = {
    one.kind: one
    for one in (
        Qdisc(
            "pfifo",
            "droptail",
            "tc-pfifo(8)",
            [
                applied("limit", PACKETS, "limit", "1000", why="default: the txqueuelen of the device, mostly 1000"),
            ],
        ),
        Qdisc(
            "bfifo",
            "droptail",
            "tc-bfifo(8)",
            [
                applied("limit", SIZE, "limit", "1514000", why="default: txqueuelen packets of the device's MTU"),
            ],
        ),
        Qdisc(
            "codel",
            "codel",
            "tc-codel(8)",
            [applied("limit", PACKETS, "limit", "1000"), *_CODEL, *_ecn(is_on=False)],
            {"variant": "linux"},
        ),
        Qdisc("fq_codel", "fq-codel", "tc-fq_codel(8)", _FQ_CODEL, {"variant": "linux"}),
        Qdisc("pie", "pie", "tc-pie(8)", [applied("limit", PACKETS, "limit", "1000"), *_PIE], {"variant": "linux"}),
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
                Key("limit", Fate.APPLIED, SIZE, "limit", arity=1),
                *_RED,
                Key("harddrop", Fate.APPLIED, why="without it Linux marks above max too: `mark_up_to`"),
                lost("nodrop", "packets that cannot be marked are dropped early"),
                lost("adaptive", "max_p stays as it is; ared-floyd adapts it"),
                lost("qevent", "there are no actions", 3),
            ],
        ),
        Qdisc("choke", "choke", "tc-choke(8)", [Key("limit", Fate.APPLIED, PACKETS, "limit", arity=1), *_RED]),
    )
}
"""The keys by the name of the kind of queue."""
