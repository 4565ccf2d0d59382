"""Response functions of TCP: mean window or rate of a long flow with congestion signals at a constant rate."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from penstock.model._calls import (
    NOT_NEGATIVE,
    PER_ACK,
    POSITIVE,
    POSITIVE_PROBABILITY,
    PROBABILITY,
    ArgumentRange,
    Numbers,
    call_native,
    check_numbers,
    check_word,
)

FloatOrArray = npt.NDArray[np.float64] | float
_WINDOW = ArgumentRange(1)
_FORMS = {
    "full": "padhye.rate",
    "approximate": "padhye.rate_approximate",
    "without-timeouts": "padhye.rate_without_timeouts",
}


def sqrt_law_window(p: Numbers, *, b: Numbers = 1) -> FloatOrArray:
    """Mean window in packets by the square-root law, sqrt(3 / (2 b p)); infinite at p = 0.

    `p` is the share of packets that are lost or marked, `b` the number of packets that an ACK covers. The law holds for
    p below about 0.02.

    >>> round(sqrt_law_window(0.01), 2)
    12.25

    References: thesis, equation 1; M. Mathis et al., 1997.
    """
    return call_native("sqrt_law.window", check_numbers("p", p, PROBABILITY), check_numbers("b", b, PER_ACK))


def sqrt_law_rate(p: Numbers, rtt: Numbers, *, b: Numbers = 1, capacity: Numbers = math.inf) -> FloatOrArray:
    """Packets per second by the square-root law, at most `capacity`; `rtt` in seconds.

    References: thesis, equation 1.
    """
    return call_native(
        "sqrt_law.rate",
        check_numbers("p", p, PROBABILITY),
        check_numbers("b", b, PER_ACK),
        check_numbers("rtt", rtt, POSITIVE),
        check_numbers("capacity", capacity, NOT_NEGATIVE),
    )


def sqrt_law_probability(window: Numbers, *, b: Numbers = 1) -> FloatOrArray:
    """The inverse of `sqrt_law_window`, at most 1. With C R / N as the window it is GREEN's law.

    References: thesis, equation 1.16 and section 2.4.5 (printed there without the square).
    """
    return call_native(
        "sqrt_law.probability", check_numbers("window", window, POSITIVE), check_numbers("b", b, PER_ACK)
    )


def aimd_window(p: Numbers, alpha: Numbers, beta: Numbers) -> FloatOrArray:
    """Mean window of a flow that adds `alpha` packets each round trip and keeps `beta` of its window at a loss.

    References: RFC 9438, section 4.3, figure 3.
    """
    return call_native(
        "sqrt_law.aimd_window",
        check_numbers("p", p, PROBABILITY),
        check_numbers("alpha", alpha, POSITIVE),
        check_numbers("beta", beta, ArgumentRange(0, 0.999_999)),
    )


def padhye_window_at_loss(p: Numbers, *, b: Numbers = 1) -> FloatOrArray:
    """E[W], the mean window in packets when a loss is detected; infinite at p = 0.

    References: J. Padhye et al., SIGCOMM 1998, section 2.1.
    """
    return call_native("padhye.window_at_loss", check_numbers("p", p, PROBABILITY), check_numbers("b", b, PER_ACK))


def timeout_share(p: Numbers, window: Numbers) -> FloatOrArray:
    """Q(p, w): probability that a loss in a window of w packets causes a timeout.

    References: J. Padhye et al., SIGCOMM 1998, section 2.2.
    """
    return call_native(
        "padhye.timeout_share", check_numbers("p", p, PROBABILITY), check_numbers("window", window, NOT_NEGATIVE)
    )


def padhye_rate(
    p: Numbers,
    rtt: Numbers,
    timeout: Numbers,
    *,
    b: Numbers = 1,
    window_limit: Numbers = math.inf,
    form: str = "full",
) -> FloatOrArray:
    """Packets that TCP Reno sends per second, including retransmissions, at a rate `p` of loss events (PFTK).

    `rtt` and the first retransmission `timeout` are in seconds, `window_limit` in packets. `form`: "full",
    "approximate" (also RFC 5348's, with its limits), or "without-timeouts", which is for marks (ECN).

    >>> round(padhye_rate(0.01, 0.1, 0.2), 1)
    115.7

    References: J. Padhye, V. Firoiu, D. Towsley, J. Kurose, "Modeling TCP Throughput", SIGCOMM 1998; RFC 5348,
    section 3.1.
    """
    name = _FORMS[check_word("form", form, _FORMS)]
    return call_native(name, check_numbers("p", p, PROBABILITY), *_path(rtt, timeout, b, window_limit))


def padhye_window(
    p: Numbers,
    *,
    rtt: Numbers = 1,
    timeout: Numbers = 0,
    b: Numbers = 1,
    window_limit: Numbers = math.inf,
    form: str = "without-timeouts",
) -> FloatOrArray:
    """Mean window in packets, `rtt` times `padhye_rate`; without timeouts, unless another `form` is requested.

    >>> round(padhye_window(0.05), 2)
    5.34
    """
    rate = padhye_rate(p, rtt, timeout, b=b, window_limit=window_limit, form=form)
    window: FloatOrArray = np.asarray(rtt, dtype=np.float64) * rate
    return window if isinstance(window, np.ndarray) and window.ndim else float(window)


def padhye_probability(
    rate: Numbers,
    rtt: Numbers,
    timeout: Numbers,
    *,
    b: Numbers = 1,
    window_limit: Numbers = math.inf,
    timeouts: bool = True,
) -> FloatOrArray:
    """The inverse of the full form: the loss rate at which `rate` packets per second are sent; NaN if there is none.

    With `timeouts=False`, it is the inverse of the form without timeouts. If there are two loss rates, the smaller one
    is returned: the model jumps up where its window reaches `window_limit`.
    """
    name = "padhye.probability" if timeouts else "padhye.probability_without_timeouts"
    return call_native(name, check_numbers("rate", rate, POSITIVE), *_path(rtt, timeout, b, window_limit))


def _path(rtt: Numbers, timeout: Numbers, b: Numbers, window_limit: Numbers) -> tuple[npt.NDArray[np.float64], ...]:
    return (
        check_numbers("rtt", rtt, POSITIVE),
        check_numbers("timeout", timeout, NOT_NEGATIVE),
        check_numbers("b", b, PER_ACK),
        check_numbers("window_limit", window_limit, _WINDOW),
    )


def cubic_window(p: Numbers, rtt: Numbers, *, c: Numbers = 0.4, beta: Numbers = 0.7) -> FloatOrArray:
    """CUBIC's mean window in packets with one loss after each 1 / p packets; at least Reno's.

    >>> round(cubic_window(1e-5, 0.1))
    1054

    References: RFC 9438, section 5, figures 3 and 6.
    """
    return call_native("cubic.window", check_numbers("p", p, POSITIVE_PROBABILITY), *_cubic(rtt, c, beta))


def cubic_probability(window: Numbers, rtt: Numbers, *, c: Numbers = 0.4, beta: Numbers = 0.7) -> FloatOrArray:
    """The inverse of `cubic_window`."""
    return call_native("cubic.probability", check_numbers("window", window, POSITIVE), *_cubic(rtt, c, beta))


def _cubic(rtt: Numbers, c: Numbers, beta: Numbers) -> tuple[npt.NDArray[np.float64], ...]:
    below_one = ArgumentRange(0, 0.999_999)
    return check_numbers("rtt", rtt, POSITIVE), check_numbers("c", c, POSITIVE), check_numbers("beta", beta, below_one)


def dctcp_window(p: Numbers) -> FloatOrArray:
    """DCTCP's mean window in packets, 2 / p, if each packet is marked with probability `p`.

    References: K. De Schepper et al., "PI2", CoNEXT 2016, appendix A.
    """
    return call_native("dctcp.window", check_numbers("p", p, PROBABILITY))


def dctcp_alpha(window: Numbers) -> FloatOrArray:
    """DCTCP's estimate of the fraction of marks with a marking threshold, for windows of W* = (C RTT + K) / N packets.

    References: M. Alizadeh et al., "Data Center TCP", SIGCOMM 2010, equation 6.
    """
    return call_native("dctcp.alpha", check_numbers("window", window, _WINDOW))


class Swing(NamedTuple):
    """The oscillation of a queue of DCTCP flows about its threshold."""

    alpha: FloatOrArray
    """Fraction of marks that the senders estimate."""
    highest: FloatOrArray
    """Longest queue in packets, K + N."""
    lowest: FloatOrArray
    """Shortest queue in packets; the link idles if it is below 0."""
    period: FloatOrArray
    """Round trips from one window reduction to the next."""


def dctcp_swing(flows: Numbers, window: Numbers, k: Numbers) -> Swing:
    """The queue of `flows` synchronized DCTCP flows; `window` is C RTT and `k` the threshold, in packets.

    References: M. Alizadeh et al., "Data Center TCP", SIGCOMM 2010, equations 7 to 11.
    """
    numbers = (
        check_numbers("flows", flows, POSITIVE),
        check_numbers("window", window, NOT_NEGATIVE),
        check_numbers("k", k, NOT_NEGATIVE),
    )
    return Swing(*(call_native(f"dctcp.swing.{name}", *numbers) for name in Swing._fields))


def dctcp_least_threshold(window: Numbers) -> FloatOrArray:
    """The minimum threshold in packets with which the queue never empties, C RTT / 7; `window` is C RTT.

    References: RFC 8257, section 3.1.
    """
    return call_native("dctcp.least_threshold", check_numbers("window", window, NOT_NEGATIVE))


def dctcp_largest_g(window: Numbers, k: Numbers) -> FloatOrArray:
    """The largest weight g of DCTCP's estimate that averages over an oscillation.

    `window` is C RTT, `k` the threshold, in packets.

    References: M. Alizadeh et al., "Data Center TCP", SIGCOMM 2010, equation 15.
    """
    return call_native(
        "dctcp.largest_g", check_numbers("window", window, POSITIVE), check_numbers("k", k, NOT_NEGATIVE)
    )
