"""One class for each queue scheme, and one for TCP traffic. Made by `make gen`; do not edit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from penstock.elements import Queue, Traffic

__all__ = ["AredFeng", "AredFloyd", "Bernoulli", "DropTail", "Psand", "Red", "SCHEMES", "Tcp"]


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
        min_th: Average queue from which on packets are dropped. Unit: packets. From 0 to 1.79769e+308.
        max_th: Average queue at which the drop probability reaches max_p. Unit: packets. From 0 to
            1.79769e+308.
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
        interval: Time between steps. Unit: s. From 0.001 to 1.79769e+308.
        max_p_low: No step down from below this max_p. From 0 to 1.
        max_p_high: No step up from above this max_p. From 0 to 1.
        tick: Whether a timer or an arrival takes the step.
        gentle_from: Where the gentle ramp starts while max_p moves.
        min_th: Average queue from which on packets are dropped. Unit: packets. From 0 to 1.79769e+308.
        max_th: Average queue at which the drop probability reaches max_p. Unit: packets. From 0 to
            1.79769e+308.
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
        min_th: Average queue from which on packets are dropped. Unit: packets. From 0 to 1.79769e+308.
        max_th: Average queue at which the drop probability reaches max_p. Unit: packets. From 0 to
            1.79769e+308.
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

    alpha: float | str = 3.0
    beta: float | str = 2.0
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
        target: Wanted average queue KT. Unit: packets. From 0 to 1.79769e+308.
        interval: Time between steps of max_p. Unit: s. From 0.001 to 1.79769e+308.
        coef: Factor of each step. From 0 to 1000.
        gamma: Power of proximity times change in each step. From 0 to 100.
        max_p_low: Smallest max_p. From 0 to 1.
        max_p_high: Largest max_p. From 0 to 1.
        min_th: Average queue from which on packets are dropped; "auto" follows from the target. Unit: packets.
            From 0 to 1.79769e+308.
        max_th: Average queue at which the drop probability reaches max_p; "auto" follows from the target. Unit:
            packets. From 0 to 1.79769e+308.
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
class Tcp(Traffic):
    """TCP flows; what is left out (None) is the profile's.

    Attributes:
        profile: Bundle of defaults for all other keys.
        flavour: stub
        window: stub
        packets: stub
        bytes: stub
        packet: stub
        headers: stub
        ack_size: stub
        sack_block_size: stub
        sack_blocks: stub
        min_rto: stub
        max_rto: stub
        initial_rto: stub
        tick: stub
        phase: stub
        initial_window: stub
        initial_ssthresh: stub
        delayed_ack: stub
        ecn: stub
        syn: stub
        limited_transmit: stub
        timestamps: stub
        dupack_threshold: stub
        recovery: stub
        halving: stub
        impatient: stub
        deflation: stub
        alpha: stub
        beta: stub
        gamma: stub
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
    initial_ssthresh: int | None = None
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
}
