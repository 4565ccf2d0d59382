"""One class for each queue scheme, and one for TCP traffic. Made by `make gen`; do not edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from penstock.aqms.queue import ClassElement, Queue
from penstock.scenario.elements import Traffic, Value

__all__ = [
    "SCHEMES",
    "Afd",
    "AredFeng",
    "AredFloyd",
    "Avq",
    "Bernoulli",
    "Blue",
    "Bred",
    "Cake",
    "Cbfq",
    "Cbq",
    "CbtRed",
    "Choke",
    "Class",
    "CoDel",
    "Cobalt",
    "CurvyRed",
    "DropFront",
    "DropTail",
    "Drr",
    "Dsdrr",
    "Dsred",
    "Dtdrr",
    "DualCurvyRed",
    "DualPi2",
    "FbRed",
    "Fq",
    "FqCoDel",
    "FqPie",
    "Fred",
    "Green",
    "Lred",
    "Nonlinear",
    "P",
    "Pi",
    "Pi2",
    "Pie",
    "Pq",
    "Psand",
    "PushOut",
    "Qlaw",
    "Qsdrr",
    "Ras",
    "Red",
    "Rem",
    "Rio",
    "Scfq",
    "Sfb",
    "Sfc",
    "Sfq",
    "Shaper",
    "Sred",
    "Tcp",
    "Tdrr",
    "Wf2q",
    "Wfq",
    "Wred",
    "WredDfq",
    "Wrt",
    "Xred",
]


@dataclass(frozen=True, kw_only=True, repr=False)
class Class(ClassElement):
    """A class of packets of a scheduler; the schedulers that use a key are named in brackets.

    Attributes:
        priority: (pq) Priority of the class, 0 being the highest; by default its position in the list. From 0
            to 1e+06.
        rate: (pq) Rate up to which the class has priority; absent: no bound. Unit: bit/s. From 1 to 1e+13.
        burst: (pq, cbq) Burst that may still have priority; by default 20 packets. Unit: packets. At least 0.
        limit: (pq, fq, cbfq, wfq, scfq, wf2q, cbq) Limit of the class's own queue, in addition to the shared
            limit. Unit: packets. At least 0.
        share: (cbfq, wfq, scfq, wf2q, cbq) Share of the link's rate; the sum over all classes is at most 1.
            From 1e-06 to 1.
        weight: (wfq, scfq, wf2q) Weight of the class: its share of the link is its weight divided by the sum of
            the weights of the backlogged classes. Default: 1, unless share is given. From 1e-06 to 1e+06.
        mean_packet: (cbq) Mean size of the class's packets, which converts its share to packets or bytes per
            turn. Unit: bytes. From 1 to 65535.
    """

    priority: int | None = None
    rate: float | str | None = None
    burst: float | str | None = None
    limit: float | str | None = None
    share: float | str | None = None
    weight: float | str | None = None
    mean_packet: str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class DropTail(Queue):
    """Drop-tail.

    References:
        the first-in-first-out queue of every router
    """

    scheme: ClassVar[str] = "droptail"


@dataclass(frozen=True, kw_only=True, repr=False)
class Bernoulli(Queue):
    """Bernoulli.

    Attributes:
        p: Probability of dropping or marking an arriving packet. From 0 to 1.
        ecn: Mark ECN-capable packets instead of dropping them.

    References:
        J. Chung, M. Claypool, Analysis of Active Queue Management, IEEE NCA 2003
    """

    scheme: ClassVar[str] = "bernoulli"

    p: float | str
    ecn: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class Red(Queue):
    """Random Early Detection.

    Attributes:
        min_th: Average queue above which packets are dropped early; "auto" is 2.5 ms at the rate of the link,
            at least 5 packets. Unit: packets. At least 0.
        max_th: Average queue at which the drop probability reaches max_p; "auto" is three times min_th. Unit:
            packets. At least 0.
        max_p: Drop probability at max_th. From 0 to 1.
        w_q: Weight of one arrival in the average queue. "auto" gives a time constant of one second, "auto_rtt"
            of ten round trips, "auto_fast" of 0.1 s. From 0 to 1.
        gentle: Let the probability rise from max_p to 1 above max_th, instead of jumping there.
        gentle_top: Where the gentle ramp reaches 1.
        nonlinear: Nonlinear RED: the probability rises with the square of the average to 1.5 max_p at max_th.
        spacing: How drops are spaced.
        scale_by_size: How the drop probability depends on the size of the packet.
        guards: No early or forced drop while at most one packet (one byte, if measured in bytes) waits, and
            none of the first packet above min_th (ns-2).
        mean_packet: Typical packet size, for the idle time and for w_q "auto". Unit: bytes. From 1 to 1e+09.
        measure_in: Measure queue and thresholds in packets or in bytes.
        whole_average: At each arrival, subtract w_q floor(avg) from avg instead of w_q avg (Linux).
        ecn: Mark ECN-capable packets instead of dropping them early.
        mark_up_to: The range of the average in which packets are marked.

    References:
        S. Floyd, V. Jacobson, Random Early Detection Gateways for Congestion Avoidance, IEEE/ACM Trans.
        Networking 1(4), 1993
    """

    scheme: ClassVar[str] = "red"

    min_th: float | str = "5p"
    max_th: float | str = "15p"
    max_p: float | str = 0.1
    w_q: float | str = "auto"
    gentle: bool = False
    gentle_top: Literal["2max_th", "buffer"] = "2max_th"
    nonlinear: bool = False
    spacing: Literal["wait", "count", "none", "section4", "no_wait", "once"] = "wait"
    scale_by_size: Literal["never", "p_b", "p_a"] = "never"
    guards: bool = True
    mean_packet: str = "1000B"
    measure_in: Literal["packets", "bytes"] = "packets"
    whole_average: bool = False
    ecn: bool = False
    mark_up_to: Literal["max_th", "max_p", "top", "always"] = "max_th"


@dataclass(frozen=True, kw_only=True, repr=False)
class AredFloyd(Queue):
    """Adaptive RED (Floyd).

    Attributes:
        alpha: Largest increase of max_p per step; a step is also at most a quarter of max_p. From 0 to 1.
        beta: Factor by which max_p decreases in a step. From 0 to 1.
        interval: Time between steps. Unit: s. At least 0.001.
        max_p_low: max_p does not decrease below this value, except by the step that crosses it. From 0 to 1.
        max_p_high: max_p does not increase above this value, except by the step that crosses it. From 0 to 1.
        tick: Whether a timer or an arrival triggers the step.
        gentle_from: Start of the gentle ramp: at the initial or at the current max_p.
        min_th: Average queue above which packets are dropped early; "auto" is 2.5 ms at the rate of the link,
            at least 5 packets. Unit: packets. At least 0.
        max_th: Average queue at which the drop probability reaches max_p; "auto" is three times min_th. Unit:
            packets. At least 0.
        max_p: Drop probability at max_th. From 0 to 1.
        w_q: Weight of one arrival in the average queue. "auto" gives a time constant of one second, "auto_rtt"
            of ten round trips, "auto_fast" of 0.1 s. From 0 to 1.
        gentle: Let the probability rise from max_p to 1 above max_th, instead of jumping there.
        gentle_top: Where the gentle ramp reaches 1.
        nonlinear: Nonlinear RED: the probability rises with the square of the average to 1.5 max_p at max_th.
        spacing: How drops are spaced.
        scale_by_size: How the drop probability depends on the size of the packet.
        guards: No early or forced drop while at most one packet (one byte, if measured in bytes) waits, and
            none of the first packet above min_th (ns-2).
        mean_packet: Typical packet size, for the idle time and for w_q "auto". Unit: bytes. From 1 to 1e+09.
        measure_in: Measure queue and thresholds in packets or in bytes.
        whole_average: At each arrival, subtract w_q floor(avg) from avg instead of w_q avg (Linux).
        ecn: Mark ECN-capable packets instead of dropping them early.
        mark_up_to: The range of the average in which packets are marked.

    References:
        S. Floyd, R. Gummadi, S. Shenker, Adaptive RED: An Algorithm for Increasing the Robustness of RED's
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
    nonlinear: bool = False
    spacing: Literal["wait", "count", "none", "section4", "no_wait", "once"] = "wait"
    scale_by_size: Literal["never", "p_b", "p_a"] = "never"
    guards: bool = True
    mean_packet: str = "1000B"
    measure_in: Literal["packets", "bytes"] = "packets"
    whole_average: bool = False
    ecn: bool = False
    mark_up_to: Literal["max_th", "max_p", "top", "always"] = "max_th"


@dataclass(frozen=True, kw_only=True, repr=False)
class AredFeng(Queue):
    """Adaptive RED (Feng).

    Attributes:
        alpha: Divides max_p when the average falls below min_th. From 1 to 1000.
        beta: Multiplies max_p when the average rises above max_th. From 1 to 1000.
        gentle_from: Start of the gentle ramp: at the initial or at the current max_p.
        min_th: Average queue above which packets are dropped early; "auto" is 2.5 ms at the rate of the link,
            at least 5 packets. Unit: packets. At least 0.
        max_th: Average queue at which the drop probability reaches max_p; "auto" is three times min_th. Unit:
            packets. At least 0.
        max_p: Drop probability at max_th. From 0 to 1.
        w_q: Weight of one arrival in the average queue. "auto" gives a time constant of one second, "auto_rtt"
            of ten round trips, "auto_fast" of 0.1 s. From 0 to 1.
        gentle: Let the probability rise from max_p to 1 above max_th, instead of jumping there.
        gentle_top: Where the gentle ramp reaches 1.
        nonlinear: Nonlinear RED: the probability rises with the square of the average to 1.5 max_p at max_th.
        spacing: How drops are spaced.
        scale_by_size: How the drop probability depends on the size of the packet.
        guards: No early or forced drop while at most one packet (one byte, if measured in bytes) waits, and
            none of the first packet above min_th (ns-2).
        mean_packet: Typical packet size, for the idle time and for w_q "auto". Unit: bytes. From 1 to 1e+09.
        measure_in: Measure queue and thresholds in packets or in bytes.
        whole_average: At each arrival, subtract w_q floor(avg) from avg instead of w_q avg (Linux).
        ecn: Mark ECN-capable packets instead of dropping them early.
        mark_up_to: The range of the average in which packets are marked.

    References:
        W. Feng, D. Kandlur, D. Saha, K. Shin, A Self-Configuring RED Gateway, IEEE INFOCOM 1999
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
    nonlinear: bool = False
    spacing: Literal["wait", "count", "none", "section4", "no_wait", "once"] = "wait"
    scale_by_size: Literal["never", "p_b", "p_a"] = "never"
    guards: bool = True
    mean_packet: str = "1000B"
    measure_in: Literal["packets", "bytes"] = "packets"
    whole_average: bool = False
    ecn: bool = False
    mark_up_to: Literal["max_th", "max_p", "top", "always"] = "max_th"


@dataclass(frozen=True, kw_only=True, repr=False)
class Psand(Queue):
    """PSAND.

    Attributes:
        target: Target average queue KT. Unit: packets. At least 0.
        interval: Time between steps of max_p. Unit: s. At least 0.001.
        coef: Factor of each step. From 0 to 1000.
        gamma: Exponent of proximity times change in each step. From 0 to 100.
        max_p_low: Smallest max_p. From 0 to 1.
        max_p_high: Largest max_p. From 0 to 1.
        min_th: Average queue from which packets are dropped early; "auto" derives it from the target. Unit:
            packets. At least 0.
        max_th: Average queue at which the drop probability reaches max_p; "auto" derives it from the target.
            Unit: packets. At least 0.
        max_p: Initial drop probability at max_th; "auto" is 0.1, and 1 for `adapt = "sandwich"`. From 0 to 1.
        gentle_from: Whether line and ramp of the drop function follow max_p and the thresholds.
        zero_over_zero: The change A / Ap where A and Ap are 0; "nan" is the floating-point arithmetic of
            Algorithm 16, without a rule for this case.
        adapt: How the thresholds move.
        smooth_alpha: Inertia of the thresholds: with 0 they move by the whole change of the average, with 1 not
            at all. From 0 to 1.
        w_q: Weight of one arrival in the average queue. "auto" gives a time constant of one second, "auto_rtt"
            of ten round trips, "auto_fast" of 0.1 s. From 0 to 1.
        gentle: Let the probability rise from max_p to 1 above max_th, instead of jumping there.
        gentle_top: Where the gentle ramp reaches 1.
        nonlinear: Nonlinear RED: the probability rises with the square of the average to 1.5 max_p at max_th.
        spacing: How drops are spaced.
        scale_by_size: How the drop probability depends on the size of the packet.
        guards: No early or forced drop while at most one packet (one byte, if measured in bytes) waits, and
            none of the first packet above min_th (ns-2).
        mean_packet: Typical packet size, for the idle time and for w_q "auto". Unit: bytes. From 1 to 1e+09.
        measure_in: Measure queue and thresholds in packets or in bytes.
        whole_average: At each arrival, subtract w_q floor(avg) from avg instead of w_q avg (Linux).
        ecn: Mark ECN-capable packets instead of dropping them early.
        mark_up_to: The range of the average in which packets are marked.

    References:
        T. Alemu, Performance Evaluation of Quality of Service Mechanisms in the Internet, PhD thesis,
        Université Montpellier II, 2004
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
    gentle_from: Literal["first", "current"] = "current"
    zero_over_zero: Literal["one", "nan"] = "one"
    adapt: Literal[
        "none", "max-down", "max-up", "squeeze", "spread", "shift-up", "shift-down", "pseudo-drop-tail", "sandwich"
    ] = "none"
    smooth_alpha: float | str = 0
    w_q: float | str = "auto"
    gentle: bool = True
    gentle_top: Literal["2max_th", "buffer"] = "2max_th"
    nonlinear: bool = False
    spacing: Literal["wait", "count", "none", "section4", "no_wait", "once"] = "wait"
    scale_by_size: Literal["never", "p_b", "p_a"] = "never"
    guards: bool = True
    mean_packet: str = "1000B"
    measure_in: Literal["packets", "bytes"] = "packets"
    whole_average: bool = False
    ecn: bool = False
    mark_up_to: Literal["max_th", "max_p", "top", "always"] = "max_th"


@dataclass(frozen=True, kw_only=True, repr=False)
class Qlaw(Queue):
    """RED steered by the queue law.

    Attributes:
        interval: Time between two settings of max_p. Unit: s. At least 0.001.
        g: Weight g of the last interval's arrivals and signals. From 0.001 to 1.
        rtt: RTLD, round-trip time without queueing; "auto" is the link's, or 100 ms if it has none. Unit: s. At
            least 1e-06.
        min_rto: Minimum retransmission timeout of the flows. Unit: s. At least 0.
        max_p_low: Smallest max_p. From 0 to 1.
        max_p_high: Largest max_p. From 0 to 1.
        min_th: Average queue above which packets are dropped early; "auto" is 2.5 ms at the rate of the link,
            at least 5 packets. Unit: packets. At least 0.
        max_th: Average queue at which the drop probability reaches max_p; "auto" is three times min_th. Unit:
            packets. At least 0.
        max_p: Drop probability at max_th. From 0 to 1.
        w_q: Weight of one arrival in the average queue. "auto" gives a time constant of one second, "auto_rtt"
            of ten round trips, "auto_fast" of 0.1 s. From 0 to 1.
        gentle: Let the probability rise from max_p to 1 above max_th, instead of jumping there.
        gentle_top: Where the gentle ramp reaches 1.
        nonlinear: Nonlinear RED: the probability rises with the square of the average to 1.5 max_p at max_th.
        spacing: How drops are spaced.
        scale_by_size: How the drop probability depends on the size of the packet.
        guards: No early or forced drop while at most one packet (one byte, if measured in bytes) waits, and
            none of the first packet above min_th (ns-2).
        mean_packet: Typical packet size, for the idle time and for w_q "auto". Unit: bytes. From 1 to 1e+09.
        measure_in: Measure queue and thresholds in packets or in bytes.
        whole_average: At each arrival, subtract w_q floor(avg) from avg instead of w_q avg (Linux).
        ecn: Mark ECN-capable packets instead of dropping them early.
        mark_up_to: The range of the average in which packets are marked.

    References:
        penstock; the queue law: J. Chung, M. Claypool, Analysis of RED-Family Active Queue Management, 2003
    """

    scheme: ClassVar[str] = "qlaw"

    interval: str = "500ms"
    g: float | str = 0.5
    rtt: str = "auto"
    min_rto: str = "200ms"
    max_p_low: float | str = 0.001
    max_p_high: float | str = 1
    min_th: float | str = "5p"
    max_th: float | str = "15p"
    max_p: float | str = 0.1
    w_q: float | str = "auto"
    gentle: bool = True
    gentle_top: Literal["2max_th", "buffer"] = "2max_th"
    nonlinear: bool = False
    spacing: Literal["wait", "count", "none", "section4", "no_wait", "once"] = "wait"
    scale_by_size: Literal["never", "p_b", "p_a"] = "never"
    guards: bool = True
    mean_packet: str = "1000B"
    measure_in: Literal["packets", "bytes"] = "packets"
    whole_average: bool = False
    ecn: bool = False
    mark_up_to: Literal["max_th", "max_p", "top", "always"] = "max_th"


@dataclass(frozen=True, kw_only=True, repr=False)
class Blue(Queue):
    """BLUE.

    Attributes:
        d1: Step up of p at a loss. From 0 to 1.
        d2: Step down of p on an idle link. From 0 to 1.
        freeze: Shortest time between two steps of p. Unit: s. At least 0.0001.
        threshold: An arrival that finds a longer queue than this counts as a loss. Unit: packets. At least 0.
        ecn: Mark ECN-capable packets instead of dropping them early.

    References:
        W. Feng, D. Kandlur, D. Saha, K. Shin, BLUE: A New Class of Active Queue Management Algorithms, CSE-
        TR-387-99, University of Michigan, 1999
    """

    scheme: ClassVar[str] = "blue"

    d1: float | str = 0.0025
    d2: float | str = 0.00025
    freeze: str = "100ms"
    threshold: float | str | None = None
    ecn: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class Sred(Queue):
    """Stabilized RED (SRED).

    Attributes:
        variant: Treat all flows alike, or drop more from flows with hits.
        zombies: Length M of the list. From 1 to 1e+06.
        p: Probability that a missed zombie is replaced. From 0 to 1.
        alpha: Weight of one arrival in the hit frequency; "auto" is p / zombies. From 0 to 1.
        max_p: Drop probability from a third of the limit on, with 256 flows or more. From 0 to 1.
        ecn: Mark ECN-capable packets instead of dropping them.

    References:
        T. Ott, T. Lakshman, L. Wong, SRED: Stabilized RED, INFOCOM 1999
    """

    scheme: ClassVar[str] = "sred"

    variant: Literal["simple", "full"] = "full"
    zombies: int = 1000
    p: float | str = 0.25
    alpha: float | str = "auto"
    max_p: float | str = 0.15
    ecn: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class Rem(Queue):
    """Random Exponential Marking (REM).

    Attributes:
        variant: Quantity that drives the price: the change of the queue, or the arrivals above the rate.
        gamma: Gain of the price. From 0 to 1000.
        alpha: Weight of the queue's distance from the target. From 0 to 1.
        phi: Base of the exponential. From 1 to 1000.
        target: Target queue KT. Unit: packets. At least 0.
        interval: Time between steps of the price. Unit: s. At least 0.0001.
        mean_packet: Typical packet size, for the capacity in packets and to convert a target in time or bytes.
            Unit: bytes. From 1 to 1e+09.
        ecn: Mark ECN-capable packets instead of dropping them.

    References:
        S. Athuraliya, S. Low, V. Li, Q. Yin, REM: Active Queue Management, IEEE Network 15(3), 2001
    """

    scheme: ClassVar[str] = "rem"

    variant: Literal["thesis", "ns2"] = "thesis"
    gamma: float | str = 0.001
    alpha: float | str = 0.1
    phi: float | str = 1.001
    target: float | str = "20p"
    interval: str = "2ms"
    mean_packet: str = "1000B"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class Dsred(Queue):
    """Double-Slope RED (DSRED).

    Attributes:
        min_th: Average queue Kl from which packets are dropped; "auto" is 2.5 ms at the rate of the link, at
            least 5 packets. Unit: packets. At least 0.
        max_th: Average queue Kh from which every packet is dropped; "auto" is three times min_th. Unit:
            packets. At least 0.
        gamma: Rise of the drop probability over the second slope; the first slope covers the rest. From 0 to 1.
        w_q: Weight of one arrival in the average queue; "auto" gives a time constant of one second. From 0 to
            1.
        mean_packet: Typical packet size, for idle times and w_q "auto". Unit: bytes. From 1 to 1e+09.
        measure_in: Measure queue and thresholds in packets or in bytes.
        ecn: Mark ECN-capable packets instead of dropping them while the average is below max_th.

    References:
        B. Zheng, M. Atiquzzaman, DSRED: An Active Queue Management Scheme for Next Generation Networks, IEEE
        LCN 2000
    """

    scheme: ClassVar[str] = "dsred"

    min_th: float | str = "5p"
    max_th: float | str = "25p"
    gamma: float | str = 0.96
    w_q: float | str = "auto"
    mean_packet: str = "1000B"
    measure_in: Literal["packets", "bytes"] = "packets"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class Nonlinear(Queue):
    """Nonlinear RED with free points (drop profile).

    Attributes:
        fill_level: Fill levels of the points: the average queue as a share of the limit, rising. From 0 to 1.
        drop_probability: Drop probability at each of the points. From 0 to 1.
        interpolate: Interpolate linearly between the points, instead of a step at each.
        w_q: Weight of one arrival in the average queue. "auto" gives a time constant of one second, "auto_rtt"
            of ten round trips, "auto_fast" of 0.1 s. From 0 to 1.
        mean_packet: Typical packet size, for idle times and w_q "auto". Unit: bytes. From 1 to 1e+09.
        measure_in: Measure queue and limit in packets or in bytes.
        ecn: Mark ECN-capable packets instead of dropping them while the probability is below 1.

    References:
        Juniper Networks, Junos OS Class of Service User Guide, RED Drop Profiles Overview
    """

    scheme: ClassVar[str] = "nonlinear"

    fill_level: Sequence[float] = (0.2, 0.5, 0.8)
    drop_probability: Sequence[float] = (0.0, 0.1, 0.4)
    interpolate: bool = True
    w_q: float | str = "auto"
    mean_packet: str = "1000B"
    measure_in: Literal["packets", "bytes"] = "packets"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class Green(Queue):
    """GREEN.

    Attributes:
        variant: The formula alone, or corrected by gamma.
        c: Constant of the square-root formula, by default the square root of 3/2. From 0 to 100.
        mss: Size of a full packet; "auto" is the largest seen. Unit: bytes. From 1 to 1e+09.
        window: Time over which flows and utilization are measured. Unit: s. At least 0.001.
        gamma_low: Smallest gamma. From 1e-06 to 1.
        gamma_high: Largest gamma. From 1 to 1e+06.
        ecn: Mark ECN-capable packets instead of dropping them.

    References:
        W. Feng, A. Kapadia, S. Thulasidasan, GREEN: Proactive Queue Management over a Best-Effort Network,
        Globecom 2002
    """

    scheme: ClassVar[str] = "green"

    variant: Literal["green-1", "green-2"] = "green-1"
    c: float | str = 1.224744871391589
    mss: str = "auto"
    window: str = "1s"
    gamma_low: float | str = 0.015625
    gamma_high: float | str = 64
    ecn: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class Fred(Queue):
    """Flow Random Early Drop (FRED).

    Attributes:
        min_th: Average queue from which packets are dropped at random; "auto" derives it from limit and round-
            trip time. Unit: packets. At least 0.
        max_th: Average queue from which every packet is dropped; "auto" is twice min_th. Unit: packets. At
            least 0.
        max_p: Drop probability just below max_th. From 0 to 1.
        w_q: Weight of one arrival or departure in the average queue; "auto" gives RED's time constant of one
            second. From 0 to 1.
        min_q: Packets that each flow may have in the queue without random drops. From 0 to 1e+06.
        max_q: Largest number of packets that a flow may have in the queue; "auto" is min_th. Unit: packets.
            From 1 to 1e+09.
        many_flows: Limit each flow to 2 packets in the queue while the average is above max_th.
        mean_packet: Typical packet size, for idle times and automatic parameters. Unit: bytes. From 1 to 1e+09.
        ecn: Mark ECN-capable packets instead of dropping them at random.

    References:
        D. Lin, R. Morris, Dynamics of Random Early Detection, SIGCOMM 1997
    """

    scheme: ClassVar[str] = "fred"

    min_th: float | str = "auto"
    max_th: float | str = "auto"
    max_p: float | str = 0.02
    w_q: float | str = 0.002
    min_q: int = 2
    max_q: float | str = "auto"
    many_flows: bool = False
    mean_packet: str = "1000B"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class Sfb(Queue):
    """Stochastic Fair Blue (SFB).

    Attributes:
        levels: Number of levels L, each with a hash function. From 1 to 16.
        bins: Number of bins N per level. From 1 to 65536.
        bin_size: Number of packets above which a bin raises its probability; "auto" is 1.5 times the limit
            divided by the number of bins. Unit: packets. From 0 to 1e+09.
        max: Drop an arrival if every bin of its flow holds at least this many packets; absent: if any bin is
            above bin_size. Unit: packets. From 1 to 1e+09.
        d1: Step up of a bin's probability. From 0 to 1.
        d2: Step down of a bin's probability. From 0 to 1.
        freeze: Shortest time between two steps of a bin; absent: no minimum. Unit: s. At least 0.
        penalty_rate: Packets per second that all unresponsive flows together may send; "auto" is a twentieth of
            the link's rate. Unit: packets/s. From 0 to 1e+12.
        penalty_burst: Packets that unresponsive flows may send in a burst. Unit: packets. From 1 to 1e+09.
        rehash: Time between changes of the hash functions; absent: they never change. Unit: s. At least 0.001.
        warmup: Time for which the bins of the next hash functions are updated before they take over; at most
            `rehash`. Unit: s. At least 0.
        mean_packet: Typical packet size, for bin_size and penalty_rate "auto". Unit: bytes. From 1 to 1e+09.
        ecn: Mark ECN-capable packets instead of dropping them with the probability of their bins.

    References:
        W. Feng, D. Kandlur, D. Saha, K. Shin, Stochastic Fair Blue: A Queue Management Algorithm for Enforcing
        Fairness, INFOCOM 2001
    """

    scheme: ClassVar[str] = "sfb"

    levels: int = 2
    bins: int = 23
    bin_size: float | str = "auto"
    max: int | None = None
    d1: float | str = 0.005
    d2: float | str = 0.005
    freeze: str | None = None
    penalty_rate: float | str = "auto"
    penalty_burst: float | str = 20
    rehash: str | None = None
    warmup: str = "60s"
    mean_packet: str = "1000B"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class Xred(Queue):
    """XRED.

    Attributes:
        list: Largest number of units in the list of losses. From 1 to 1e+06.
        lifetime: Time after its last loss for which a unit is listed. Unit: s. At least 0.
        min_th: Average queue above which packets are dropped early; "auto" is 2.5 ms at the rate of the link,
            at least 5 packets. Unit: packets. At least 0.
        max_th: Average queue at which the drop probability reaches max_p; "auto" is three times min_th. Unit:
            packets. At least 0.
        max_p: Drop probability at max_th. From 0 to 1.
        w_q: Weight of one arrival in the average queue. "auto" gives a time constant of one second, "auto_rtt"
            of ten round trips, "auto_fast" of 0.1 s. From 0 to 1.
        gentle: Let the probability rise from max_p to 1 above max_th, instead of jumping there.
        gentle_top: Where the gentle ramp reaches 1.
        nonlinear: Nonlinear RED: the probability rises with the square of the average to 1.5 max_p at max_th.
        spacing: How drops are spaced.
        scale_by_size: How the drop probability depends on the size of the packet.
        guards: No early or forced drop while at most one packet (one byte, if measured in bytes) waits, and
            none of the first packet above min_th (ns-2).
        mean_packet: Typical packet size, for the idle time and for w_q "auto". Unit: bytes. From 1 to 1e+09.
        measure_in: Measure queue and thresholds in packets or in bytes.
        whole_average: At each arrival, subtract w_q floor(avg) from avg instead of w_q avg (Linux).
        ecn: Mark ECN-capable packets instead of dropping them early.
        mark_up_to: The range of the average in which packets are marked.

    References:
        T. Alemu, Performance Evaluation of Quality of Service Mechanisms in the Internet, PhD thesis,
        Université Montpellier II, 2004, section 1.3.3
    """

    scheme: ClassVar[str] = "xred"

    list: int = 256
    lifetime: str = "2s"
    min_th: float | str = "5p"
    max_th: float | str = "15p"
    max_p: float | str = 0.1
    w_q: float | str = "auto"
    gentle: bool = False
    gentle_top: Literal["2max_th", "buffer"] = "2max_th"
    nonlinear: bool = False
    spacing: Literal["wait", "count", "none", "section4", "no_wait", "once"] = "wait"
    scale_by_size: Literal["never", "p_b", "p_a"] = "never"
    guards: bool = True
    mean_packet: str = "1000B"
    measure_in: Literal["packets", "bytes"] = "packets"
    whole_average: bool = False
    ecn: bool = False
    mark_up_to: Literal["max_th", "max_p", "top", "always"] = "max_th"


@dataclass(frozen=True, kw_only=True, repr=False)
class FbRed(Queue):
    """FB-RED.

    Attributes:
        kappa: Exponent of the ratio of round-trip times. From 0 to 10.
        reference: R_ref: a flow with this round-trip time is judged with max_p itself.
        min_th: Average queue above which packets are dropped early; "auto" is 2.5 ms at the rate of the link,
            at least 5 packets. Unit: packets. At least 0.
        max_th: Average queue at which the drop probability reaches max_p; "auto" is three times min_th. Unit:
            packets. At least 0.
        max_p: Drop probability at max_th. From 0 to 1.
        w_q: Weight of one arrival in the average queue. "auto" gives a time constant of one second, "auto_rtt"
            of ten round trips, "auto_fast" of 0.1 s. From 0 to 1.
        gentle: Let the probability rise from max_p to 1 above max_th, instead of jumping there.
        gentle_top: Where the gentle ramp reaches 1.
        nonlinear: Nonlinear RED: the probability rises with the square of the average to 1.5 max_p at max_th.
        spacing: How drops are spaced.
        scale_by_size: How the drop probability depends on the size of the packet.
        guards: No early or forced drop while at most one packet (one byte, if measured in bytes) waits, and
            none of the first packet above min_th (ns-2).
        mean_packet: Typical packet size, for the idle time and for w_q "auto". Unit: bytes. From 1 to 1e+09.
        measure_in: Measure queue and thresholds in packets or in bytes.
        whole_average: At each arrival, subtract w_q floor(avg) from avg instead of w_q avg (Linux).
        ecn: Mark ECN-capable packets instead of dropping them early.
        mark_up_to: The range of the average in which packets are marked.

    References:
        W. Kim, B. Lee, FB-RED: Fair-Buffering Random Early Detection, GLOBECOM 1998
    """

    scheme: ClassVar[str] = "fb-red"

    kappa: float | str = 2
    reference: Literal["mean", "min"] = "mean"
    min_th: float | str = "5p"
    max_th: float | str = "15p"
    max_p: float | str = 0.1
    w_q: float | str = "auto"
    gentle: bool = False
    gentle_top: Literal["2max_th", "buffer"] = "2max_th"
    nonlinear: bool = False
    spacing: Literal["wait", "count", "none", "section4", "no_wait", "once"] = "wait"
    scale_by_size: Literal["never", "p_b", "p_a"] = "never"
    guards: bool = True
    mean_packet: str = "1000B"
    measure_in: Literal["packets", "bytes"] = "packets"
    whole_average: bool = False
    ecn: bool = False
    mark_up_to: Literal["max_th", "max_p", "top", "always"] = "max_th"


@dataclass(frozen=True, kw_only=True, repr=False)
class Bred(Queue):
    """Balanced RED (BRED).

    Attributes:
        omega: Weight of one arrival in the mean number of active flows. From 0 to 1.
        beta: Lower threshold l1 of a flow, as a share of the middle threshold l2. From 0 to 1.
        ecn: Mark ECN-capable packets instead of dropping them at random.

    References:
        F. Anjum, L. Tassiulas, Fair Bandwidth Sharing among Adaptive and Non-Adaptive Flows in the Internet,
        INFOCOM 1999
    """

    scheme: ClassVar[str] = "bred"

    omega: float | str = 0.02
    beta: float | str = 0.5
    ecn: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class Rio(Queue):
    """RED with In and Out.

    Attributes:
        min_in: Average number of queued In packets above which In packets are dropped; "auto" is max_out. Unit:
            packets. At least 0.
        max_in: Average number of queued In packets at which their drop probability reaches p_in; "auto" is
            twice min_in. Unit: packets. At least 0.
        p_in: Drop probability of In packets at max_in. From 0 to 1.
        min_out: Average total queue length above which Out packets are dropped; "auto" is 2.5 ms at the rate of
            the link, at least 5 packets. Unit: packets. At least 0.
        max_out: Average total queue length at which the drop probability of Out packets reaches p_out; "auto"
            is three times min_out. Unit: packets. At least 0.
        p_out: Drop probability of Out packets at max_out. From 0 to 1.
        precedence: Field that gives the drop precedence; packets of drop precedence 0 are In.
        w_q: Weight of one arrival in the averages; "auto" gives a time constant of one second. From 0 to 1.
        gentle: Let the probabilities rise to 1 at twice max_in and max_out, instead of jumping there.
        spacing: How drops are spaced.
        guards: No early or forced drop while at most one packet is queued, and none of the first packet above a
            lower threshold (ns-2).
        ns2_quirk: Update both averages at In arrivals only, and do not restart the count at forced drops and
            overflows (ns-2).
        mean_packet: Typical packet size, for idle times and w_q "auto". Unit: bytes. From 1 to 1e+09.
        measure_in: Measure queue and thresholds in packets or in bytes.
        ecn: Mark ECN-capable packets instead of dropping them early, while the average is below max_in or
            max_out.

    References:
        D. Clark, W. Fang, Explicit Allocation of Best-Effort Packet Delivery Service, IEEE/ACM Trans.
        Networking 6(4), 1998
    """

    scheme: ClassVar[str] = "rio"

    min_in: float | str = "15p"
    max_in: float | str = "30p"
    p_in: float | str = 0.02
    min_out: float | str = "5p"
    max_out: float | str = "15p"
    p_out: float | str = 0.2
    precedence: Literal["af", "ip"] = "af"
    w_q: float | str = 0.002
    gentle: bool = False
    spacing: Literal["wait", "count", "none", "section4", "no_wait", "once"] = "wait"
    guards: bool = True
    ns2_quirk: bool = False
    mean_packet: str = "1000B"
    measure_in: Literal["packets", "bytes"] = "packets"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class Wred(Queue):
    """Weighted RED.

    Attributes:
        variant: When the idle time starts and ends, and whether the AQM sees arrivals at a full queue.
        min_th: Average queue from which packets of a level are dropped, level 0 first. Unit: packets. From 0 to
            1e+09.
        max_th: Average queue at which the drop probability of a level reaches its max_p. Unit: packets. From 0
            to 1e+09.
        max_p: Drop probability of a level at its max_th. From 0 to 1.
        precedence: Field that determines the drop precedence of a packet.
        w_q: Weight of one arrival in the average queue; "auto" gives a time constant of one second. From 0 to
            1.
        gentle: Let the probabilities rise from max_p to 1 at 2 max_th, instead of jumping there.
        spacing: How drops are spaced.
        guards: No early or forced drop while at most one packet (one byte, if measured in bytes) waits, and
            none of the first packet above min_th (ns-2).
        mean_packet: Typical packet size, for idle times and w_q "auto". Unit: bytes. From 1 to 1e+09.
        measure_in: Measure the queue in packets or in bytes; in bytes a threshold of n packets is n
            mean_packet.
        ecn: Mark ECN-capable packets instead of dropping them early, while the average is below their max_th.

    References:
        Cisco, Distributed Weighted Random Early Detection; U. Bodin, O. Schelen, Drop Strategies and Loss-rate
        Differentiation, 2001
    """

    scheme: ClassVar[str] = "wred"

    variant: Literal["paper", "ns2"] = "paper"
    min_th: Sequence[float] = (1000000.0, 5.0)
    max_th: Sequence[float] = (2000000.0, 15.0)
    max_p: Sequence[float] = (0.1, 0.1)
    precedence: Literal["af", "ip"] = "af"
    w_q: float | str = "auto"
    gentle: bool = False
    spacing: Literal["wait", "count", "none", "section4", "no_wait", "once"] = "wait"
    guards: bool = True
    mean_packet: str = "1000B"
    measure_in: Literal["packets", "bytes"] = "packets"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class Wrt(Queue):
    """WRED with Thresholds.

    Attributes:
        th_in: Average number of waiting packets of level 0 above which they are judged as level 1; "auto" is
            max_th of level 1. Unit: packets. At least 0.
        min_th: Average queue from which packets of a level are dropped, level 0 first. Unit: packets. From 0 to
            1e+09.
        max_th: Average queue at which the drop probability of a level reaches its max_p. Unit: packets. From 0
            to 1e+09.
        max_p: Drop probability of a level at its max_th. From 0 to 1.
        precedence: Field that determines the drop precedence of a packet.
        w_q: Weight of one arrival in the average queue; "auto" gives a time constant of one second. From 0 to
            1.
        gentle: Let the probabilities rise from max_p to 1 at 2 max_th, instead of jumping there.
        spacing: How drops are spaced.
        guards: No early or forced drop while at most one packet (one byte, if measured in bytes) waits, and
            none of the first packet above min_th (ns-2).
        mean_packet: Typical packet size, for idle times and w_q "auto". Unit: bytes. From 1 to 1e+09.
        measure_in: Measure the queue in packets or in bytes; in bytes a threshold of n packets is n
            mean_packet.
        ecn: Mark ECN-capable packets instead of dropping them early, while the average is below their max_th.

    References:
        U. Bodin, O. Schelen, S. Pink, Load-tolerant Differentiation with Active Queue Management, ACM Computer
        Communication Review 30(3), 2000
    """

    scheme: ClassVar[str] = "wrt"

    th_in: float | str = "auto"
    min_th: Sequence[float] = (1000000.0, 5.0)
    max_th: Sequence[float] = (2000000.0, 15.0)
    max_p: Sequence[float] = (0.1, 0.1)
    precedence: Literal["af", "ip"] = "af"
    w_q: float | str = "auto"
    gentle: bool = False
    spacing: Literal["wait", "count", "none", "section4", "no_wait", "once"] = "wait"
    guards: bool = True
    mean_packet: str = "1000B"
    measure_in: Literal["packets", "bytes"] = "packets"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class CbtRed(Queue):
    """Class-Based Threshold RED.

    Attributes:
        t_tagged: Average number of queued tagged UDP packets above which they are dropped. Unit: packets. At
            least 0.
        t_other: Average number of other queued packets (neither TCP nor tagged UDP) above which they are
            dropped. Unit: packets. At least 0.
        tag: Codepoint of the UDP packets that are tagged, as a name or a number.
        min_th: Average queue above which packets are dropped early; "auto" is 2.5 ms at the rate of the link,
            at least 5 packets. Unit: packets. At least 0.
        max_th: Average queue at which the drop probability reaches max_p; "auto" is three times min_th. Unit:
            packets. At least 0.
        max_p: Drop probability at max_th. From 0 to 1.
        w_q: Weight of one arrival in the average queue. "auto" gives a time constant of one second, "auto_rtt"
            of ten round trips, "auto_fast" of 0.1 s. From 0 to 1.
        gentle: Let the probability rise from max_p to 1 above max_th, instead of jumping there.
        gentle_top: Where the gentle ramp reaches 1.
        nonlinear: Nonlinear RED: the probability rises with the square of the average to 1.5 max_p at max_th.
        spacing: How drops are spaced.
        scale_by_size: How the drop probability depends on the size of the packet.
        guards: No early or forced drop while at most one packet (one byte, if measured in bytes) waits, and
            none of the first packet above min_th (ns-2).
        mean_packet: Typical packet size, for the idle time and for w_q "auto". Unit: bytes. From 1 to 1e+09.
        measure_in: Measure queue and thresholds in packets or in bytes.
        whole_average: At each arrival, subtract w_q floor(avg) from avg instead of w_q avg (Linux).
        ecn: Mark ECN-capable packets instead of dropping them early.
        mark_up_to: The range of the average in which packets are marked.

    References:
        M. Parris, K. Jeffay, F. D. Smith, Lightweight Active Router-Queue Management for Multimedia Networking,
        MMCN 1999; B. Alemu, thesis, 2004, section 1.4.1
    """

    scheme: ClassVar[str] = "cbt-red"

    t_tagged: float | str = "10p"
    t_other: float | str = "2p"
    tag: Literal[
        "default",
        "CS0",
        "CS1",
        "CS2",
        "CS3",
        "CS4",
        "CS5",
        "CS6",
        "CS7",
        "AF11",
        "AF12",
        "AF13",
        "AF21",
        "AF22",
        "AF23",
        "AF31",
        "AF32",
        "AF33",
        "AF41",
        "AF42",
        "AF43",
        "NQB",
        "EF",
    ] = "EF"
    min_th: float | str = "5p"
    max_th: float | str = "15p"
    max_p: float | str = 0.1
    w_q: float | str = "auto"
    gentle: bool = False
    gentle_top: Literal["2max_th", "buffer"] = "2max_th"
    nonlinear: bool = False
    spacing: Literal["wait", "count", "none", "section4", "no_wait", "once"] = "wait"
    scale_by_size: Literal["never", "p_b", "p_a"] = "never"
    guards: bool = True
    mean_packet: str = "1000B"
    measure_in: Literal["packets", "bytes"] = "packets"
    whole_average: bool = False
    ecn: bool = False
    mark_up_to: Literal["max_th", "max_p", "top", "always"] = "max_th"


@dataclass(frozen=True, kw_only=True, repr=False)
class P(Queue):
    """Proportional controller (P).

    Attributes:
        min_th: Queue from which packets are dropped. Unit: packets. At least 0.
        max_th: Queue at which the drop probability is max_p; "auto" derives it from flows, round-trip time and
            rate. Unit: packets. At least 0.
        max_p: Drop probability at max_th. From 0 to 1.
        mean_packet: Typical packet size, to convert lengths in bytes and for "auto". Unit: bytes. From 1 to
            1e+09.
        ecn: Mark ECN-capable packets instead of dropping them.

    References:
        C. Hollot, V. Misra, D. Towsley, W. Gong, On Designing Improved Controllers for AQM Routers Supporting
        TCP Flows, INFOCOM 2001
    """

    scheme: ClassVar[str] = "p"

    min_th: float | str = "5p"
    max_th: float | str = "15p"
    max_p: float | str = 0.1
    mean_packet: str = "1000B"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class Pi(Queue):
    """Proportional-integral controller (PI).

    Attributes:
        target: Target queue KT. Unit: packets. At least 0.
        a: Gain of the current queue, per packet; "auto" derives it from flows, round-trip time and rate. From 0
            to 1.
        b: Gain of the queue one interval ago, per packet; "auto" derives it from flows, round-trip time and
            rate. From 0 to 1.
        interval: Time between steps of p; by default a 170th of a second. Unit: s. At least 0.0001.
        mean_packet: Typical packet size, to convert a target in time or bytes and for "auto". Unit: bytes. From
            1 to 1e+09.
        ecn: Mark ECN-capable packets instead of dropping them.

    References:
        C. Hollot, V. Misra, D. Towsley, W. Gong, On Designing Improved Controllers for AQM Routers Supporting
        TCP Flows, INFOCOM 2001
    """

    scheme: ClassVar[str] = "pi"

    target: float | str = "10p"
    a: float | str = 0.000344519
    b: float | str = 0.000343499
    interval: str = "5.882353ms"
    mean_packet: str = "1000B"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class Avq(Queue):
    """Adaptive virtual queue (AVQ).

    Attributes:
        gamma: Target utilization. From 0 to 1.
        alpha: Damping of the virtual capacity; "auto" derives it from flows, round-trip time and rate. From 0
            to 1000.
        buffer: Size of the virtual queue; "auto" is the limit of the queue. Unit: packets. At least 0.
        initial: Initial virtual capacity, as a share of the link's; "auto" is gamma. From 0 to 1.
        on_drop: Effect of a dropped packet on the virtual queue and its capacity.
        cap: Whether the link's capacity limits the virtual one before a packet is charged or after it.
        measure_in: Measure the virtual queue in packets or in bytes.
        mean_packet: Typical packet size. Unit: bytes. From 1 to 1e+09.
        ecn: Mark ECN-capable packets instead of dropping them.

    References:
        S. Kunniyur, R. Srikant, Analysis and Design of an Adaptive Virtual Queue (AVQ) Algorithm for Active
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


@dataclass(frozen=True, kw_only=True, repr=False)
class Lred(Queue):
    """Loss-ratio based RED (LRED).

    Attributes:
        target: Target queue KT. Unit: packets. At least 0.
        beta: Gain of the queue; "auto" derives it from flows, round-trip time and rate. From 0 to 1000.
        interval: Time between measurements of the loss ratio. Unit: s. At least 0.001.
        periods: Number of intervals over which the loss ratio is measured. From 1 to 1000.
        mw: Weight of the previous loss ratio; a new measurement has the weight 1 - mw. From 0 to 1.
        mean_packet: Typical packet size, to convert a target in time or bytes and for "auto". Unit: bytes. From
            1 to 1e+09.
        ecn: Mark ECN-capable packets instead of dropping them.

    References:
        C. Wang, B. Li, Y. Hou, K. Sohraby, Y. Lin, LRED: A Robust Active Queue Management Scheme Based on
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


@dataclass(frozen=True, kw_only=True, repr=False)
class Sfc(Queue):
    """State feedback controller (SFC).

    Attributes:
        target: Target queue KT. Unit: packets. At least 0.
        p0: Probability at equilibrium; "auto" derives it from flows, round-trip time and rate. From 0 to 1.
        k1: Gain of the queue, per packet; "auto" derives it from flows, round-trip time and rate. From 0 to
            1000.
        k2: Gain of the rate, relative to the capacity; "auto" derives it from flows, round-trip time and rate.
            From 0 to 1000.
        interval: Time over which the rate of the arrivals is averaged: about a round trip. Unit: s. At least
            0.0001.
        mean_packet: Typical packet size, for the capacity, and to convert a target in time or bytes. Unit:
            bytes. From 1 to 1e+09.
        ecn: Mark ECN-capable packets instead of dropping them.

    References:
        Y. Gao, J. Hou, A State Feedback Control Approach to Stabilizing Queues for ECN-Enabled TCP Connections,
        INFOCOM 2003
    """

    scheme: ClassVar[str] = "sfc"

    target: float | str = "10p"
    p0: float | str = 0
    k1: float | str = 0.002
    k2: float | str = 0.02
    interval: str = "200ms"
    mean_packet: str = "1000B"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class CoDel(Queue):
    """Controlled Delay.

    Attributes:
        target: Acceptable standing-queue delay. Unit: s. At least 0.
        interval: Time for which the sojourn time must stay above target before the first drop; also the time
            from the first drop to the second. Unit: s. From 1e-06 to 3600.
        maxpacket: No drop while at most this much waits behind the packet; "auto" is the link's largest packet.
            Unit: bytes. At least 0.
        ecn: Mark ECN-capable packets instead of dropping them.
        ce_threshold: Mark every ECN-capable packet that waited longer than this. Unit: s. At least 0.
        ce_threshold_for: Packets that `ce_threshold` marks.
        variant: The arithmetic of the RFC or of Linux 6.1.

    References:
        K. Nichols, V. Jacobson, A. McGregor, J. Iyengar, Controlled Delay Active Queue Management, RFC 8289,
        2018
    """

    scheme: ClassVar[str] = "codel"

    target: str = "5ms"
    interval: str = "100ms"
    maxpacket: str = "auto"
    ecn: bool = False
    ce_threshold: str | None = None
    ce_threshold_for: Literal["ect", "ect1"] = "ect"
    variant: Literal["rfc", "linux"] = "rfc"


@dataclass(frozen=True, kw_only=True, repr=False)
class Pie(Queue):
    """Proportional Integral controller Enhanced.

    Attributes:
        target: Target queueing delay, QDELAY_REF. Unit: s. At least 0.
        t_update: Time between updates of the probability. Unit: s. At least 0.0001.
        alpha: Gain on the distance of the delay from target, per second of delay. From 0 to 1e+09.
        beta: Gain on the change of the delay, per second of delay. From 0 to 1e+09.
        max_burst: Burst allowance: time from the onset of congestion in which nothing is dropped early. Unit:
            s. At least 0.
        mean_packet: `MEAN_PKTSIZE`: no early drops while the queue holds at most two such packets; "auto" is
            the link's largest packet. Unit: bytes. At least 1.
        variant: The form of PIE.
        cap_drop: Limit a step of the probability to 0.02 while the probability is 0.1 or more; "auto" does so
            except in "basic".
        derandomization: Space drops by the sum of the probability over the arrivals since the last drop; "auto"
            does so except in "basic".
        activation: Drop nothing until the queue has filled a third of its limit; "auto" does so in "extended"
            only.
        delay: How the queueing delay is measured.
        dq_threshold: Bytes that depart in one measurement of the departure rate. Unit: bytes. From 1 to 65536.
        hz: Ticks per second of the kernel's clock: `t_update` is rounded up to whole ticks, plus one tick.
            Unit: 1/s. From 1 to 1e+06.
        ecn: Mark ECN-capable packets instead of dropping them.
        mark_ecnth: Probability from which ECN-capable packets are dropped like others. From 0 to 1.

    References:
        R. Pan, P. Natarajan, F. Baker, G. White, Proportional Integral Controller Enhanced (PIE), RFC 8033,
        2017
    """

    scheme: ClassVar[str] = "pie"

    target: str = "15ms"
    t_update: str = "15ms"
    alpha: float | str = 0.125
    beta: float | str = 1.25
    max_burst: str = "150ms"
    mean_packet: str = "auto"
    variant: Literal["extended", "basic", "linux"] = "extended"
    cap_drop: Literal["auto", "on", "off"] | bool = "auto"
    derandomization: Literal["auto", "on", "off"] | bool = "auto"
    activation: Literal["auto", "on", "off"] | bool = "auto"
    delay: Literal["timestamp", "rate"] = "timestamp"
    dq_threshold: str = "16.384kB"
    hz: int | None = None
    ecn: bool = False
    mark_ecnth: float | str = 0.1


@dataclass(frozen=True, kw_only=True, repr=False)
class Pi2(Queue):
    """PI squared.

    Attributes:
        target: Target queueing delay. Unit: s. At least 0.
        t_update: Time between updates of the probability. Unit: s. At least 0.0001.
        alpha: Gain on the distance of the delay from target, per second of delay. From 0 to 1e+09.
        beta: Gain on the change of the delay, per second of delay. From 0 to 1e+09.
        k: Packets of a scalable sender are marked with probability k p'. From 1 to 100.
        ecn: Mark ECN-capable packets instead of dropping them.

    References:
        K. De Schepper, O. Bondarenko, I.-J. Tsang, B. Briscoe, PI2: A Linearized AQM for both Classic and
        Scalable TCP, ACM CoNEXT, 2016
    """

    scheme: ClassVar[str] = "pi2"

    target: str = "20ms"
    t_update: str = "32ms"
    alpha: float | str = 0.3125
    beta: float | str = 3.125
    k: float | str = 2
    ecn: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class Afd(Queue):
    """Approximate Fair Dropping.

    Attributes:
        shadow: Packets in the shadow buffer. Unit: packets. From 1 to 100000.
        sample: An arrival enters the shadow buffer with probability 1 / sample. From 1 to 10000.
        a: Gain on the queue one interval ago. From 0 to 1e+09.
        b: Gain on the queue. From 0 to 1e+09.
        q_ref: Target queue; "auto" is half the limit. Unit: packets. From 0 to 1e+09.
        interval: Time between updates of the fair share. Unit: s. At least 0.0001.
        mean_packet: Typical packet size, the unit in which packets are counted. Unit: bytes. From 1 to 1e+09.
        ecn: Mark ECN-capable packets instead of dropping them.

    References:
        R. Pan, L. Breslau, B. Prabhakar, S. Shenker, Approximate Fairness through Differential Dropping, ACM
        SIGCOMM CCR 33(2), 2003
    """

    scheme: ClassVar[str] = "afd"

    shadow: int = 500
    sample: float | str = 10
    a: float | str = 1.7
    b: float | str = 1.8
    q_ref: float | str = "auto"
    interval: str = "6.25ms"
    mean_packet: str = "1000B"
    ecn: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class CurvyRed(Queue):
    """Curvy RED.

    Attributes:
        min_th: Average delay up to which nothing is dropped. Unit: s. At least 0.
        range: Average delay above min_th at which everything is dropped. Unit: s. At least 1e-06.
        g: Weight of one departure in the average delay, as a power of 1/2. From 0 to 30.
        u: Half the exponent of the drop function. From 1 to 8.
        ecn: Mark ECN-capable packets instead of dropping them.

    References:
        B. Briscoe, Insights from Curvy RED, BT TR-TUB8-2015-003, 2015; K. De Schepper, B. Briscoe, G. White,
        RFC 9332, appendix B, 2023
    """

    scheme: ClassVar[str] = "curvy-red"

    min_th: str = "500us"
    range: str = "500ms"
    g: int = 5
    u: int = 1
    ecn: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class Cobalt(Queue):
    """COBALT: CoDel and BLUE.

    Attributes:
        target: Acceptable standing-queue delay. Unit: s. At least 0.
        interval: Time from a high delay to the first signal, and from the first signal to the second. Unit: s.
            At least 1e-06.
        mtu: Largest packet; a sojourn time of up to 4 of its transmission times is never high. "auto" is the
            largest packet of the link. Unit: bytes. From 0 to 65535.
        p_inc: Step up of BLUE's drop probability. From 0 to 1.
        p_dec: Step down of BLUE's drop probability. From 0 to 1.
        ecn: Mark ECN-capable packets instead of dropping them, except by BLUE.
        ce_threshold: Mark every ECN-capable packet that waited longer than this. Unit: s. At least 0.
        ce_threshold_for: Packets that `ce_threshold` marks.

    References:
        T. Høiland-Jørgensen, D. Täht, J. Morton, Piece of CAKE: A Comprehensive Queue Management Solution for
        Home Gateways, IEEE LANMAN, 2018
    """

    scheme: ClassVar[str] = "cobalt"

    target: str = "5ms"
    interval: str = "100ms"
    mtu: str = "auto"
    p_inc: float | str = 0.00390625
    p_dec: float | str = 0.000244140625
    ecn: bool = False
    ce_threshold: str | None = None
    ce_threshold_for: Literal["ect", "ect1"] = "ect"


@dataclass(frozen=True, kw_only=True, repr=False)
class DropFront(Queue):
    """Drop-from-front.

    References:
        T. Lakshman, A. Neidhardt, T. Ott, The Drop from Front Strategy in TCP and in TCP over ATM, INFOCOM 1996
    """

    scheme: ClassVar[str] = "drop-front"


@dataclass(frozen=True, kw_only=True, repr=False)
class PushOut(Queue):
    """Push-out.

    References:
        T. Alemu, Performance Evaluation of Quality of Service Mechanisms in the Internet, PhD thesis,
        Université Montpellier II, 2004
    """

    scheme: ClassVar[str] = "push-out"


@dataclass(frozen=True, kw_only=True, repr=False)
class Drr(Queue):
    """Deficit Round Robin.

    Attributes:
        quantum: Bytes that a queue may send per turn; "auto": the largest packet of the link. Unit: bytes. At
            least 1.
        buckets: Number of queues over which the flows are spread; absent: one queue for each flow. At least 1.
        spread: How flows are spread over the buckets.

    References:
        M. Shreedhar, G. Varghese, Efficient Fair Queuing Using Deficit Round-Robin, IEEE/ACM Transactions on
        Networking 4(3), 1996
    """

    scheme: ClassVar[str] = "drr"

    quantum: str = "auto"
    buckets: int | None = None
    spread: Literal["modulo", "hash"] = "modulo"


@dataclass(frozen=True, kw_only=True, repr=False)
class Tdrr(Queue):
    """Throughput DRR.

    Attributes:
        k: Time constant of the average of a queue's throughput. Unit: s. At least 0.001.
        quantum: Bytes that a queue may send per turn; "auto": the largest packet of the link. Unit: bytes. At
            least 1.
        buckets: Number of queues over which the flows are spread; absent: one queue for each flow. At least 1.
        spread: How flows are spread over the buckets.

    References:
        A. Kantawala, J. Turner, Efficient Queue Management of TCP Flows, SPECTS 2002
    """

    scheme: ClassVar[str] = "tdrr"

    k: str = "100ms"
    quantum: str = "auto"
    buckets: int | None = None
    spread: Literal["modulo", "hash"] = "modulo"


@dataclass(frozen=True, kw_only=True, repr=False)
class Qsdrr(Queue):
    """Queue State DRR.

    Attributes:
        measure_in: Unit in which queues are compared.
        quantum: Bytes that a queue may send per turn; "auto": the largest packet of the link. Unit: bytes. At
            least 1.
        buckets: Number of queues over which the flows are spread; absent: one queue for each flow. At least 1.
        spread: How flows are spread over the buckets.

    References:
        A. Kantawala, J. Turner, Efficient Queue Management of TCP Flows, SPECTS 2002
    """

    scheme: ClassVar[str] = "qsdrr"

    measure_in: Literal["packets", "bytes"] = "packets"
    quantum: str = "auto"
    buckets: int | None = None
    spread: Literal["modulo", "hash"] = "modulo"


@dataclass(frozen=True, kw_only=True, repr=False)
class Dtdrr(Queue):
    """Dynamic Threshold DRR.

    Attributes:
        alpha: Maximum length of a queue, as a multiple of the free space. At least 0.001.
        quantum: Bytes that a queue may send per turn; "auto": the largest packet of the link. Unit: bytes. At
            least 1.
        buckets: Number of queues over which the flows are spread; absent: one queue for each flow. At least 1.
        spread: How flows are spread over the buckets.

    References:
        A. Kantawala, J. Turner, Intelligent Packet Discard Policies for Improved TCP Queue Management, 2005
    """

    scheme: ClassVar[str] = "dtdrr"

    alpha: float | str = 2
    quantum: str = "auto"
    buckets: int | None = None
    spread: Literal["modulo", "hash"] = "modulo"


@dataclass(frozen=True, kw_only=True, repr=False)
class Dsdrr(Queue):
    """Discard State DRR.

    Attributes:
        alpha: A queue is marked when it is longer than this multiple of the free space. At least 0.001.
        w_init: Fraction of the queues that may be marked at the start. From 0 to 1.
        w_max: Maximum fraction of the queues that may be marked. From 0 to 1.
        interval: Time between adaptations of W. Unit: s. At least 0.001.
        marked: The number of marked queues from which W is computed after an interval without overflow.
        overflow_strict: Count an overflow only if the queue of the dropped packet is not marked.
        quantum: Bytes that a queue may send per turn; "auto": the largest packet of the link. Unit: bytes. At
            least 1.
        buckets: Number of queues over which the flows are spread; absent: one queue for each flow. At least 1.
        spread: How flows are spread over the buckets.

    References:
        A. Kantawala, J. Turner, Intelligent Packet Discard Policies for Improved TCP Queue Management, 2005
    """

    scheme: ClassVar[str] = "dsdrr"

    alpha: float | str = 0.1
    w_init: float | str = 0.1
    w_max: float | str = 0.5
    interval: str = "1s"
    marked: Literal["now", "most"] = "now"
    overflow_strict: bool = True
    quantum: str = "auto"
    buckets: int | None = None
    spread: Literal["modulo", "hash"] = "modulo"


@dataclass(frozen=True, kw_only=True, repr=False)
class Sfq(Queue):
    """Stochastic Fairness Queueing.

    Attributes:
        buckets: Number of queues. From 1 to 1e+06.
        spread: How flows are spread over the queues.
        perturb: Time between changes of the hash; by default it never changes. Unit: s. At least 0.001.
        round: The amount that a queue may send in each turn.
        quantum: Bytes that a queue may send in each of its turns; "auto" is the largest packet of the link.
            Unit: bytes. At least 1.
        room: The packet that is dropped when there is no room.
        depth: Maximum number of packets in one queue; by default only the limit of the link. Unit: packets. At
            least 1.
        flows: Maximum number of busy queues; by default all. At least 1.
        headdrop: Drop from the head of the longest queue instead of from its tail.

    References:
        P. E. McKenney, Stochastic Fairness Queueing, IEEE INFOCOM 1990
    """

    scheme: ClassVar[str] = "sfq"

    buckets: int = 1024
    spread: Literal["modulo", "hash"] = "hash"
    perturb: str | None = None
    round: Literal["drr", "packet"] = "drr"
    quantum: str = "auto"
    room: Literal["longest", "threshold"] = "longest"
    depth: int | None = None
    flows: int | None = None
    headdrop: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class WredDfq(Queue):
    """WRED with drop-from-queue.

    Attributes:
        victim: Which packet of a level is dropped.
        debt: Remember drops that found no packet of their level, and make up for them later.
        min_th: Average queue from which packets of a level are dropped, level 0 first. Unit: packets. From 0 to
            1e+09.
        max_th: Average queue at which the drop probability of a level reaches its max_p. Unit: packets. From 0
            to 1e+09.
        max_p: Drop probability of a level at its max_th. From 0 to 1.
        precedence: Field that determines the drop precedence of a packet.
        w_q: Weight of one arrival in the average queue; "auto" gives a time constant of one second. From 0 to
            1.
        gentle: Let the probabilities rise from max_p to 1 at 2 max_th, instead of jumping there.
        spacing: How drops are spaced.
        guards: No early or forced drop while at most one packet (one byte, if measured in bytes) waits, and
            none of the first packet above min_th (ns-2).
        mean_packet: Typical packet size, for idle times and w_q "auto". Unit: bytes. From 1 to 1e+09.
        measure_in: Measure the queue in packets or in bytes; in bytes a threshold of n packets is n
            mean_packet.

    References:
        U. Bodin, O. Schelen, Drop Strategies and Loss-rate Differentiation, 2001
    """

    scheme: ClassVar[str] = "wred-dfq"

    victim: Literal["last", "random", "first"] = "last"
    debt: bool = False
    min_th: Sequence[float] = (1000000.0, 5.0)
    max_th: Sequence[float] = (2000000.0, 15.0)
    max_p: Sequence[float] = (0.1, 0.1)
    precedence: Literal["af", "ip"] = "af"
    w_q: float | str = "auto"
    gentle: bool = False
    spacing: Literal["wait", "count", "none", "section4", "no_wait", "once"] = "wait"
    guards: bool = True
    mean_packet: str = "1000B"
    measure_in: Literal["packets", "bytes"] = "packets"


@dataclass(frozen=True, kw_only=True, repr=False)
class Shaper(Queue):
    """Leaky bucket shaper.

    Attributes:
        rate: Rate at which the queue is drained. Unit: bit/s. At least 1.
        burst: Depth of the token bucket: the burst that may leave immediately after a pause. Unit: bytes. From
            0 to 1e+09.

    References:
        S. Blake et al., An Architecture for Differentiated Services, RFC 2475, 1998
    """

    scheme: ClassVar[str] = "shaper"

    rate: float | str
    burst: str = "0B"


@dataclass(frozen=True, kw_only=True, repr=False)
class Ras(Queue):
    """Rate adaptive shaper.

    Attributes:
        cir: Lowest rate at which the queue is drained: the committed information rate CIR. Unit: bit/s. At
            least 1.
        pir: Peak information rate PIR, for two rates. Unit: bit/s. At least 1.
        mir: Highest rate at which the queue is drained: the maximum information rate MIR; "auto" is the rate of
            the link. Unit: bit/s. At least 1.
        cir_th: Backlog above which the rate grows beyond CIR. Unit: bytes. At least 0.
        pir_th: Backlog at which the rate reaches PIR. Unit: bytes. At least 0.
        mir_th: Backlog at which the rate reaches MIR. Unit: bytes. At least 0.
        k: Time over which the rate of arrivals is averaged. Unit: s. At least 1e-06.

    References:
        O. Bonaventure, S. De Cnodder, A Rate Adaptive Shaper for Differentiated Services, RFC 2963, 2000
    """

    scheme: ClassVar[str] = "ras"

    cir: float | str
    pir: float | str | None = None
    mir: float | str = "auto"
    cir_th: str
    pir_th: str | None = None
    mir_th: str
    k: str = "100ms"


@dataclass(frozen=True, kw_only=True, repr=False)
class DualPi2(Queue):
    """DualQ Coupled PI2.

    Attributes:
        target: Target delay of the Classic queue. Unit: s. From 1e-06 to 10.
        rtt_max: Longest round trip for which the gains are stable. Unit: s. From 1e-05 to 100.
        interval: T_update, the time between updates of p'; "auto" is min(target, rtt_max / 3). Unit: s. From
            1e-06 to 10.
        alpha: Integral gain, per second of delay; "auto" is 0.1 interval / rtt_max^2. Unit: Hz. From 0 to
            1e+09.
        beta: Proportional gain, per second of delay; "auto" is 0.3 / rtt_max. Unit: Hz. From 0 to 1e+09.
        k: Coupling factor. From 0.1 to 100.
        min_th: Delay at which the marking of L4S packets begins. Unit: s. From 0 to 10.
        range: Width of the marking ramp above min_th; 0: a step. Unit: s. From 0 to 10.
        th_len: The ramp marks only while more than this many packets wait in the L4S queue. Unit: packets. From
            0 to 1e+06.
        scheduler: How the two queues share the link.
        classic_weight: Share of the link that weighted round robin keeps for the Classic queue. From 0 to 1.
        tshift: Time added to the waiting time of L4S packets in the time-shifted FIFO. Unit: s. From 0 to 10.
        ecn: Separate L4S from Classic packets and mark them; otherwise all packets are treated as Classic and
            not ECN-capable.
        l_dscp: Differentiated services codepoints whose packets wait in the L4S queue whatever their ECN field,
            such as [45] (NQB). From 0 to 63.
        c_dscp: Codepoints whose packets wait in the Classic queue whatever their ECN field. From 0 to 63.

    References:
        K. De Schepper, B. Briscoe, G. White, RFC 9332, 2023, appendix A
    """

    scheme: ClassVar[str] = "dualpi2"

    target: str = "15ms"
    rtt_max: str = "100ms"
    interval: str = "auto"
    alpha: float | str = "auto"
    beta: float | str = "auto"
    k: float | str = 2
    min_th: str = "800us"
    range: str = "400us"
    th_len: int = 1
    scheduler: Literal["wrr", "ts-fifo"] = "wrr"
    classic_weight: float | str = 0.0625
    tshift: str = "50ms"
    ecn: bool = True
    l_dscp: Sequence[int | str] | None = None
    c_dscp: Sequence[int | str] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class DualCurvyRed(Queue):
    """DualQ Coupled Curvy RED.

    Attributes:
        min_th: Average delay of the Classic queue below which no packet is marked or dropped. Unit: s. From 0
            to 10.
        range_c: Average delay above min_th at which every Classic packet is marked or dropped. Unit: s. From
            1e-06 to 100.
        gamma: Weight of one Classic packet in the average. From 0 to 1.
        k: Coupling factor. From 0.1 to 100.
        threshold: T, the delay above which every L4S packet is marked. Unit: s. From 0 to 10.
        u: U, the curviness: the probability of a Classic mark or drop grows with the delay to the power 2 U.
            From 1 to 16.
        scheduler: How the two queues share the link.
        classic_weight: Share of the link that weighted round robin keeps for the Classic queue. From 0 to 1.
        tshift: Time added to the waiting time of L4S packets in the time-shifted FIFO. Unit: s. From 0 to 10.
        ecn: Separate L4S from Classic packets and mark them; otherwise all packets are treated as Classic and
            not ECN-capable.
        l_dscp: Differentiated services codepoints whose packets wait in the L4S queue whatever their ECN field,
            such as [45] (NQB). From 0 to 63.
        c_dscp: Codepoints whose packets wait in the Classic queue whatever their ECN field. From 0 to 63.

    References:
        K. De Schepper, B. Briscoe, G. White, RFC 9332, 2023, appendix B
    """

    scheme: ClassVar[str] = "dual-curvy-red"

    min_th: str = "500us"
    range_c: str = "500ms"
    gamma: float | str = 0.03125
    k: float | str = 2
    threshold: str = "1ms"
    u: int = 1
    scheduler: Literal["wrr", "ts-fifo"] = "ts-fifo"
    classic_weight: float | str = 0.0625
    tshift: str = "50ms"
    ecn: bool = True
    l_dscp: Sequence[int | str] | None = None
    c_dscp: Sequence[int | str] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class FqCoDel(Queue):
    """Flow Queue CoDel.

    Attributes:
        flows: Number of queues to which the flows are hashed. From 1 to 1e+06.
        quantum: Bytes that a queue may send per round. It should be at least the largest packet: smaller values
            waste scheduling rounds. Unit: bytes. From 64 to 1e+09.
        drop_batch: Maximum number of packets in one batch of drops when the limit is exceeded. Unit: packets.
            From 1 to 1e+06.
        occupancy: The backlog that CoDel compares with `maxpacket`: the backlog of the link, or of the queue
            alone.
        target: Acceptable standing-queue delay. Unit: s. At least 0.
        interval: Time for which the sojourn time must stay above target before the first drop; also the time
            from the first drop to the second. Unit: s. From 1e-06 to 3600.
        maxpacket: No drop while at most this much waits behind the packet; "auto" is the link's largest packet.
            Unit: bytes. At least 0.
        ecn: Mark ECN-capable packets instead of dropping them.
        ce_threshold: Mark every ECN-capable packet that waited longer than this. Unit: s. At least 0.
        ce_threshold_for: Packets that `ce_threshold` marks.
        variant: The arithmetic of the RFC or of Linux 6.1.

    References:
        T. Hoeiland-Joergensen et al., The Flow Queue CoDel Packet Scheduler and Active Queue Management
        Algorithm, RFC 8290, 2018
    """

    scheme: ClassVar[str] = "fq-codel"

    flows: int = 1024
    quantum: str = "1514B"
    drop_batch: int = 64
    occupancy: Literal["link", "queue"] = "link"
    target: str = "5ms"
    interval: str = "100ms"
    maxpacket: str = "auto"
    ecn: bool = True
    ce_threshold: str | None = None
    ce_threshold_for: Literal["ect", "ect1"] = "ect"
    variant: Literal["rfc", "linux"] = "rfc"


@dataclass(frozen=True, kw_only=True, repr=False)
class FqPie(Queue):
    """Flow Queue PIE.

    Attributes:
        flows: Number of queues to which the flows are hashed. From 1 to 1e+06.
        quantum: Bytes that a queue may send per round. It should be at least the largest packet: smaller values
            waste scheduling rounds. Unit: bytes. From 64 to 1e+09.
        overflow: The packets that are dropped when the limit is exceeded: the arriving packet, or packets of
            the queue with most bytes.
        drop_batch: Maximum number of packets in one batch of drops from the queue with most bytes. Unit:
            packets. From 1 to 1e+06.
        ce_threshold: Mark every ECN-capable packet that waited longer than this. Unit: s. At least 0.
        ce_threshold_for: Packets that `ce_threshold` marks.
        target: Target queueing delay, QDELAY_REF. Unit: s. At least 0.
        t_update: Time between updates of the probability. Unit: s. At least 0.0001.
        alpha: Gain on the distance of the delay from target, per second of delay. From 0 to 1e+09.
        beta: Gain on the change of the delay, per second of delay. From 0 to 1e+09.
        max_burst: Burst allowance: time from the onset of congestion in which nothing is dropped early. Unit:
            s. At least 0.
        mean_packet: `MEAN_PKTSIZE`: no early drops while the queue holds at most two such packets; "auto" is
            the link's largest packet. Unit: bytes. At least 1.
        variant: The form of PIE.
        cap_drop: Limit a step of the probability to 0.02 while the probability is 0.1 or more; "auto" does so
            except in "basic".
        derandomization: Space drops by the sum of the probability over the arrivals since the last drop; "auto"
            does so except in "basic".
        activation: Drop nothing until the queue has filled a third of its limit; "auto" does so in "extended"
            only.
        delay: How the queueing delay is measured.
        dq_threshold: Bytes that depart in one measurement of the departure rate. Unit: bytes. From 1 to 65536.
        hz: Ticks per second of the kernel's clock: `t_update` is rounded up to whole ticks, plus one tick.
            Unit: 1/s. From 1 to 1e+06.
        ecn: Mark ECN-capable packets instead of dropping them.
        mark_ecnth: Probability from which ECN-capable packets are dropped like others. From 0 to 1.

    References:
        Linux, sch_fq_pie, 2020; RFC 8290 and RFC 8033
    """

    scheme: ClassVar[str] = "fq-pie"

    flows: int = 1024
    quantum: str = "1514B"
    overflow: Literal["arrival", "fattest"] = "arrival"
    drop_batch: int = 64
    ce_threshold: str | None = None
    ce_threshold_for: Literal["ect", "ect1"] = "ect"
    target: str = "15ms"
    t_update: str = "15ms"
    alpha: float | str = 0.125
    beta: float | str = 1.25
    max_burst: str = "150ms"
    mean_packet: str = "auto"
    variant: Literal["extended", "basic", "linux"] = "linux"
    cap_drop: Literal["auto", "on", "off"] | bool = "auto"
    derandomization: Literal["auto", "on", "off"] | bool = "auto"
    activation: Literal["auto", "on", "off"] | bool = "auto"
    delay: Literal["timestamp", "rate"] = "timestamp"
    dq_threshold: str = "16.384kB"
    hz: int | None = None
    ecn: bool = False
    mark_ecnth: float | str = 0.1


@dataclass(frozen=True, kw_only=True, repr=False)
class Cake(Queue):
    """Common Applications Kept Enhanced.

    Attributes:
        bandwidth: Rate of the shaper; absent: no shaping. Unit: bit/s. From 1000 to 1e+13.
        diffserv: How packets are divided into tins by their codepoint.
        isolation: The unit of fairness: flows, hosts, or both.
        flows: Queues in each tin. From 1 to 1e+06.
        rtt: Longest usual round-trip time of the flows. Unit: s. From 1e-05 to 1000.
        overhead: Overhead of each packet on the link behind the shaper; may be below 0. Unit: bytes. From -64
            to 256.
        mpu: Smallest size of a packet with its overhead on that link. Unit: bytes. From 0 to 256.
        cells: How that link divides a packet with its overhead: ATM cells, 64b/65b blocks of PTM, or not at
            all.
        ecn: Mark ECN-capable packets instead of dropping them.
        ack_filter: Remove queued ACKs that a newer ACK makes redundant.
        ingress: The bottleneck is in front of this queue: dropped packets count for the shaper, too.
        wash: Set the codepoint of each packet to 0 after its tin is chosen.

    References:
        T. Høiland-Jørgensen, D. Täht, J. Morton, Piece of CAKE: A Comprehensive Queue Management Solution for
        Home Gateways, IEEE LANMAN, 2018
    """

    scheme: ClassVar[str] = "cake"

    bandwidth: float | str | None = None
    diffserv: Literal["diffserv3", "diffserv4", "diffserv8", "precedence", "besteffort"] = "diffserv3"
    isolation: Literal[
        "triple-isolate", "dual-srchost", "dual-dsthost", "flows", "hosts", "srchost", "dsthost", "flowblind"
    ] = "triple-isolate"
    flows: int = 1024
    rtt: str = "100ms"
    overhead: str = "0B"
    mpu: str = "0B"
    cells: Literal["none", "atm", "ptm"] = "none"
    ecn: bool = True
    ack_filter: Literal["off", "conservative", "aggressive"] = "off"
    ingress: bool = False
    wash: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class Choke(Queue):
    """CHOKe.

    Attributes:
        draws: Number of packets drawn from the queue for comparison. From 1 to 100.
        candidate: The queued packet that is compared with the arriving packet.
        min_th: Average queue above which packets are dropped early; "auto" is 2.5 ms at the rate of the link,
            at least 5 packets. Unit: packets. At least 0.
        max_th: Average queue at which the drop probability reaches max_p; "auto" is three times min_th. Unit:
            packets. At least 0.
        max_p: Drop probability at max_th. From 0 to 1.
        w_q: Weight of one arrival in the average queue. "auto" gives a time constant of one second, "auto_rtt"
            of ten round trips, "auto_fast" of 0.1 s. From 0 to 1.
        gentle: Let the probability rise from max_p to 1 above max_th, instead of jumping there.
        gentle_top: Where the gentle ramp reaches 1.
        nonlinear: Nonlinear RED: the probability rises with the square of the average to 1.5 max_p at max_th.
        spacing: How drops are spaced.
        scale_by_size: How the drop probability depends on the size of the packet.
        guards: No early or forced drop while at most one packet (one byte, if measured in bytes) waits, and
            none of the first packet above min_th (ns-2).
        mean_packet: Typical packet size, for the idle time and for w_q "auto". Unit: bytes. From 1 to 1e+09.
        measure_in: Measure queue and thresholds in packets or in bytes.
        whole_average: At each arrival, subtract w_q floor(avg) from avg instead of w_q avg (Linux).
        ecn: Mark ECN-capable packets instead of dropping them early.
        mark_up_to: The range of the average in which packets are marked.

    References:
        R. Pan, B. Prabhakar, K. Psounis, CHOKe: A Stateless Active Queue Management Scheme for Approximating
        Fair Bandwidth Allocation, IEEE INFOCOM, 2000
    """

    scheme: ClassVar[str] = "choke"

    draws: int = 1
    candidate: Literal["random", "front", "back"] = "random"
    min_th: float | str = "5p"
    max_th: float | str = "15p"
    max_p: float | str = 0.1
    w_q: float | str = "auto"
    gentle: bool = False
    gentle_top: Literal["2max_th", "buffer"] = "2max_th"
    nonlinear: bool = False
    spacing: Literal["wait", "count", "none", "section4", "no_wait", "once"] = "count"
    scale_by_size: Literal["never", "p_b", "p_a"] = "never"
    guards: bool = False
    mean_packet: str = "1000B"
    measure_in: Literal["packets", "bytes"] = "packets"
    whole_average: bool = False
    ecn: bool = False
    mark_up_to: Literal["max_th", "max_p", "top", "always"] = "max_th"


@dataclass(frozen=True, kw_only=True, repr=False)
class Pq(Queue):
    """Priority Queueing.

    Attributes:
        classes: The classes, in the order in which their filters are tried.

    References:
        T. Alemu, Performance Evaluation of Quality of Service Mechanisms in the Internet, PhD thesis,
        Université Montpellier II, 2004
    """

    scheme: ClassVar[str] = "pq"

    classes: Sequence[Class]


@dataclass(frozen=True, kw_only=True, repr=False)
class Fq(Queue):
    """Fair Queueing.

    Attributes:
        by: Unit of fairness: each queue sends the same number of packets, or of bits.
        classes: Classes that share the link; absent: each flow is a class.

    References:
        A. Demers, S. Keshav, S. Shenker, Analysis and Simulation of a Fair Queueing Algorithm, SIGCOMM 1989
    """

    scheme: ClassVar[str] = "fq"

    by: Literal["packet", "bit"] = "packet"
    classes: Sequence[Class] | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Cbfq(Queue):
    """Class-Based Fair Queueing.

    Attributes:
        classes: The classes, in the order in which their filters are tried.

    References:
        T. Alemu, Performance Evaluation of Quality of Service Mechanisms in the Internet, PhD thesis,
        Université Montpellier II, 2004
    """

    scheme: ClassVar[str] = "cbfq"

    classes: Sequence[Class]


@dataclass(frozen=True, kw_only=True, repr=False)
class Wfq(Queue):
    """Weighted Fair Queueing.

    Attributes:
        classes: The classes, in the order in which their filters are tried.

    References:
        A. Parekh, R. Gallager, A Generalized Processor Sharing Approach to Flow Control, IEEE/ACM ToN 1(3),
        1993
    """

    scheme: ClassVar[str] = "wfq"

    classes: Sequence[Class]


@dataclass(frozen=True, kw_only=True, repr=False)
class Scfq(Queue):
    """Self-Clocked Fair Queueing.

    Attributes:
        classes: The classes, in the order in which their filters are tried.

    References:
        S. Golestani, A Self-Clocked Fair Queueing Scheme for Broadband Applications, INFOCOM 1994
    """

    scheme: ClassVar[str] = "scfq"

    classes: Sequence[Class]


@dataclass(frozen=True, kw_only=True, repr=False)
class Wf2q(Queue):
    """Worst-case fair Weighted Fair Queueing.

    Attributes:
        classes: The classes, in the order in which their filters are tried.

    References:
        J. Bennett, H. Zhang, WF2Q: Worst-case Fair Weighted Fair Queueing, INFOCOM 1996
    """

    scheme: ClassVar[str] = "wf2q"

    classes: Sequence[Class]


@dataclass(frozen=True, kw_only=True, repr=False)
class Cbq(Queue):
    """Class-Based Queueing.

    Attributes:
        classes: The classes, in the order in which their filters are tried.
        variant: Token buckets, or the estimator with packet-by-packet or weighted round robin.
        link_share: Share of the link's rate for all classes together; used by the estimator only. From 1e-06 to
            1.

    References:
        S. Floyd, V. Jacobson, Link-sharing and Resource Management Models for Packet Networks, IEEE/ACM ToN
        3(4), 1995
    """

    scheme: ClassVar[str] = "cbq"

    classes: Sequence[Class]
    variant: Literal["token-bucket", "prr", "wrr"] = "token-bucket"
    link_share: float | str = 0.98


@dataclass(frozen=True, kw_only=True, repr=False)
class Tcp(Traffic):
    """TCP flows; keys left out (None) have the default of the profile.

    Attributes:
        profile: Bundle of defaults for all other keys.
        flavour: Congestion control of the sender.
        window: Receive window: the maximum number of outstanding packets. The default of linux is the largest
            value, which limits nothing. Unit: packets. From 1 to 1e+08.
        packets: Length of the transfer in data packets; endless if neither this nor bytes is given. Packet
            numbers have 32 bits, so an endless transfer ends after 4294967295 packets. Unit: packets. From 1 to
            4e+09.
        bytes: Length of the transfer in bytes; with recovery = "ns2" it is rounded up to whole packets. Unit:
            bytes. From 1 to 4e+18.
        packet: User data per packet. Unit: bytes. From 1 to 65535.
        headers: Headers added to each data packet. Unit: bytes. From 0 to 1000.
        ack_size: Size of an ACK and of the SYN. Unit: bytes. From 1 to 1500.
        sack_block_size: Bytes that each SACK block adds to an ACK. Unit: bytes. From 0 to 100.
        sack_blocks: Largest number of SACK blocks in an ACK. From 1 to 4.
        min_rto: Minimum retransmission timeout (RFC 6298: 1 s). Unit: s. From 0 to 10000.
        rto_floor: Quantity that min_rto bounds: the whole timeout, or its variance term 4 RTTVAR as in Linux.
        max_rto: Maximum retransmission timeout, back-off included. Unit: s. From 0 to 10000.
        initial_rto: Retransmission timeout before the first round-trip time is measured (RFC 6298: 1 s). Unit:
            s. From 0 to 10000.
        tick: Granularity of the clock that measures round-trip times; 0 s: exact. Unit: s. From 0 to 10.
        phase: Time from the last tick of that clock to the start of the run; "ns2": the value of the first
            agent of an ns-2 run with the default seed. Unit: s. From 0 to 10.
        initial_window: Initial congestion window (RFC 6928: 10). Unit: packets. From 1 to 1e+06.
        initial_ssthresh: Initial slow start threshold; "window": the receive window. Unit: packets. From 2 to
            1e+09.
        delayed_ack: Longest time that an ACK waits for a second packet (RFC 1122: below 0.5 s). Unit: s. From 0
            to 0.5.
        ack_every: With delayed ACKs: number of data packets per ACK. RFC 5681: 2; larger values produce stretch
            ACKs. Unit: packets. From 2 to 255.
        quick_acks: With delayed ACKs: number of data packets at the start of the connection that are ACKed
            immediately. Unless it is 0, pushed packets (`write`) are ACKed immediately too. Unit: packets. From
            0 to 65535.
        quick_gap: With delayed ACKs: number of data packets after the 16th whose ACKs may be delayed although
            they are among the first `quick_acks`; 15 in recordings of Linux. Unit: packets. From 0 to 65535.
        write: User data that the application writes at a time. The packet in which a write ends is pushed
            (PSH), and so is the last packet of a transfer. 0: only the last packet is pushed. Unit: bytes. From
            0 to 4e+09.
        write_every: Time between writes of `write` bytes, the first at the start of the connection; otherwise
            the application always has data to send. Each write begins a new packet. With `packets` or `bytes`
            the writes end with the transfer. Unit: s. From 1e-06 to 10000.
        write_rate: Instead of write_every: mean rate of the user data written; without `write` each write is
            one packet. Unit: bit/s. From 1 to 1e+13.
        writes: Writes of these sizes at these times after the start of the connection, such as [["0s",
            "100kB"], ["1s", "50kB"]]; the transfer ends with the last.
        sack_delay: With delayed ACKs and SACK: from the fourth packet behind a gap on, an ACK waits for more
            packets. The wait is this time or a twentieth of the first round-trip time, whichever is shorter,
            plus 0.1 ms. 0 s: no wait. Unit: s. From 0 to 1.
        timer_tick: Period of the kernel clock: timers expire at its ticks as in Linux, tail-loss probes two
            ticks later, and CUBIC measures time in ticks. 0 s: exact timers. Unit: s. From 0 to 1.
        ecn: Explicit congestion notification (RFC 3168); dctcp and prague always use it.
        ecn_control: With ECN: ACKs, retransmissions and the SYN are ECN-capable as well, as RFC 8257 (sections
            3.6 and 5) and RFC 9331 (appendix A.2.1) recommend for dctcp and prague, for which it is on unless
            set. RFC 3168 forbids it.
        syn: The flow starts with a SYN of `ack_size` bytes without data, and sends data once that is ACKed. Not
            for vegas with recovery = "ns2".
        limited_transmit: Each duplicate ACK before a fast retransmit releases a new packet (RFC 3042).
        timestamps: Measure the round-trip time with every ACK (RFC 7323); otherwise with one packet per window,
            never with a retransmission (Karn's algorithm).
        dupack_threshold: Number of duplicate ACKs that signal a loss. From 1 to 1000.
        recovery: Rules of loss recovery: those of ns-2.35, or those of RFC 5681, 6582 and 6675.
        halving: Quantity that a loss halves: the used window as a real or as a whole number, or the number of
            packets in flight.
        counting: Unit by which the window grows: ACKs, or ACKed packets (RFC 3465).
        prr: In a recovery with SACK or NewReno, reduce the window in proportion to the delivered packets
            (proportional rate reduction): by RFC 9937 (also as true), by RFC 6937 with its slow start reduction
            bound, or as in Linux 6.1. "linux" is RFC 9937 with the congestion window before the reduction as
            RecoverFS, not the packets that may be delivered.
        dsack: With SACK: the receiver reports packets that it receives twice (duplicate SACK, RFC 2883). With
            rack, the reordering window of the sender adapts to these reports (RFC 8985, section 6.2).
        undo: With rack: restore the window when retransmissions prove needless, because the timestamp of an ACK
            (RFC 3522) or duplicate SACK (RFC 3708) shows that packets were late, not lost.
        rescue: Recovery by RFC 6675 may retransmit the highest outstanding packet once (rescue retransmission;
            NextSeg, rule 4).
        rack: With SACK: detect losses by sending times (RACK, RFC 8985), and reduce the window gradually after
            a mark as after a loss; otherwise detect losses by counts of reported packets (RFC 6675). bbr3
            always does.
        tlp: With SACK: send a tail-loss probe after two round trips without an ACK (RFC 8985, section 7).
        pacing: Spread packets over time instead of sending bursts: a window takes half of the round-trip time
            while it is below half of the slow start threshold, and 1/1.2 of it afterwards. Not available for
            vegas, nor for sack with recovery = "ns2". The flavours prague, bbr and bbr3 always pace, bbr and
            bbr3 at the rate of their model.
        offload: Segmentation offload: packets leave in trains. A train has the packets that the pacing rate
            sends in `offload_time`, at least two. If an ACK allows less than a train, the sender may wait for
            the next ACK (with rack).
        offload_time: With offload: duration of a train at the pacing rate. The default is 2^-10 s (Linux), for
            prague 250 us (RFC 9331, section 4.3). Trains of prague may be single packets. Unit: s. From 0 to 1.
        offload_max: With offload: maximum payload of a train. Unit: bytes. From 1 to 65536.
        gro: Generic receive offload: the receiver merges packets that arrive within this time of each other,
            and sends one ACK for them. A pushed packet ends the merging. 0 s: no merging, as in Linux unless
            the network interface delays interrupts. Unit: s. From 0 to 0.1.
        gro_max: With gro: maximum payload of merged packets. Unit: bytes. From 1 to 1e+06.
        hystart: Early end of slow start, before a loss. "on" (cubic): a train of ACKs or a rise of the delay
            ends slow start (HyStart). "++" (cubic, and sack with recovery = "rfc"): a rise of the delay slows
            the growth down, and after five rounds of slow growth slow start ends (HyStart++, RFC 9406).
        impatient: NewReno: only the first partial ACK restarts the retransmission timer (RFC 6582, section 4).
        deflation: NewReno: a partial ACK deflates the window by the number of packets that it acknowledges.
        alpha: Vegas: the window grows while the flow has fewer packets than this queued in the network. Unit:
            packets. From 0 to 1e+06.
        beta: Vegas: the window shrinks while the flow has more packets than this queued in the network. Unit:
            packets. From 0 to 1e+06.
        gamma: Vegas: slow start ends when the flow has more packets than this queued in the network. Unit:
            packets. From 0 to 1e+06.
        target: LEDBAT: target queueing delay (RFC 6817: at most 100 ms). Unit: s. From 0.001 to 10.
        gain: LEDBAT: growth of the window, in packets per round trip, without queueing delay (RFC 6817: at most
            1). Unit: packets. From 0.001 to 1000.
        margin: BBR: fraction of the estimated bandwidth that pacing leaves unused. From 0 to 0.5.
        arrivals: Gaps between transfers, each on its own connection, such as {"exp": "10ms"}.
        load: Instead of arrivals: average rate offered by transfers with exponential gaps.
        classes: Upper bounds of size classes with completion times of their own.
        rpm_of: Groups of TCP flows under whose load these transfers measure the responsiveness (`rpm`).
        watch: Whether series include the state of each sender; only for lasting connections.
        delays: Whether the one-way delays of data packets are measured, and of web sessions the times of pages.
    """

    kind: ClassVar[str] = "tcp"

    profile: Literal["ns2", "ns2-2001", "ns2-2003", "linux"] = "linux"
    flavour: (
        Literal["tahoe", "reno", "newreno", "sack", "vegas", "cubic", "dctcp", "prague", "bbr", "bbr3", "ledbat"] | None
    ) = None
    window: int | None = None
    packets: Mapping[str, Any] | int | None = None
    bytes: Mapping[str, Any] | str | None = None
    packet: str | None = None
    headers: str | None = None
    ack_size: str | None = None
    sack_block_size: str | None = None
    sack_blocks: int | None = None
    min_rto: str | None = None
    rto_floor: Literal["timeout", "variance"] | None = None
    max_rto: str | None = None
    initial_rto: str | None = None
    tick: str | None = None
    phase: str | None = None
    initial_window: float | str | None = None
    initial_ssthresh: int | str | None = None
    delayed_ack: str | bool | None = None
    ack_every: int | None = None
    quick_acks: int | None = None
    quick_gap: int | None = None
    write: str | None = None
    write_every: str | None = None
    write_rate: float | str | None = None
    writes: Sequence[Sequence[str]] | None = None
    sack_delay: str | None = None
    timer_tick: str | None = None
    ecn: bool | None = None
    ecn_control: bool | None = None
    syn: bool | None = None
    limited_transmit: bool | None = None
    timestamps: bool | None = None
    dupack_threshold: int | None = None
    recovery: Literal["ns2", "rfc"] | None = None
    halving: Literal["real", "whole", "flight"] | None = None
    counting: Literal["acks", "packets"] | None = None
    prr: Literal["off", "rfc6937", "rfc9937", "linux"] | None = None
    dsack: bool | None = None
    undo: bool | None = None
    rescue: bool | None = None
    rack: bool | None = None
    tlp: bool | None = None
    pacing: bool | None = None
    offload: bool | None = None
    offload_time: str | None = None
    offload_max: str | None = None
    gro: str | None = None
    gro_max: str | None = None
    hystart: Literal["off", "on", "++"] | bool | None = None
    impatient: bool | None = None
    deflation: bool | None = None
    alpha: float | str | None = None
    beta: float | str | None = None
    gamma: float | str | None = None
    target: str | None = None
    gain: float | str | None = None
    margin: float | str | None = None
    arrivals: Value | None = None
    load: str | None = None
    classes: Sequence[str] | None = None
    rpm_of: Sequence[str] | None = None
    watch: bool | None = None
    delays: bool | None = None


SCHEMES: dict[str, type[Queue]] = {
    "droptail": DropTail,
    "bernoulli": Bernoulli,
    "red": Red,
    "ared-floyd": AredFloyd,
    "ared-feng": AredFeng,
    "psand": Psand,
    "qlaw": Qlaw,
    "blue": Blue,
    "sred": Sred,
    "rem": Rem,
    "dsred": Dsred,
    "nonlinear": Nonlinear,
    "green": Green,
    "fred": Fred,
    "sfb": Sfb,
    "xred": Xred,
    "fb-red": FbRed,
    "bred": Bred,
    "rio": Rio,
    "wred": Wred,
    "wrt": Wrt,
    "cbt-red": CbtRed,
    "p": P,
    "pi": Pi,
    "avq": Avq,
    "lred": Lred,
    "sfc": Sfc,
    "codel": CoDel,
    "pie": Pie,
    "pi2": Pi2,
    "afd": Afd,
    "curvy-red": CurvyRed,
    "cobalt": Cobalt,
    "drop-front": DropFront,
    "push-out": PushOut,
    "drr": Drr,
    "tdrr": Tdrr,
    "qsdrr": Qsdrr,
    "dtdrr": Dtdrr,
    "dsdrr": Dsdrr,
    "sfq": Sfq,
    "wred-dfq": WredDfq,
    "shaper": Shaper,
    "ras": Ras,
    "dualpi2": DualPi2,
    "dual-curvy-red": DualCurvyRed,
    "fq-codel": FqCoDel,
    "fq-pie": FqPie,
    "cake": Cake,
    "choke": Choke,
    "pq": Pq,
    "fq": Fq,
    "cbfq": Cbfq,
    "wfq": Wfq,
    "scfq": Scfq,
    "wf2q": Wf2q,
    "cbq": Cbq,
}
