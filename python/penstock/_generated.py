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
    "Bernoulli",
    "Cbfq",
    "Cbq",
    "Class",
    "DropTail",
    "Fq",
    "Pq",
    "Psand",
    "Red",
    "Scfq",
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
        adapt: How the thresholds move.
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
    adapt: Literal["none"] = "none"
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
class Pq(Queue):
    """Priority Queueing.

    Attributes:
        classes: The classes, in the order in which they are asked for a packet that arrives.

    References: T. Alemu, Performance Evaluation of Quality of Service Mechanisms in the Internet, PhD thesis,
        Université Montpellier II, 2004
    """

    scheme: ClassVar[str] = "pq"

    classes: Sequence[Class]


@dataclass(frozen=True, kw_only=True)
class Fq(Queue):
    """Fair Queueing.

    Attributes:
        by: Whether queues take turns packet by packet, or so that each gets the same number of bits.
        classes: Classes to share between; without them, each flow is one.

    References: A. Demers, S. Keshav, S. Shenker, Analysis and Simulation of a Fair Queueing Algorithm, SIGCOMM 1989
    """

    scheme: ClassVar[str] = "fq"

    by: Literal["packet", "bit"] = "packet"
    classes: Sequence[Class] | None = None


@dataclass(frozen=True, kw_only=True)
class Cbfq(Queue):
    """Class-Based Fair Queueing.

    Attributes:
        classes: The classes, in the order in which they are asked for a packet that arrives.

    References: T. Alemu, Performance Evaluation of Quality of Service Mechanisms in the Internet, PhD thesis,
        Université Montpellier II, 2004
    """

    scheme: ClassVar[str] = "cbfq"

    classes: Sequence[Class]


@dataclass(frozen=True, kw_only=True)
class Wfq(Queue):
    """Weighted Fair Queueing.

    Attributes:
        classes: The classes, in the order in which they are asked for a packet that arrives.

    References: A. Parekh, R. Gallager, A Generalized Processor Sharing Approach to Flow Control, IEEE/ACM ToN 1(3),
        1993
    """

    scheme: ClassVar[str] = "wfq"

    classes: Sequence[Class]


@dataclass(frozen=True, kw_only=True)
class Scfq(Queue):
    """Self-Clocked Fair Queueing.

    Attributes:
        classes: The classes, in the order in which they are asked for a packet that arrives.

    References: S. Golestani, A Self-Clocked Fair Queueing Scheme for Broadband Applications, INFOCOM 1994
    """

    scheme: ClassVar[str] = "scfq"

    classes: Sequence[Class]


@dataclass(frozen=True, kw_only=True)
class Wf2q(Queue):
    """Worst-case fair Weighted Fair Queueing.

    Attributes:
        classes: The classes, in the order in which they are asked for a packet that arrives.

    References: J. Bennett, H. Zhang, WF2Q: Worst-case Fair Weighted Fair Queueing, INFOCOM 1996
    """

    scheme: ClassVar[str] = "wf2q"

    classes: Sequence[Class]


@dataclass(frozen=True, kw_only=True)
class Cbq(Queue):
    """Class-Based Queueing.

    Attributes:
        classes: The classes, in the order in which they are asked for a packet that arrives.

    References: S. Floyd, V. Jacobson, Link-sharing and Resource Management Models for Packet Networks, IEEE/ACM ToN
        3(4), 1995
    """

    scheme: ClassVar[str] = "cbq"

    classes: Sequence[Class]


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
    "pq": Pq,
    "fq": Fq,
    "cbfq": Cbfq,
    "wfq": Wfq,
    "scfq": Scfq,
    "wf2q": Wf2q,
    "cbq": Cbq,
}
