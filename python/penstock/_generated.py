"""One class for each queue scheme, and one for TCP traffic. Made by `make gen`; do not edit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from penstock.elements import ClassElement, Queue, Traffic

__all__ = [
    "SCHEMES",
    "AredFeng",
    "AredFloyd",
    "Avq",
    "Bernoulli",
    "Cbfq",
    "Cbq",
    "Class",
    "DropTail",
    "Lred",
    "P",
    "Pi",
    "Psand",
    "Red",
    "Sfc",
    "Tcp",
    "Wf2q",
    "Wfq",
]


@dataclass(frozen=True, kw_only=True)
class Class(ClassElement):
    """A class of packets of a scheduler; each scheduler, named in brackets, takes some of the keys.

    Attributes:
        priority: (pq) Priority of the class, 0 the highest; without it, its place in the list. From 0 to 1e+06.
        rate: (pq) Rate up to which the class has its priority; without it, always. Unit: bit/s. From 1 to
            1e+13.
        burst: (pq, cbq) How much may come at once and still have priority; 20 packets unless it is given. Unit:
            packets. At least 0.
        limit: (pq, fq, cbfq, wfq, scfq, wf2q, cbq) Limit of the class's own queue, besides that of all. Unit:
            packets. At least 0.
        share: (cbfq, wfq, scfq, wf2q, cbq) Share of the link's rate; those of all classes are at most 1
            together. From 1e-06 to 1.
        weight: (wfq, scfq, wf2q) Weight of the class: its part of the link is this over the sum of the weights
            of the backlogged classes. 1 unless it or share is given. From 1e-06 to 1e+06.
        mean_packet: (cbq) Mean size of the class's packets, which makes packets in a turn out of its share.
            Unit: bytes. From 1 to 65535.
    """

    priority: int | None = None
    rate: str | None = None
    burst: float | str | None = None
    limit: float | str | None = None
    share: float | str | None = None
    weight: float | str | None = None
    mean_packet: str | None = None


@dataclass(frozen=True, kw_only=True)
class DropTail(Queue):
    """Drop-tail.

    References: the first-in-first-out queue of every router
    """

    scheme: ClassVar[str] = "droptail"


@dataclass(frozen=True, kw_only=True)
class Bernoulli(Queue):
    """Bernoulli.

    Attributes:
        p: Probability of dropping or marking an arriving packet. From 0 to 1.
        ecn: Mark ECN-capable packets instead of dropping them.

    References: J. Chung, M. Claypool, Analysis of Active Queue Management, IEEE NCA 2003
    """

    scheme: ClassVar[str] = "bernoulli"

    p: float | str
    ecn: bool = False


@dataclass(frozen=True, kw_only=True)
class Red(Queue):
    """Random Early Detection.

    Attributes:
        min_th: Average queue from which on packets are dropped. Unit: packets. At least 0.
        max_th: Average queue at which the drop probability reaches max_p. Unit: packets. At least 0.
        max_p: Drop probability at max_th. From 0 to 1.
        w_q: Weight of one arrival in the average queue; "auto" gives a time constant of one second. From 0 to
            1.
        gentle: Let the probability rise from max_p to 1 above max_th, instead of jumping there.
        gentle_top: Where the gentle ramp reaches 1.
        spacing: How drops are spaced.
        guards: No drop by the average while at most one packet waits, nor of the first packet above min_th
            (ns-2).
        mean_packet: Typical packet, for the idle time and for w_q "auto". Unit: bytes. From 1 to 1e+09.
        measure_in: Whether queue and thresholds count packets or bytes.
        ecn: Mark ECN-capable packets instead of dropping them early.
        mark_up_to: Up to where packets are marked.

    References: S. Floyd, V. Jacobson, Random Early Detection Gateways for Congestion Avoidance, IEEE/ACM Trans.
        Networking 1(4), 1993
    """

    scheme: ClassVar[str] = "red"

    min_th: float | str = "5p"
    max_th: float | str = "15p"
    max_p: float | str = 0.1
    w_q: float | str = "auto"
    gentle: bool = False
    gentle_top: Literal["2max_th", "buffer"] = "2max_th"
    spacing: Literal["wait", "count", "none"] = "wait"
    guards: bool = True
    mean_packet: str = "1000B"
    measure_in: Literal["packets", "bytes"] = "packets"
    ecn: bool = False
    mark_up_to: Literal["max_th", "top"] = "max_th"


@dataclass(frozen=True, kw_only=True)
class AredFloyd(Queue):
    """Adaptive RED (Floyd).

    Attributes:
        alpha: Largest step up of max_p, which is also at most a quarter of it. From 0 to 1.
        beta: Factor of a step down of max_p. From 0 to 1.
        interval: Time between steps. Unit: s. At least 0.001.
        max_p_low: No step down from below this max_p. From 0 to 1.
        max_p_high: No step up from above this max_p. From 0 to 1.
        tick: Whether a timer or an arrival takes the step.
        gentle_from: Where the gentle ramp starts while max_p moves.
        min_th: Average queue from which on packets are dropped. Unit: packets. At least 0.
        max_th: Average queue at which the drop probability reaches max_p. Unit: packets. At least 0.
        max_p: Drop probability at max_th. From 0 to 1.
        w_q: Weight of one arrival in the average queue; "auto" gives a time constant of one second. From 0 to
            1.
        gentle: Let the probability rise from max_p to 1 above max_th, instead of jumping there.
        gentle_top: Where the gentle ramp reaches 1.
        spacing: How drops are spaced.
        guards: No drop by the average while at most one packet waits, nor of the first packet above min_th
            (ns-2).
        mean_packet: Typical packet, for the idle time and for w_q "auto". Unit: bytes. From 1 to 1e+09.
        measure_in: Whether queue and thresholds count packets or bytes.
        ecn: Mark ECN-capable packets instead of dropping them early.
        mark_up_to: Up to where packets are marked.

    References: S. Floyd, R. Gummadi, S. Shenker, Adaptive RED: An Algorithm for Increasing the Robustness of RED's
        Active Queue Management, 2001
    """

    scheme: ClassVar[str] = "ared-floyd"

    alpha: float | str = 0.01
    beta: float | str = 0.9
    interval: str = "500ms"
    max_p_low: float | str = 0.01
    max_p_high: float | str = 0.5
    tick: Literal["timer", "arrival"] = "timer"
    gentle_from: Literal["first", "current"] = "first"
    min_th: float | str = "5p"
    max_th: float | str = "15p"
    max_p: float | str = 0.1
    w_q: float | str = "auto"
    gentle: bool = True
    gentle_top: Literal["2max_th", "buffer"] = "2max_th"
    spacing: Literal["wait", "count", "none"] = "wait"
    guards: bool = True
    mean_packet: str = "1000B"
    measure_in: Literal["packets", "bytes"] = "packets"
    ecn: bool = False
    mark_up_to: Literal["max_th", "top"] = "max_th"


@dataclass(frozen=True, kw_only=True)
class AredFeng(Queue):
    """Adaptive RED (Feng).

    Attributes:
        alpha: Divides max_p when the average falls below min_th. From 1 to 1000.
        beta: Multiplies max_p when the average rises above max_th. From 1 to 1000.
        gentle_from: Where the gentle ramp starts while max_p moves.
        min_th: Average queue from which on packets are dropped. Unit: packets. At least 0.
        max_th: Average queue at which the drop probability reaches max_p. Unit: packets. At least 0.
        max_p: Drop probability at max_th. From 0 to 1.
        w_q: Weight of one arrival in the average queue; "auto" gives a time constant of one second. From 0 to
            1.
        gentle: Let the probability rise from max_p to 1 above max_th, instead of jumping there.
        gentle_top: Where the gentle ramp reaches 1.
        spacing: How drops are spaced.
        guards: No drop by the average while at most one packet waits, nor of the first packet above min_th
            (ns-2).
        mean_packet: Typical packet, for the idle time and for w_q "auto". Unit: bytes. From 1 to 1e+09.
        measure_in: Whether queue and thresholds count packets or bytes.
        ecn: Mark ECN-capable packets instead of dropping them early.
        mark_up_to: Up to where packets are marked.

    References: W. Feng, D. Kandlur, D. Saha, K. Shin, A Self-Configuring RED Gateway, IEEE INFOCOM 1999
    """

    scheme: ClassVar[str] = "ared-feng"

    alpha: float | str = 3
    beta: float | str = 2
    gentle_from: Literal["first", "current"] = "first"
    min_th: float | str = "5p"
    max_th: float | str = "15p"
    max_p: float | str = 0.02
    w_q: float | str = "auto"
    gentle: bool = True
    gentle_top: Literal["2max_th", "buffer"] = "2max_th"
    spacing: Literal["wait", "count", "none"] = "wait"
    guards: bool = True
    mean_packet: str = "1000B"
    measure_in: Literal["packets", "bytes"] = "packets"
    ecn: bool = False
    mark_up_to: Literal["max_th", "top"] = "max_th"


@dataclass(frozen=True, kw_only=True)
class Psand(Queue):
    """PSAND.

    Attributes:
        target: Wanted average queue KT. Unit: packets. At least 0.
        interval: Time between steps of max_p. Unit: s. At least 0.001.
        coef: Factor of each step. From 0 to 1000.
        gamma: Power of proximity times change in each step. From 0 to 100.
        max_p_low: Smallest max_p. From 0 to 1.
        max_p_high: Largest max_p. From 0 to 1.
        min_th: Average queue from which on packets are dropped; "auto" follows from the target. Unit: packets.
            At least 0.
        max_th: Average queue at which the drop probability reaches max_p; "auto" follows from the target. Unit:
            packets. At least 0.
        max_p: Drop probability at max_th at first; "auto" is 0.1, and 1 for `adapt = "sandwich"`. From 0 to 1.
        adapt: How the thresholds move.
        smooth_alpha: How much the thresholds stay where they are: 0 moves them by the whole change of the
            average, 1 not at all. From 0 to 1.
        w_q: Weight of one arrival in the average queue; "auto" gives a time constant of one second. From 0 to
            1.
        gentle: Let the probability rise from max_p to 1 above max_th, instead of jumping there.
        gentle_top: Where the gentle ramp reaches 1.
        spacing: How drops are spaced.
        guards: No drop by the average while at most one packet waits, nor of the first packet above min_th
            (ns-2).
        mean_packet: Typical packet, for the idle time and for w_q "auto". Unit: bytes. From 1 to 1e+09.
        measure_in: Whether queue and thresholds count packets or bytes.
        ecn: Mark ECN-capable packets instead of dropping them early.
        mark_up_to: Up to where packets are marked.

    References: T. Alemu, Performance Evaluation of Quality of Service Mechanisms in the Internet, PhD thesis,
        Universite Montpellier II, 2004
    """

    scheme: ClassVar[str] = "psand"

    target: float | str = "10p"
    interval: str = "500ms"
    coef: float | str = 1.75
    gamma: float | str = 1.5
    max_p_low: float | str = 0.01
    max_p_high: float | str = 0.75
    min_th: float | str = "auto"
    max_th: float | str = "auto"
    max_p: float | str = "auto"
    adapt: Literal[
        "none", "max-down", "max-up", "squeeze", "spread", "shift-up", "shift-down", "pseudo-drop-tail", "sandwich"
    ] = "none"
    smooth_alpha: float | str = 0
    w_q: float | str = "auto"
    gentle: bool = True
    gentle_top: Literal["2max_th", "buffer"] = "2max_th"
    spacing: Literal["wait", "count", "none"] = "wait"
    guards: bool = True
    mean_packet: str = "1000B"
    measure_in: Literal["packets", "bytes"] = "packets"
    ecn: bool = False
    mark_up_to: Literal["max_th", "top"] = "max_th"


@dataclass(frozen=True, kw_only=True)
class P(Queue):
    """Proportional controller (P).

    Attributes:
        min_th: Queue from which on packets are dropped. Unit: packets. At least 0.
        max_th: Queue at which the drop probability is max_p; "auto" follows from flows, round-trip time and
            rate. Unit: packets. At least 0.
        max_p: Drop probability at max_th. From 0 to 1.
        mean_packet: Typical packet, for lengths in bytes and for "auto". Unit: bytes. From 1 to 1e+09.
        ecn: Mark ECN-capable packets instead of dropping them.

    References: C. Hollot, V. Misra, D. Towsley, W. Gong, On Designing Improved Controllers for AQM Routers
        Supporting TCP Flows, INFOCOM 2001
    """

    scheme: ClassVar[str] = "p"

    min_th: float | str = "5p"
    max_th: float | str = "15p"
    max_p: float | str = 0.1
    mean_packet: str = "1000B"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True)
class Pi(Queue):
    """Proportional-integral controller (PI).

    Attributes:
        target: Wanted queue KT. Unit: packets. At least 0.
        a: Gain of the queue now, per packet; "auto" follows from flows, round-trip time and rate. From 0 to 1.
        b: Gain of the queue one interval ago, per packet; "auto" follows from flows, round-trip time and rate.
            From 0 to 1.
        interval: Time between steps of p; by default a 170th of a second. Unit: s. At least 0.0001.
        mean_packet: Typical packet, for a target in time or bytes and for "auto". Unit: bytes. From 1 to 1e+09.
        ecn: Mark ECN-capable packets instead of dropping them.

    References: C. Hollot, V. Misra, D. Towsley, W. Gong, On Designing Improved Controllers for AQM Routers
        Supporting TCP Flows, INFOCOM 2001
    """

    scheme: ClassVar[str] = "pi"

    target: float | str = "10p"
    a: float | str = 0.000344519
    b: float | str = 0.000343499
    interval: str = "5.882353ms"
    mean_packet: str = "1000B"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True)
class Avq(Queue):
    """Adaptive virtual queue (AVQ).

    Attributes:
        gamma: Wanted utilization. From 0 to 1.
        alpha: Damping of the virtual capacity; "auto" follows from flows, round-trip time and rate. From 0 to
            1000.
        buffer: Room in the virtual queue; "auto" is the limit of the queue. Unit: packets. At least 0.
        initial: Virtual capacity at first, as a share of the link's; "auto" is gamma. From 0 to 1.
        on_drop: What a packet that is dropped does to the virtual queue and its capacity.
        cap: Whether the link's capacity limits the virtual one before a packet is charged or after it.
        measure_in: Whether the virtual queue counts packets or bytes.
        mean_packet: Typical packet. Unit: bytes. From 1 to 1e+09.
        ecn: Mark ECN-capable packets instead of dropping them.

    References: S. Kunniyur, R. Srikant, Analysis and Design of an Adaptive Virtual Queue (AVQ) Algorithm for Active
        Queue Management, SIGCOMM 2001
    """

    scheme: ClassVar[str] = "avq"

    gamma: float | str = 0.98
    alpha: float | str = 0.15
    buffer: float | str = "auto"
    initial: float | str = "auto"
    on_drop: Literal["refill", "charge", "skip"] = "refill"
    cap: Literal["before", "after"] = "before"
    measure_in: Literal["packets", "bytes"] = "packets"
    mean_packet: str = "1000B"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True)
class Lred(Queue):
    """Loss-ratio based RED (LRED).

    Attributes:
        target: Wanted queue KT. Unit: packets. At least 0.
        beta: Gain of the queue; "auto" follows from flows, round-trip time and rate. From 0 to 1000.
        interval: Time between measurements of the loss ratio. Unit: s. At least 0.001.
        periods: Intervals that a measurement spans. From 1 to 1000.
        mw: Weight of the loss ratio so far against a measurement. From 0 to 1.
        mean_packet: Typical packet, for a target in time or bytes and for "auto". Unit: bytes. From 1 to 1e+09.
        ecn: Mark ECN-capable packets instead of dropping them.

    References: C. Wang, B. Li, Y. Hou, K. Sohraby, Y. Lin, LRED: A Robust Active Queue Management Scheme Based on
        Packet Loss Ratio, INFOCOM 2004
    """

    scheme: ClassVar[str] = "lred"

    target: float | str = "10p"
    beta: float | str = 0.021
    interval: str = "200ms"
    periods: int = 4
    mw: float | str = 0.1
    mean_packet: str = "1000B"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True)
class Sfc(Queue):
    """State feedback controller (SFC).

    Attributes:
        target: Wanted queue KT. Unit: packets. At least 0.
        p0: Probability at equilibrium; "auto" follows from flows, round-trip time and rate. From 0 to 1.
        k1: Gain of the queue, per packet; "auto" follows from flows, round-trip time and rate. From 0 to 1000.
        k2: Gain of the rate, relative to the capacity; "auto" follows from flows, round-trip time and rate.
            From 0 to 1000.
        interval: Time over which the rate of the arrivals is averaged: about a round trip. Unit: s. At least
            0.0001.
        mean_packet: Typical packet, for the capacity, and for a target in time or bytes. Unit: bytes. From 1 to
            1e+09.
        ecn: Mark ECN-capable packets instead of dropping them.

    References: Y. Gao, J. Hou, A State Feedback Control Approach to Stabilizing Queues for ECN-Enabled TCP
        Connections, INFOCOM 2003
    """

    scheme: ClassVar[str] = "sfc"

    target: float | str = "10p"
    p0: float | str = 0
    k1: float | str = 0.002
    k2: float | str = 0.02
    interval: str = "200ms"
    mean_packet: str = "1000B"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True)
class Tcp(Traffic):
    """TCP flows; what is left out (None) is the profile's.

    Attributes:
        profile: Bundle of defaults for all other keys.
        flavour: Congestion control of the sender.
        window: Window of the receiver: never more than this outstanding. Unit: packets. From 1 to 1e+08.
        packets: Length of the transfer in data packets; endless if neither this nor bytes is given. Unit:
            packets. From 1 to 4e+09.
        bytes: Length of the transfer in bytes; ns-2's rules fill up the last packet. Unit: bytes. From 1 to
            4e+18.
        packet: User data in a packet. Unit: bytes. From 1 to 65535.
        headers: Headers added to each data packet. Unit: bytes. From 0 to 1000.
        ack_size: Size of an acknowledgement and of the opening packet. Unit: bytes. From 1 to 1500.
        sack_block_size: What each SACK block adds to an acknowledgement. Unit: bytes. From 0 to 100.
        sack_blocks: At most so many SACK blocks in an acknowledgement. From 1 to 4.
        min_rto: Least retransmission timeout; RFC 6298 says 1 s. Unit: s. From 0 to 10000.
        max_rto: Greatest retransmission timeout, back-off included. Unit: s. From 0 to 10000.
        initial_rto: Retransmission timeout before the first round trip is measured (RFC 6298: 1 s). Unit: s.
            From 0 to 10000.
        tick: Granularity of the clock that measures round trips; 0 s is exact. Unit: s. From 0 to 10.
        phase: How long before the start of the run the coarse clock ticked; "ns2": as for the first agent of an
            ns-2 run with the default seed. Unit: s. From 0 to 10.
        initial_window: Initial congestion window (RFC 6928: 10). Unit: packets. From 1 to 1e+06.
        initial_ssthresh: Initial slow start threshold. Unit: packets. From 2 to 1e+09.
        delayed_ack: How long an acknowledgement may wait for a second packet (RFC 1122: below 0.5 s). Unit: s.
            From 0 to 0.5.
        ecn: Explicit congestion notification (RFC 3168).
        syn: The flow opens with a packet of `ack_size` bytes that is answered before data is sent; Vegas sends
            a data packet instead.
        limited_transmit: The duplicate acknowledgements before a fast retransmit release new packets (RFC
            3042).
        timestamps: Every acknowledgement gives a round trip (RFC 7323); otherwise one packet a window is timed,
            never a retransmission (Karn).
        dupack_threshold: Duplicate acknowledgements that mean a loss. From 1 to 1000.
        recovery: Loss recovery as in ns-2.35, or by RFC 5681, 6582 and 6675.
        halving: What a loss halves: the window in use as a real or a whole number, or the packets in flight.
        impatient: NewReno: only the first partial acknowledgement restarts the timer (RFC 6582, section 4).
        deflation: NewReno: a partial acknowledgement takes what it acknowledges out of the inflated window.
        alpha: Vegas: the window grows while fewer extra packets than this are in the network. Unit: packets.
            From 0 to 1e+06.
        beta: Vegas: the window shrinks while more extra packets than this are in the network. Unit: packets.
            From 0 to 1e+06.
        gamma: Vegas: more extra packets than this in the network end slow start. Unit: packets. From 0 to
            1e+06.
    """

    kind: ClassVar[str] = "tcp"

    profile: Literal["ns2", "ns2-2001", "ns2-2003", "linux"] = "ns2"
    flavour: Literal["tahoe", "reno", "newreno", "sack", "vegas"] | None = None
    window: int | None = None
    packets: int | None = None
    bytes: str | None = None
    packet: str | None = None
    headers: str | None = None
    ack_size: str | None = None
    sack_block_size: str | None = None
    sack_blocks: int | None = None
    min_rto: str | None = None
    max_rto: str | None = None
    initial_rto: str | None = None
    tick: str | None = None
    phase: str | None = None
    initial_window: float | str | None = None
    initial_ssthresh: int | str | None = None
    delayed_ack: str | bool | None = None
    ecn: bool | None = None
    syn: bool | None = None
    limited_transmit: bool | None = None
    timestamps: bool | None = None
    dupack_threshold: int | None = None
    recovery: Literal["ns2", "rfc"] | None = None
    halving: Literal["real", "whole", "flight"] | None = None
    impatient: bool | None = None
    deflation: bool | None = None
    alpha: float | str | None = None
    beta: float | str | None = None
    gamma: float | str | None = None


SCHEMES: dict[str, type[Queue]] = {
    "droptail": DropTail,
    "bernoulli": Bernoulli,
    "red": Red,
    "ared-floyd": AredFloyd,
    "ared-feng": AredFeng,
    "psand": Psand,
    "p": P,
    "pi": Pi,
    "avq": Avq,
    "lred": Lred,
    "sfc": Sfc,
}
