"""AQMs in continuous time, for `Fluid`, with the parameters that the fluid model has."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

from penstock.model._calls import (
    NOT_NEGATIVE,
    POSITIVE,
    POSITIVE_PROBABILITY,
    PROBABILITY,
    ArgumentRange,
    ModelError,
    check_scalar,
)

_WEIGHT = ArgumentRange(0, 0.999999, above=True)


class FluidLaw(ABC):
    """A law in continuous time."""

    @abstractmethod
    def _form(self) -> tuple[str, list[float]]:
        """The name of the native law, and its parameters as numbers."""


def _red(
    min_th: float, max_th: float, max_p: float, w_q: float, gentle_top: float | None, lowest: ArgumentRange
) -> list[float]:
    low, high = check_scalar("min_th", min_th, NOT_NEGATIVE), check_scalar("max_th", max_th, POSITIVE)
    if low >= high:
        raise ModelError(f"min_th = {low:g}: must be below max_th ({high:g})")
    top = math.inf if gentle_top is None else check_scalar("gentle_top", gentle_top, POSITIVE)
    if top <= high:
        raise ModelError(f"gentle_top = {top:g}: must be above max_th ({high:g})")
    return [low, high, check_scalar("max_p", max_p, lowest), check_scalar("w_q", w_q, _WEIGHT), top]


@dataclass(frozen=True, kw_only=True)
class FluidRed(FluidLaw):
    """RED: d avg / dt = K (q - avg), K = -ln(1 - w_q) C, and p the control function of avg.

    Thresholds in packets; strict, or gentle with a ramp that reaches 1 at `gentle_top`. p is the fraction of packets
    dropped or marked, which corresponds to `spacing = "none"` of the scheme (see `red_drop_share` for the other
    spacings).

    References: C. Hollot et al., "A Control Theoretic Analysis of RED", INFOCOM 2001.
    """

    min_th: float
    max_th: float
    max_p: float
    w_q: float
    gentle_top: float | None = None

    def _form(self) -> tuple[str, list[float]]:
        return "red", _red(self.min_th, self.max_th, self.max_p, self.w_q, self.gentle_top, PROBABILITY)


@dataclass(frozen=True, kw_only=True)
class FluidPi(FluidLaw):
    """PI: p += a (q - target) - b (q_old - target), `frequency` times a second; `pi_gains` gives a and b; a > b.

    dp/dt = K_i (q - target) + K_p dq/dt, K_i = (a - b) f, K_p = (a + b) / 2. `target` in packets.

    References: thesis, equation 1.21.
    """

    a: float
    b: float
    frequency: float
    target: float

    def _form(self) -> tuple[str, list[float]]:
        a, b = check_scalar("a", self.a, POSITIVE), check_scalar("b", self.b, NOT_NEGATIVE)
        if a <= b:
            raise ModelError(f"a = {a:g}: must be above b ({b:g})")
        return "pi", [
            a,
            b,
            check_scalar("frequency", self.frequency, POSITIVE),
            check_scalar("target", self.target, POSITIVE),
        ]


@dataclass(frozen=True, kw_only=True)
class FluidRem(FluidLaw):
    """REM: a price moves each `interval` s by gamma (q - (1 - alpha) q_old - alpha target); p = 1 - phi^(-price).

    `target` in packets. The two variants of the scheme are equal while packets wait.

    References: thesis, equations 1.9 to 1.11.
    """

    gamma: float
    alpha: float
    phi: float
    interval: float
    target: float

    def _form(self) -> tuple[str, list[float]]:
        return "rem", [
            check_scalar("gamma", self.gamma, POSITIVE),
            check_scalar("alpha", self.alpha, POSITIVE_PROBABILITY),
            check_scalar("phi", self.phi, ArgumentRange(1, 1000, above=True)),
            check_scalar("interval", self.interval, POSITIVE),
            check_scalar("target", self.target, POSITIVE),
        ]


@dataclass(frozen=True, kw_only=True)
class FluidPie(FluidLaw):
    """PIE's controller with its scaled gains, without PIE's exceptions such as the burst allowance.

    `target` and `t_update` in seconds; `alpha` and `beta` per second of delay (`pie_gains`).

    References: RFC 8033, section 4.2.
    """

    target: float = 0.015
    alpha: float = 0.125
    beta: float = 1.25
    t_update: float = 0.015

    def _form(self) -> tuple[str, list[float]]:
        return "pie", _of_delay(self.target, self.alpha, self.beta, self.t_update)


@dataclass(frozen=True, kw_only=True)
class FluidPi2(FluidLaw):
    """PI2: PIE's controller, without its scaled gains, moves the square root of p.

    With `dualpi2_gains` it is DualPI2 while all its traffic is classic; scalable senders are not in the model.

    References: K. De Schepper et al., CoNEXT 2016; RFC 9332, appendix A.1.
    """

    target: float = 0.02
    alpha: float = 0.3125
    beta: float = 3.125
    t_update: float = 0.032

    def _form(self) -> tuple[str, list[float]]:
        return "pi2", _of_delay(self.target, self.alpha, self.beta, self.t_update)


def _of_delay(target: float, alpha: float, beta: float, t_update: float) -> list[float]:
    return [
        check_scalar("target", target, POSITIVE),
        check_scalar("alpha", alpha, POSITIVE),
        check_scalar("beta", beta, NOT_NEGATIVE),
        check_scalar("t_update", t_update, POSITIVE),
    ]


@dataclass(frozen=True, kw_only=True)
class FluidAvq(FluidLaw):
    """AVQ: the virtual capacity C~ moves by dC~/dt = alpha (gamma C - lambda), p = (lambda - C~) / lambda.

    In equilibrium the utilization is `gamma` and the queue is empty.

    References: thesis, equation 1.17; S. Kunniyur, R. Srikant, 2001.
    """

    alpha: float
    gamma: float = 0.98

    def _form(self) -> tuple[str, list[float]]:
        return "avq", [
            check_scalar("alpha", self.alpha, POSITIVE),
            check_scalar("gamma", self.gamma, POSITIVE_PROBABILITY),
        ]


@dataclass(frozen=True, kw_only=True)
class FluidLred(FluidLaw):
    """LRED: p = l + beta sqrt(l) (q - target), where the loss ratio l follows p.

    l lags by the mean age of its measurement: `periods` intervals of `interval` s, averaged with weight `mw` of the
    previous value. `target` in packets.

    References: thesis, equations 1.24 and 1.25; C. Wang et al., INFOCOM 2004.
    """

    beta: float
    target: float
    interval: float = 0.2
    periods: int = 4
    mw: float = 0.1

    def _form(self) -> tuple[str, list[float]]:
        return "lred", [
            check_scalar("beta", self.beta, POSITIVE),
            check_scalar("target", self.target, POSITIVE),
            check_scalar("interval", self.interval, POSITIVE),
            check_scalar("periods", self.periods, ArgumentRange(1, 1000, whole=True)),
            check_scalar("mw", self.mw, ArgumentRange(0, 0.999)),
        ]


@dataclass(frozen=True, kw_only=True)
class FluidPsand(FluidLaw):
    """PSAND: RED whose max_p is multiplied by coef (avg / target)^gamma (avg / avg_old)^gamma each `interval` s.

    `max_p` is the initial value, `max_p_low` and `max_p_high` are the bounds; the other parameters are those of
    `FluidRed`.

    References: thesis, equations 2.1 and 2.2.
    """

    target: float
    min_th: float
    max_th: float
    w_q: float
    gentle_top: float | None = None
    max_p: float = 0.1
    coef: float = 1.75
    gamma: float = 1.5
    interval: float = 0.5
    max_p_low: float = 0.01
    max_p_high: float = 0.75

    def _form(self) -> tuple[str, list[float]]:
        low = check_scalar("max_p_low", self.max_p_low, POSITIVE_PROBABILITY)
        high = check_scalar("max_p_high", self.max_p_high, POSITIVE_PROBABILITY)
        if low >= high:
            raise ModelError(f"max_p_low = {low:g}: must be below max_p_high ({high:g})")
        return "psand", [
            check_scalar("target", self.target, POSITIVE),
            check_scalar("coef", self.coef, POSITIVE),
            check_scalar("gamma", self.gamma, POSITIVE),
            check_scalar("interval", self.interval, POSITIVE),
            low,
            high,
            *_red(self.min_th, self.max_th, self.max_p, self.w_q, self.gentle_top, ArgumentRange(low, high)),
        ]
