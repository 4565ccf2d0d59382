"""Design rules from the literature for choosing the parameters of a scheme.

Most rules describe the loop by the same three numbers: `flows` N, the smallest number of flows that must be stable;
`rtt` R, the longest round trip in seconds (`longest_rtt`); and `capacity` C, of the link in packets per second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from penstock.model._calls import (
    NOT_NEGATIVE,
    PER_ACK,
    POSITIVE,
    POSITIVE_PROBABILITY,
    ArgumentRange,
    ModelError,
    Numbers,
    call_native,
    check_numbers,
    check_scalar,
    check_word,
)

FloatOrArray = npt.NDArray[np.float64] | float


def _plant(flows: Numbers, rtt: Numbers, capacity: Numbers) -> tuple[npt.NDArray[np.float64], ...]:
    return (
        check_numbers("flows", flows, POSITIVE),
        check_numbers("rtt", rtt, POSITIVE),
        check_numbers("capacity", capacity, POSITIVE),
    )


def longest_rtt(buffer: Numbers, capacity: Numbers, propagation: Numbers) -> FloatOrArray:
    """R+ = B / C + Tp in seconds: the round trip through a full queue of `buffer` packets.

    References: thesis, equation 4.1.
    """
    return call_native(
        "plant.longest_rtt",
        check_numbers("buffer", buffer, NOT_NEGATIVE),
        check_numbers("capacity", capacity, POSITIVE),
        check_numbers("propagation", propagation, NOT_NEGATIVE),
    )


class PiGains(NamedTuple):
    """Gains of p += a (q - q_ref) - b (q_old - q_ref), per packet."""

    a: FloatOrArray
    """Gain of the present queue."""
    b: FloatOrArray
    """Gain of the queue one period ago."""
    omega_g: FloatOrArray
    """Crossover frequency in rad/s; the rule requires it to be well below 1 / R."""
    k_pi: FloatOrArray
    """Rise of p per second for each packet above the target."""


def pi_gains(flows: Numbers, rtt: Numbers, capacity: Numbers, frequency: Numbers) -> PiGains:
    """Gains of the PI controller that samples `frequency` times a second.

    >>> gains = pi_gains(3, 0.252, 187.5, 170)
    >>> f"{gains.a:.9f} {gains.b:.9f}"
    '0.000344519 0.000343500'

    References: thesis, equations 1.22 and 1.23; C. Hollot et al., INFOCOM 2001.
    """
    numbers = (*_plant(flows, rtt, capacity), check_numbers("frequency", frequency, POSITIVE))
    return PiGains(*(call_native(f"pi.{name}", *numbers) for name in PiGains._fields))


def avq_alpha(
    flows: Numbers,
    rtt: Numbers,
    capacity: Numbers,
    *,
    gamma: Numbers = 1,
    reading: Literal["printed", "corrected", "k11", "star"] = "corrected",
) -> FloatOrArray:
    """The largest damping alpha that keeps AVQ stable at the target utilization `gamma`; NaN if there is none.

    `reading` selects the form of Theorem 1: "printed"; "corrected", with the missing term and the right constant;
    "k11", the rule that gives the thesis' 0.251; "star", the corrected form where it has a solution, else k11.

    References: thesis, equations 1.18 and 1.19; S. Kunniyur, R. Srikant, 2001.
    """
    name = check_word("reading", reading, ("printed", "corrected", "k11", "star"))
    return call_native(
        f"avq.{name}", *_plant(flows, rtt, capacity), check_numbers("gamma", gamma, POSITIVE_PROBABILITY)
    )


class LredBounds(NamedTuple):
    """The two upper bounds of LRED's beta."""

    phase: FloatOrArray
    """The bound for stability."""
    second: FloatOrArray
    """sqrt(2 eta) (2 N)^4 / (R C)^3."""


def lred_beta(flows: Numbers, rtt: Numbers, capacity: Numbers, *, eta: Numbers = 1.5) -> LredBounds:
    """The upper bounds of LRED's gain.

    References: thesis, equation 1.26; C. Wang et al., INFOCOM 2004.
    """
    numbers = (*_plant(flows, rtt, capacity), check_numbers("eta", eta, POSITIVE))
    return LredBounds(*(call_native(f"lred.{name}", *numbers) for name in LredBounds._fields))


def p_crossover(flows: Numbers, rtt: Numbers, capacity: Numbers) -> FloatOrArray:
    """Crossover frequency of the proportional controller in rad/s, sqrt(2 N / (R^3 C))."""
    return call_native("p.crossover", *_plant(flows, rtt, capacity))


def p_slope(flows: Numbers, rtt: Numbers, capacity: Numbers) -> FloatOrArray:
    """The steepest stable rise of the drop probability per packet in the queue.

    References: thesis, section 1.2.2.3; C. Hollot et al., INFOCOM 2001.
    """
    return call_native("p.slope", *_plant(flows, rtt, capacity))


def p_threshold_distance(flows: Numbers, rtt: Numbers, capacity: Numbers, max_p: Numbers) -> FloatOrArray:
    """The minimum distance of the thresholds in packets, max_p / `p_slope`."""
    return call_native(
        "p.threshold_distance", *_plant(flows, rtt, capacity), check_numbers("max_p", max_p, POSITIVE_PROBABILITY)
    )


class SfcGains(NamedTuple):
    """Gains of p = p0 + k1 (q - q_ref) + k2 (lambda - C)."""

    p0: FloatOrArray
    """Probability at equilibrium; not limited to 1."""
    k1: FloatOrArray
    """Gain per packet above the target."""
    k2: FloatOrArray
    """Gain per packet per second above the capacity."""


def sfc_gains(flows: Numbers, rtt: Numbers, capacity: Numbers) -> SfcGains:
    """Gains of the state feedback controller: penstock's own design, which passes Routh's test."""
    numbers = _plant(flows, rtt, capacity)
    return SfcGains(*(call_native(f"sfc.{name}", *numbers) for name in SfcGains._fields))


def red_weight(capacity: Numbers, *, time_constant: Numbers = 1.0) -> FloatOrArray:
    """RED's w_q = 1 - exp(-1 / (C t)) for an average with a time constant of t seconds.

    References: thesis, section 2.4.1; S. Floyd et al., "Adaptive RED", 2001.
    """
    return call_native(
        "red_weight.weight",
        check_numbers("capacity", capacity, POSITIVE),
        check_numbers("time_constant", time_constant, POSITIVE),
    )


def red_drop_share(p_b: Numbers, *, spacing: Literal["none", "count", "wait"] = "wait") -> FloatOrArray:
    """Fraction of arrivals that RED drops in the long run at a constant p_b of 1e-6..1, for each spacing of drops.

    References: S. Floyd, V. Jacobson, 1993, section 7; "wait" is ns-2's.
    """
    p = check_numbers("p_b", p_b, ArgumentRange(1e-6, 1))
    name = check_word("spacing", spacing, ("none", "count", "wait"))
    if name == "none":
        return p if p.ndim else float(p)
    return call_native(f"red_spacing.{name}", p)


def psand_equilibrium(target: Numbers, coef: Numbers, gamma: Numbers) -> FloatOrArray:
    """The average queue in packets at which PSAND does not change max_p, KT coef^(-1 / gamma).

    References: thesis, equations 2.1 and 2.2.
    """
    return call_native(
        "psand.equilibrium",
        check_numbers("target", target, POSITIVE),
        check_numbers("coef", coef, POSITIVE),
        check_numbers("gamma", gamma, POSITIVE),
    )


def blue_steepest_rise(d1: Numbers, freeze: Numbers) -> FloatOrArray:
    """Maximum rise of BLUE's p per second, d1 / freeze_time (s)."""
    return call_native(
        "blue.steepest_rise", check_numbers("d1", d1, POSITIVE), check_numbers("freeze", freeze, POSITIVE)
    )


class DelayGains(NamedTuple):
    """Gains of p += alpha (d - target) + beta (d - d_old), per second of delay."""

    alpha: FloatOrArray
    """On the distance of the delay from its target."""
    beta: FloatOrArray
    """On the change of the delay."""
    t_update: FloatOrArray
    """Seconds between updates."""


def pie_gains(target: Numbers = 0.015, t_update: Numbers = 0.015) -> DelayGains:
    """PIE's gains for a target and a period in seconds, by the rules of thumb from the defaults of RFC 8033.

    >>> pie_gains(t_update=0.0075)
    DelayGains(alpha=0.0625, beta=1.28125, t_update=0.0075)

    References: RFC 8033, section 4.2.
    """
    numbers = (check_numbers("target", target, POSITIVE), check_numbers("t_update", t_update, POSITIVE))
    period = numbers[1]
    return DelayGains(
        call_native("pie.alpha", *numbers), call_native("pie.beta", *numbers), period if period.ndim else float(period)
    )


def dualpi2_gains(rtt_max: Numbers = 0.1, *, target: Numbers = 0.015) -> DelayGains:
    """DualPI2's gains and period for round trips of at most `rtt_max` seconds.

    The RFC prints 0.16 and 3.2, for a period of 16 ms and rounded up.

    References: RFC 9332, appendix A.1, figure 2.
    """
    longest = check_numbers("rtt_max", rtt_max, POSITIVE)
    period = call_native("dualpi2.period", check_numbers("target", target, POSITIVE), longest)
    return DelayGains(
        call_native("dualpi2.alpha", period, longest), call_native("dualpi2.beta", period, longest), period
    )


class RedSettings(NamedTuple):
    """RED's settings by REDopt, and its equilibrium."""

    p: FloatOrArray
    """Drop probability in equilibrium."""
    max_p: FloatOrArray
    """Twice `p`, times the margin."""
    w_q: FloatOrArray
    """Weight of an arrival in the average."""
    min_th: FloatOrArray
    """In packets."""
    max_th: FloatOrArray
    """In packets."""
    buffer: FloatOrArray
    """In packets."""
    rtt: FloatOrArray
    """Round trip in equilibrium, in seconds."""


def redopt(
    flows: Numbers,
    capacity: Numbers,
    rtt: Numbers,
    *,
    tcp_capacity: Numbers | None = None,
    b: Numbers = 1,
    min_rto: Numbers = 0.2,
    margin: Numbers = 1,
    spread: Literal["reg", "ctl"] = "reg",
) -> RedSettings:
    """RED's settings for an equilibrium half-way between the thresholds (REDopt); NaN where there is none.

    `rtt` is the mean round trip without queueing. `tcp_capacity` is the part of `capacity` left by other traffic, by
    default all of it; `margin` is the factor by which max_p is raised to allow for that traffic (1.1 in the paper).
    `spread` selects the rule for the distance of the thresholds: "reg", a regression with unverified coefficients, or
    "ctl", from control theory. `redopt_search` needs neither rule.

    References: C. Brandauer et al., ISCC 2001; T. Ziegler et al., IWQoS 2001; C. Hollot et al., INFOCOM 2001.
    """
    whole = check_numbers("capacity", capacity, POSITIVE)
    share = whole if tcp_capacity is None else check_numbers("tcp_capacity", tcp_capacity, POSITIVE)
    if np.any(share > whole):
        raise ModelError(f"tcp_capacity = {tcp_capacity}: must not be above the capacity ({capacity})")
    control = float(check_word("spread", spread, ("reg", "ctl")) == "ctl")
    numbers = (
        check_numbers("flows", flows, POSITIVE),
        whole,
        share,
        check_numbers("rtt", rtt, POSITIVE),
        check_numbers("b", b, PER_ACK),
        check_numbers("min_rto", min_rto, NOT_NEGATIVE),
        check_numbers("margin", margin, POSITIVE),
        control,
    )
    return RedSettings(*(call_native(f"redopt.{name}", *numbers) for name in RedSettings._fields))


def redopt_search(
    thresholds: Sequence[tuple[float, float]], measure: Callable[[float, float], tuple[float, float]]
) -> tuple[float, float] | None:
    """The thresholds with the least oscillation, of those with a mean within 5 % of their middle; None if none.

    `measure(min_th, max_th)` gives the mean and the standard deviation of the queue in packets, from a simulation or a
    measurement.

    References: C. Brandauer et al., ISCC 2001: what "optimal" means there.
    """
    best = None
    for low, high in thresholds:
        if not low < high:
            raise ModelError(f"thresholds = ({low:g}, {high:g}): the first must be below the second")
        mean, deviation = measure(low, high)
        middle = (low + high) / 2
        deviation = check_scalar("the measured deviation", deviation, NOT_NEGATIVE)
        if abs(mean - middle) < 0.05 * middle and (best is None or deviation < best[0]):
            best = (deviation, (low, high))
    return best and best[1]
