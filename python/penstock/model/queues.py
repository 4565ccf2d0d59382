"""Queues: the queue law of Chung and Claypool for TCP, formulas for random arrivals, and bounds of fair schedulers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from penstock import _native
from penstock.model._calls import (
    NOT_NEGATIVE,
    PER_ACK,
    POSITIVE,
    PROBABILITY,
    ArgumentRange,
    ModelError,
    Numbers,
    call_native,
    check_numbers,
    check_scalar,
    check_whole_number,
    check_word,
)

FloatOrArray = npt.NDArray[np.float64] | float
_PLACES = ArgumentRange(1, 1000, whole=True)
_LOAD = ArgumentRange(0, 100)
_SERVERS = ArgumentRange(1, 1_000_000, whole=True)


class Crossing(NamedTuple):
    """An intersection of the queue law and a control function."""

    queue: float
    """Mean queue in packets."""
    signal_probability: float
    """The drop or mark probability that holds the flows at this queue."""
    at_jump: bool
    """Whether the control function jumps across the needed probability there, so that the queue oscillates about the
    jump."""


@dataclass(frozen=True, kw_only=True)
class QueueLaw:
    """The mean queue of long TCP flows at a constant probability of drops or marks.

    q = N W(p) / (1 + p) - RTLD SR for drops, without 1 + p for marks; 0 if negative. `rtld` is the round-trip delay of
    the links in seconds, `service_rate` SR in packets per second, `b` the number of packets that an ACK covers,
    `window_limit` in packets. The windows are those of `padhye_window`.

    The default is the authors' form: windows without timeouts, and drops counted against SR (`balance` "paper"). With
    `min_rto` (s), drops cause timeouts of max(min_rto, R), where R is the round trip with the queue. With `balance`
    "exact", L (1 - p) = 1. For drops, the two together are closest to simulations.

    >>> law = QueueLaw(rtld=0.08, service_rate=2500, signal="mark")
    >>> round(law.queue(100, 0.05))
    334

    References: J. Chung, M. Claypool, "Analysis of RED-Family Active Queue Management", 2003.
    """

    rtld: float
    service_rate: float
    signal: Literal["drop", "mark"] = "drop"
    min_rto: float | None = None
    b: float = 1
    window_limit: float = math.inf
    balance: Literal["paper", "exact"] = "paper"

    def _numbers(self) -> list[float]:
        return [
            check_scalar("rtld", self.rtld, POSITIVE),
            check_scalar("service_rate", self.service_rate, POSITIVE),
            check_scalar("b", self.b, PER_ACK),
            check_scalar("window_limit", self.window_limit, ArgumentRange(1)),
            float(check_word("signal", self.signal, ("drop", "mark")) == "mark"),
            math.nan if self.min_rto is None else check_scalar("min_rto", self.min_rto, NOT_NEGATIVE),
            float(check_word("balance", self.balance, ("paper", "exact")) == "exact"),
        ]

    def window(self, p: Numbers, q: Numbers = 0) -> FloatOrArray:
        """Mean window of a flow in packets at a probability and a queue; the queue matters only with timeouts."""
        return call_native(
            "queue_law.window",
            *self._numbers(),
            check_numbers("p", p, PROBABILITY),
            check_numbers("q", q, NOT_NEGATIVE),
        )

    def queue(self, flows: Numbers, p: Numbers) -> FloatOrArray:
        """Equation 2: mean queue in packets of `flows` flows at the probability `p`."""
        return call_native(
            "queue_law.queue",
            *self._numbers(),
            check_numbers("flows", flows, POSITIVE),
            check_numbers("p", p, PROBABILITY),
        )

    def probability(self, flows: Numbers, q: Numbers) -> FloatOrArray:
        """The inverse of `queue`: the probability in 1e-9..1 that holds the queue at `q` packets.

        NaN if there is none.
        """
        return call_native(
            "queue_law.probability",
            *self._numbers(),
            check_numbers("flows", flows, POSITIVE),
            check_numbers("q", q, NOT_NEGATIVE),
        )

    def flows(self, q: Numbers, p: Numbers) -> FloatOrArray:
        """The number of flows that have a mean queue of `q` packets at the probability `p`."""
        return call_native(
            "queue_law.flows", *self._numbers(), check_numbers("q", q, NOT_NEGATIVE), check_numbers("p", p, PROBABILITY)
        )

    def largest_flows(self, top: Numbers, p: Numbers) -> FloatOrArray:
        """The largest number of flows held below `top` packets by a probability that rises to `p` just below `top`.

        >>> QueueLaw(rtld=0.08, service_rate=2500, signal="mark").largest_flows(300, 0.1)  # RED, max_p 0.1, max_th 300
        133.0
        """
        return call_native(
            "queue_law.largest_flows",
            *self._numbers(),
            check_numbers("top", top, NOT_NEGATIVE),
            check_numbers("p", p, PROBABILITY),
        )

    def crossing(self, flows: float, control: Callable[[float], float], top: float) -> Crossing | None:
        """The intersection of the law with `control`, the probability of a scheme at a mean queue of 0..`top` packets.

        `control` must not decrease with the queue. None if the flows need a higher probability than `control` gives at
        `top`.

        >>> law = QueueLaw(rtld=0.08, service_rate=2500, signal="mark")
        >>> found = law.crossing(100, lambda q: red_control(q, 100, 300, 0.1), 500)
        >>> round(found.queue), round(found.signal_probability, 3), found.at_jump
        (244, 0.072, False)
        """
        count, top = check_scalar("flows", flows, POSITIVE), check_scalar("top", top, POSITIVE)
        crossing = _native.queue_law_crossing(self._numbers(), count, control, top)
        return None if crossing is None else Crossing(*crossing)


def red_control(
    q: Numbers, min_th: Numbers, max_th: Numbers, max_p: Numbers, *, gentle_top: Numbers | None = None
) -> FloatOrArray:
    """RED's control function: strict, or with the gentle ramp from max_p at max_th to 1 at `gentle_top` packets."""
    low, high = check_numbers("min_th", min_th, NOT_NEGATIVE), check_numbers("max_th", max_th, POSITIVE)
    if np.any(low >= high):
        raise ModelError(f"min_th = {min_th}: must be below max_th ({max_th})")
    top = np.asarray(math.nan) if gentle_top is None else check_numbers("gentle_top", gentle_top, POSITIVE)
    if np.any(top <= high):
        raise ModelError(f"gentle_top = {gentle_top}: must be above max_th ({max_th})")
    return call_native(
        "queue_law.red", check_numbers("q", q, NOT_NEGATIVE), low, high, check_numbers("max_p", max_p, PROBABILITY), top
    )


def mm1_probability(rho: Numbers, n: Numbers, limit: Numbers | None = None) -> FloatOrArray:
    """P(n in the system) of M/M/1 at a load `rho` of 0..1, or of M/M/1/K; K = `limit` counts the packet in service.

    References: L. Kleinrock, Queueing Systems, vol. 1, 1975, sections 3.2 and 3.6.
    """
    count = check_numbers("n", n, ArgumentRange(0, 1_000_000, whole=True))
    if limit is None:
        return call_native("mm1.probability", check_numbers("rho", rho, ArgumentRange(0, 1)), count)
    return call_native(
        "mm1.probability_of_k", check_numbers("rho", rho, _LOAD), check_numbers("limit", limit, _PLACES), count
    )


def mm1_waiting(rho: Numbers, limit: Numbers | None = None) -> FloatOrArray:
    """Mean number of waiting packets in M/M/1 (infinite from a load of 1), or in M/M/1/K with K = `limit`."""
    load = check_numbers("rho", rho, _LOAD)
    return (
        call_native("mm1.waiting", load)
        if limit is None
        else call_native("mm1.waiting_of_k", load, check_numbers("limit", limit, _PLACES))
    )


def mm1_loss(rho: Numbers, limit: Numbers) -> FloatOrArray:
    """Share of packets lost in M/M/1/K, where K = `limit` includes the packet in service.

    >>> round(mm1_loss(0.9, 5), 4)
    0.126
    """
    places = check_numbers("limit", limit, _PLACES)
    return call_native("mm1.probability_of_k", check_numbers("rho", rho, _LOAD), places, places)


def mg1_waiting(rho: Numbers, c2: Numbers) -> FloatOrArray:
    """Mean number of waiting packets in M/G/1; `c2` is the squared coefficient of variation of the service.

    References: L. Kleinrock, Queueing Systems, vol. 1, 1975, section 5.6 (Pollaczek and Khinchin).
    """
    return call_native("mg1.waiting", check_numbers("rho", rho, _LOAD), check_numbers("c2", c2, NOT_NEGATIVE))


def mg1_wait(rho: Numbers, c2: Numbers) -> FloatOrArray:
    """Mean wait in M/G/1, in mean service times."""
    return call_native("mg1.wait", check_numbers("rho", rho, _LOAD), check_numbers("c2", c2, NOT_NEGATIVE))


def md1_waiting(rho: Numbers, limit: Numbers | None = None) -> FloatOrArray:
    """Mean number of waiting packets in M/D/1, or in M/D/1/K, where K = `limit` includes the packet in service."""
    load = check_numbers("rho", rho, _LOAD)
    if limit is None:
        return call_native("mg1.waiting", load, 0.0)
    return call_native("md1.waiting_of_k", load, check_numbers("limit", limit, _PLACES))


def md1_loss(rho: Numbers, limit: Numbers) -> FloatOrArray:
    """Share of packets lost in M/D/1/K, where K = `limit` includes the one in service; small shares keep precision.

    >>> round(md1_loss(0.9, 5), 4)
    0.0644
    """
    return call_native("md1.loss", check_numbers("rho", rho, _LOAD), check_numbers("limit", limit, _PLACES))


def md1_distribution(rho: float, limit: int) -> npt.NDArray[np.float64]:
    """Probabilities of 0..K packets in M/D/1/K with K = `limit`."""
    load = check_scalar("rho", rho, ArgumentRange(0, 100, above=True))
    return np.array(_native.md1_distribution(load, check_whole_number("limit", limit, 1, 1000)))


def erlang_b(a: Numbers, servers: Numbers) -> FloatOrArray:
    """Erlang B: share of an offered load of `a` servers that is lost, with no place to wait.

    >>> round(erlang_b(4.461, 10), 4)
    0.01
    """
    return call_native("erlang.b", check_numbers("a", a, NOT_NEGATIVE), check_numbers("servers", servers, _SERVERS))


def erlang_c(a: Numbers, servers: Numbers) -> FloatOrArray:
    """Erlang C: share of arrivals that wait; 1 if the load is at least the number of servers."""
    return call_native("erlang.c", check_numbers("a", a, NOT_NEGATIVE), check_numbers("servers", servers, _SERVERS))


def erlang_wait(a: Numbers, servers: Numbers) -> FloatOrArray:
    """Mean wait in M/M/m, in mean service times; infinite if the load is at least the number of servers."""
    return call_native("erlang.wait", check_numbers("a", a, NOT_NEGATIVE), check_numbers("servers", servers, _SERVERS))


def gps_finished(weights: Sequence[float], arrivals: Sequence[tuple[float, int, float]]) -> npt.NDArray[np.float64]:
    """The time at which the fluid system of generalized processor sharing finishes each packet.

    `arrivals` are (time, class, size) in order of time, a class being an index of `weights`; the link serves one unit
    of size in one unit of time.

    >>> gps_finished([1, 3], [(0, 0, 3), (0, 1, 3)]).tolist()
    [6.0, 4.0]

    References: A. Parekh, R. Gallager, IEEE/ACM ToN 1(3), 1993.
    """
    shares = [check_scalar("weights", weight, POSITIVE) for weight in weights]
    last = 0.0
    packets = []
    for at, klass, size in arrivals:
        time = check_scalar("arrivals: time", at, NOT_NEGATIVE)
        if time < last:
            raise ModelError(f"arrivals: time = {at}: must be in order, not before {last}")
        last = time
        index = check_whole_number("arrivals: class", klass, 0, len(shares) - 1)
        packets.append((time, index, check_scalar("arrivals: size", size, POSITIVE)))
    return np.array(_native.gps_finished(shares, packets))


def gps_longest_delay(sigma: Numbers, rate: Numbers, largest: Numbers, link_rate: Numbers) -> FloatOrArray:
    """The longest delay of a class that sends at most sigma + rho t, with `rate` >= rho guaranteed, under WFQ.

    It is sigma / rate + largest / link_rate, in any consistent units. With `largest` = 0 it is the delay in the fluid
    system.

    References: A. Parekh, R. Gallager, IEEE/ACM ToN 1(3), 1993, theorems 1 and 3.
    """
    return call_native(
        "gps.longest_delay",
        check_numbers("sigma", sigma, NOT_NEGATIVE),
        check_numbers("rate", rate, POSITIVE),
        check_numbers("largest", largest, NOT_NEGATIVE),
        check_numbers("link_rate", link_rate, POSITIVE),
    )
