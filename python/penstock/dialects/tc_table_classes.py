"""Keys of tc's queues with classes, of classes, and of netem; kinds of queues that have no counterpart here."""

from __future__ import annotations

from collections.abc import Mapping

from penstock.dialects.tc_keys import GREEDY, Key, KeyEffect, Qdisc, lost_key, no_effect_key
from penstock.dialects.tc_quantities import COUNT, RATE, SIZE, TIME, Quantity

__all__ = ["ABSENT", "CLASSES", "PARENTS"]


def _read(word: str, kind: Quantity | None = None, *, also: tuple[str, ...] = (), default: str = "", arity: int = 1,
          why: str = "") -> Key:  # fmt: skip
    """A key that is read by code for the kind of queue."""
    return Key(word, KeyEffect.APPLIED, kind, default=default, arity=arity, other_spellings=also, reason=why)


_OF_FRAMING = "framing of the link; in classes that differ it is listed"
_FRAMING = [
    _read("mpu", SIZE, default="0", why=_OF_FRAMING),
    _read("overhead", SIZE, default="0", why=_OF_FRAMING),
    _read("linklayer", default="ethernet", why=_OF_FRAMING),
    Key("atm", KeyEffect.APPLIED, reason=_OF_FRAMING),
]
_BURSTS = [
    _read("burst", SIZE, also=("buffer", "maxburst"), why="default of htb: 1600 B and a tick of the kernel's clock"),
]
_PRIOMAP = _read("priomap", arity=GREEDY, default="1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1")


def _of_link(word: str, arity: int = GREEDY, also: tuple[str, ...] = ()) -> Key:
    """A key of netem that becomes a key of the link."""
    return Key(word, KeyEffect.APPLIED, arity=arity, other_spellings=also, reason="a key of the link")


PARENTS: Mapping[str, Qdisc] = {
    one.kind: one
    for one in (
        Qdisc("tbf", "shaper", "tc-tbf(8)", [
            _read("rate", RATE),
            *_BURSTS,
            _read("limit", SIZE),
            _read("latency", TIME, also=("lat",), why="a limit of rate latency / 8 + burst bytes"),
            lost_key("peakrate", "", 1, is_neutral=False),
            Key("mtu", KeyEffect.LOST, arity=1, other_spellings=("minburst",)),
            *_FRAMING,
        ]),
        Qdisc("prio", "pq", "tc-prio(8)", [
            _read("bands", COUNT, default="3"),
            _PRIOMAP,
        ]),
        Qdisc("pfifo_fast", "pq", "tc-pfifo_fast(8)", [
            _read("bands", COUNT, default="3"),
            _PRIOMAP,
            no_effect_key("multiqueue", "printed", also=("multiqueue:",)),
            no_effect_key("off", "printed"),
            no_effect_key("on", "printed"),
        ]),
        Qdisc("htb", "wfq or pq", "tc-htb(8)", [
            _read("default", default="0", why="the class of packets that no filter claims"),
            no_effect_key("r2q", "gives quanta to classes: turns here are by weight", 1, default="10"),
            no_effect_key("offload", "a property of the device"),
            no_effect_key("direct_packets_stat", "printed", 1),
            no_effect_key("direct_qlen", "printed: the limit of packets that pass unshaped", 1),
            no_effect_key("ver", "printed", 1),
        ]),
        Qdisc("gred", "wred", "tc(8)", [
            no_effect_key("setup", "the word before the number of virtual queues"),
            no_effect_key("vqs", "each virtual queue has its own line", 1, also=("DPs",)),
            no_effect_key("default", "here the precedence of a packet chooses the level", 1),
            Key("grio", KeyEffect.APPLIED, reason="one average for all; without it listed"),
            _read("limit", SIZE),
            Key("ecn", KeyEffect.APPLIED),
            no_effect_key("harddrop", "marks end at max"),
        ]),
        Qdisc("netem", "droptail", "tc-netem(8)", [
            _read("limit", default="1000"),
            Key("rate", KeyEffect.APPLIED, arity=GREEDY,
                reason="the rate of the link, and its framing; cells other than those of ATM are listed"),
            _of_link("delay", also=("latency",)),
            _of_link("distribution", 1),
            _of_link("loss", also=("drop",)),
            _of_link("duplicate"),
            lost_key("corrupt", "a damaged packet, which its receiver drops: a loss of the link", GREEDY),
            _of_link("reorder"),
            _of_link("gap", 1),
            lost_key("slot", "a link that serves in slots", GREEDY),
            lost_key("ecn", "losses of the link are not marked"),
            no_effect_key("seed", "runs have their own", 1),
        ]),
        Qdisc("mqprio", "", "tc-mqprio(8)", [
            lost_key("num_tc", "classes of traffic in hardware", kind=COUNT, default="1"),
            no_effect_key("tc", "printed", 1),
            no_effect_key("map", "the class of traffic of each priority", GREEDY),
            no_effect_key("queues", "the transmit queues of each class", GREEDY, also=("queues:",)),
            no_effect_key("hw", "whether the device does it", 1),
            *(lost_key(word, "the device's", GREEDY) for word in ("mode", "shaper", "min_rate", "max_rate", "fp")),
        ]),
        Qdisc("mq", "", "tc-mq(8)", []),
    )
}  # fmt: skip
"""Queues with classes by the name of their kind, and netem, which may have a queue below."""

CLASSES: Mapping[str, Qdisc] = {
    "htb": Qdisc("class of htb", "", "tc-htb(8)", [
        _read("rate", RATE, why="a weight; with several values of prio a rate"),
        _read("ceil", RATE, why="default: rate; below the rate of the link it is listed"),
        *_BURSTS,
        Key("cburst", KeyEffect.LOST, arity=1, reason="other than its default: the bucket of ceil"),
        _read("prio", COUNT, default="0"),
        Key("quantum", KeyEffect.LOST, arity=1, reason="turns are by weight"),
        *_FRAMING,
        no_effect_key("mtu", "the largest packet of tables that are no longer used", 1),
        no_effect_key("level", "printed", 1),
    ]),
}  # fmt: skip
"""Classes by the kind of their queue."""

ABSENT: Mapping[str, str] = {
    "hfsc": "service curves; htb is read as wfq or pq",
    "drr": "classes in turn; htb is read as wfq",
    "qfq": "classes in turn; htb is read as wfq",
    "ets": "strict and shared bands; prio is read as pq, htb as wfq or pq",
    "cbq": "classes by idle times; htb is read as wfq or pq",
    "multiq": "one band for each transmit queue",
    "hhf": "a separate queue for heavy hitters",
    "skbprio": "drops by socket priority",
    "cbs": "credits of audio and video bridging",
    "etf": "departure times set by the sender",
    "taprio": "gates by time of day",
    "plug": "holds packets until it is released",
    "blackhole": "drops everything",
    "dsmark": "marks packets for filters",
    "teql": "several devices in turn",
    "atm": "circuits of ATM",
}
"""Kinds of tc's queues that are not read, with their functions."""
