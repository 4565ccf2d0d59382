"""The fluid model: N flows of TCP and an AQM as differential equations with a delay, and the margins of their loop."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from penstock import _native
from penstock.model._calls import POSITIVE, ArgumentRange, ModelError, Numbers, check_numbers, check_scalar
from penstock.model.fluid_laws import FluidLaw

FloatOrArray = npt.NDArray[np.float64] | float
Row = tuple[float, float, float, float]

_A_ROUND_TRIP = 20
"""Steps per round trip without queueing, as in `Fluid::step` of the native crate."""
_MOST_STEPS = 2_000_000


class FluidPoint(NamedTuple):
    """The equilibrium; NaN if there is none."""

    window: FloatOrArray
    """Window of a flow in packets."""
    queue: FloatOrArray
    """Packets."""
    probability: FloatOrArray
    """Fraction of packets that are dropped or marked."""
    rtt: FloatOrArray
    """Round trip with the queue, in seconds."""
    rate: FloatOrArray
    """Arrivals in packets per second."""


class LoopMargins(NamedTuple):
    """Distance of a loop from instability, by Nyquist's criterion; NaN if there is no equilibrium."""

    stable: npt.NDArray[np.bool_] | bool
    """Whether small disturbances decay; False if there is no equilibrium."""
    gain: FloatOrArray
    """Gain margin: the factor on the loop's gain, nearest to 1, that makes the loop marginally stable; infinite if
    there is none."""
    gain_omega: FloatOrArray
    """Frequency of the gain margin, in rad/s."""
    phase_deg: FloatOrArray
    """Phase margin: the additional lag in degrees, at the frequency of gain 1, that makes the loop marginally stable;
    negative for an unstable loop, NaN if the gain is never 1."""
    phase_omega: FloatOrArray
    """Frequency of the phase margin, in rad/s."""


class Bode(NamedTuple):
    """The open loop over frequency."""

    gain_db: npt.NDArray[np.float64]
    """20 log10 of the gain."""
    phase_deg: npt.NDArray[np.float64]
    """The phase in degrees, without jumps if the frequencies are dense enough."""


@dataclass(frozen=True)
class Trajectory:
    """A path of the fluid model, at the instants `time`."""

    time: npt.NDArray[np.float64]
    """Instants in seconds."""
    window: npt.NDArray[np.float64]
    """Mean window of a flow in packets."""
    queue: npt.NDArray[np.float64]
    """Packets."""
    probability: npt.NDArray[np.float64]
    """p of the AQM; the flows see it one round trip later."""
    law: dict[str, npt.NDArray[np.float64]]
    """The law's own state: `average` of RED, `price` of REM, `virtual_capacity` of AVQ and so on."""


@dataclass(frozen=True, kw_only=True)
class Fluid:
    """`flows` N of TCP through a link of `capacity` C packets per second under `law`; `rtt` T_p s without queueing.

    dW/dt = 1 / R - W W(t - R) p(t - R) / (eta R(t - R)), dq/dt = N W / R - C, R = T_p + q / C. `eta` is W^2 p in
    equilibrium: 2 in the papers, 3/2 for the square-root law. Drops count as marks, without timeouts; the queue has no
    limit. `flows`, `rtt`, `capacity` and `eta` may be arrays for all but `trajectory`, `loop` and `bode`.

    >>> from penstock.model import FluidRed
    >>> red = FluidRed(min_th=50, max_th=250, max_p=0.1, w_q=0.0004)
    >>> fluid = Fluid(flows=[20, 40, 80], rtt=0.1, capacity=2500, law=red)
    >>> fluid.margins().stable.tolist()
    [False, True, True]
    >>> np.round(fluid.equilibrium().queue, 1).tolist()
    [66.0, 101.7, 185.2]

    References: V. Misra, W. Gong, D. Towsley, SIGCOMM 2000; C. Hollot et al., INFOCOM 2001 and IEEE TAC 47(6), 2002.
    """

    flows: Numbers
    rtt: Numbers
    capacity: Numbers
    law: FluidLaw
    eta: Numbers = 2

    def equilibrium(self) -> FluidPoint:
        """The equilibrium of the flows and the AQM."""
        return FluidPoint(*self._each(_native.fluid_equilibrium))

    def margins(self) -> LoopMargins:
        """The stability margins of the equilibrium; for arrays of parameters they map the stability region."""
        stable, gain, gain_omega, phase, phase_omega = self._each(_native.fluid_margins)
        is_stable = np.equal(stable, 1.0)
        degrees = np.degrees(phase) if isinstance(phase, np.ndarray) else math.degrees(phase)
        flag = is_stable if isinstance(stable, np.ndarray) else bool(is_stable)
        return LoopMargins(flag, gain, gain_omega, degrees, phase_omega)

    def pole(self) -> npt.NDArray[np.complex128] | complex:
        """The pole of the closed loop with the largest real part, in 1/s: small disturbances evolve as e^(s t).

        >>> from penstock.model import FluidRed
        >>> red = FluidRed(min_th=50, max_th=250, max_p=0.1, w_q=0.0004)
        >>> np.round(Fluid(flows=60, rtt=0.1, capacity=2500, law=red).pole(), 2)
        np.complex128(-0.78+2.03j)
        """
        real, imaginary = self._each(_native.fluid_pole)
        if isinstance(real, np.ndarray):
            return np.asarray(real + 1j * np.asarray(imaginary))
        return complex(real, float(imaginary))

    def border_flows(self, low: float, high: float) -> FloatOrArray:
        """The number of flows between `low` and `high` at which the loop becomes stable, or ceases to be.

        The field `flows` is ignored. NaN if the loop is equally stable or unstable at both ends; a missing equilibrium
        counts as unstable.

        >>> from penstock.model import FluidRed
        >>> red = FluidRed(min_th=50, max_th=250, max_p=0.1, w_q=0.0004)
        >>> np.round(Fluid(flows=1, rtt=[0.1, 0.15, 0.2], capacity=2500, law=red).border_flows(2, 100), 1).tolist()
        [20.6, 41.0, 67.9]
        """
        ends = check_scalar("low", low, POSITIVE), check_scalar("high", high, POSITIVE)
        if ends[0] >= ends[1]:
            raise ModelError(f"low = {low:g}: must be below high ({high:g})")
        return self._each(lambda name, law, rows: _native.fluid_border(name, law, rows, *ends))[0]

    def loop(self, omega: Numbers) -> npt.NDArray[np.complex128]:
        """The open loop at these angular frequencies in rad/s: Nyquist's curve."""
        frequencies = check_numbers("omega", omega, POSITIVE)
        columns = _native.fluid_loop(*self.law._form(), self._row(), frequencies.ravel().tolist())
        if columns is None:
            raise ModelError("the flows and the law have no equilibrium")
        return (np.array(columns[0]) + 1j * np.array(columns[1])).reshape(frequencies.shape)

    def bode(self, omega: Numbers) -> Bode:
        """Gain and phase of the open loop at these angular frequencies in rad/s, in rising order."""
        values = np.atleast_1d(self.loop(omega))
        phase = np.unwrap(np.angle(values))
        # the loop starts with the lag of at most one integrator: from -180 to below 0
        phase -= 2 * np.pi * np.ceil(phase[0] / (2 * np.pi)) if phase[0] > 0 else 0
        return Bode(20 * np.log10(np.abs(values)), np.degrees(phase))

    def trajectory(
        self,
        duration: float,
        *,
        disturbance: float | None = None,
        sampling: float = 0.01,
        step: float | None = None,
    ) -> Trajectory:
        """The path over `duration` s, at each multiple of `sampling` s.

        It starts from rest: windows of one packet, an empty queue and an AQM in its initial state. With a `disturbance`
        it starts from the equilibrium, with the window larger by this fraction. `step` (s) is by default a twentieth of
        `rtt`, shortened so that `sampling` is a multiple of it; at most two million steps.

        >>> from penstock.model import FluidRed
        >>> red = FluidRed(min_th=50, max_th=250, max_p=0.1, w_q=0.0004)
        >>> path = Fluid(flows=60, rtt=0.1, capacity=2500, law=red).trajectory(100)
        >>> path.queue[-1].round(1).item(), path.law["average"][-1].round(1).item()
        (143.2, 143.2)
        """
        row = self._row()
        between = check_scalar("sampling", sampling, POSITIVE)
        samples = round(check_scalar("duration", duration, POSITIVE) / between)
        longest = (
            row[1] / _A_ROUND_TRIP if step is None else check_scalar("step", step, ArgumentRange(0, row[1], above=True))
        )
        every = math.ceil(between / longest - 1e-9)
        if samples * every > _MOST_STEPS:
            raise ModelError(f"duration = {duration:g}: more than {_MOST_STEPS} steps of {between / every:g} s")
        factor = (
            None
            if disturbance is None
            else 1 + check_scalar("disturbance", disturbance, ArgumentRange(-1, 1000, above=True))
        )
        columns = _native.fluid_trajectory(*self.law._form(), row, factor, between / every, every, samples)
        if columns is None:
            raise ModelError("the flows and the law have no equilibrium")
        names, (window, queue, probability, *state) = columns
        law = dict(zip(names, map(np.array, state), strict=True))
        time = between * np.arange(samples + 1, dtype=np.float64)
        return Trajectory(time, np.array(window), np.array(queue), np.array(probability), law)

    def _arguments(self) -> list[npt.NDArray[np.float64]]:
        if not isinstance(self.law, FluidLaw):
            raise ModelError(f"law = {self.law!r}: must be a law in continuous time, such as FluidRed")
        return [
            check_numbers("flows", self.flows, POSITIVE),
            check_numbers("rtt", self.rtt, POSITIVE),
            check_numbers("capacity", self.capacity, POSITIVE),
            check_numbers("eta", self.eta, POSITIVE),
        ]

    def _row(self) -> Row:
        arguments = self._arguments()
        if any(argument.ndim for argument in arguments):
            raise ModelError("flows, rtt, capacity, eta: must be single numbers here, not arrays")
        flows, rtt, capacity, eta = (float(argument) for argument in arguments)
        return flows, rtt, capacity, eta

    def _each(self, form: Callable[[str, list[float], list[Row]], list[list[float]]]) -> list[FloatOrArray]:
        """The columns that the native function returns for each combination of the broadcast arguments."""
        arguments = self._arguments()
        try:
            grid = np.broadcast_arrays(*arguments)
        except ValueError:
            shapes = ", ".join(str(argument.shape) for argument in arguments if argument.ndim)
            raise ModelError(f"the arguments have shapes that do not fit together: {shapes}") from None
        rows = list(zip(*(numbers.ravel().tolist() for numbers in grid), strict=True))
        columns = form(*self.law._form(), rows)
        shape = grid[0].shape
        return [np.array(column).reshape(shape) if shape else column[0] for column in columns]
