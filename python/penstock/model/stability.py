"""Stability of a scheme with TCP flows: translates the settings of the scheme to an AQM of the fluid model."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from penstock.aqms.red_thresholds import automatic_threshold
from penstock.model import Fluid, FluidLaw, FluidPi, FluidRed, red_weight

ETA = 1.5
"""W^2 p of the flows in equilibrium, by the square-root law, which the simulated TCP flows obey."""
SHARES: dict[str, Callable[[float], float]] = {
    "none": lambda p_b: p_b,
    "count": lambda p_b: 2 * p_b / (1 + p_b),
    "once": lambda p_b: 2 * p_b / (1 + p_b),
    "wait": lambda p_b: 2 * p_b / (3 - p_b),
    "section4": lambda p_b: min(1.0, 2 * p_b),
    "no_wait": lambda p_b: min(1.0, 2 * p_b),
}
"""Fraction of arrivals that RED drops or marks at a constant p_b, for each spacing: one over the mean gap."""

Setting = Callable[[str], Any]


@dataclass(frozen=True)
class FluidPrediction:
    """The prediction of the fluid model for a number of flows; fields are None if there is no equilibrium."""

    flows: int
    queue: float | None
    """Queue of the equilibrium, in packets."""
    is_damped: bool | None
    """Whether small disturbances decay."""
    phase_deg: float | None
    """Phase margin in degrees; None also if the gain of the loop is never 1."""
    gain: float | None = None
    """Gain margin, the factor on the loop's gain at which the loop begins to swing; None also if there is none."""
    omega: float | None = None
    """Frequency in rad/s at which the gain of the loop is 1; None also if there is none."""

    @property
    def summary(self) -> str:
        """The prediction in a few words, for a table."""
        if self.is_damped is None:
            return "no equilibrium"
        if not self.is_damped:
            return "swings"
        return "damped" if self.phase_deg is None else f"damped, {self.phase_deg:.0f}°"


@dataclass(frozen=True)
class FluidLoop:
    """A scheme on a link, in continuous time."""

    law: FluidLaw
    rtt: float
    """Round trip without queueing, in seconds."""
    capacity: float
    """Packets per second."""

    def predictions(self, flows: Sequence[int]) -> list[FluidPrediction]:
        """The damping for each number of flows."""
        fluid = Fluid(flows=list(flows), rtt=self.rtt, capacity=self.capacity, law=self.law, eta=ETA)
        queues, margins = np.asarray(fluid.equilibrium().queue), fluid.margins()
        columns = (margins.stable, margins.phase_deg, margins.gain, margins.phase_omega)
        rows = zip(flows, queues, *map(np.asarray, columns), strict=True)
        return [
            FluidPrediction(count, None, None, None)
            if np.isnan(queue)
            else FluidPrediction(count, float(queue), bool(stable), _finite(phase), _finite(gain), _finite(omega))
            for count, queue, stable, phase, gain, omega in rows
        ]

    def as_json(self, damping: Sequence[FluidPrediction]) -> dict[str, Any]:
        """The AQM as plain values, with its parameters as in `ps.model`."""
        numbers = asdict(self.law)  # type: ignore[call-overload]
        return {
            "law": {"class": type(self.law).__name__, **numbers},
            "rtt_s": self.rtt,
            "capacity_pps": self.capacity,
            "eta": ETA,
            "points": [
                {
                    "flows": d.flows,
                    "queue_pkts": d.queue,
                    "damped": d.is_damped,
                    "phase_margin_deg": d.phase_deg,
                    "gain_margin": d.gain,
                    "crossover_rad_s": d.omega,
                }
                for d in damping
            ],
        }


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def fluid_law(scheme: str, setting: Setting, capacity: float, packet: float, limit: float) -> FluidLaw | None:
    """The fluid AQM for RED or PI with these canonical settings (None: "auto"); None if the model lacks a setting.

    `capacity` of the link in packets per second, `packet` in bytes, `limit` in packets. An "auto" weight counts packets
    of the scheme's own mean_packet, as the scheme does. RED's drop function is
    approximated by a straight line to the fraction that is dropped at max_p. The model has no "auto" gains of PI, no
    weights of 0, 1 or "auto_rtt", no nonlinear RED and no probabilities that depend on the size of packets.
    """

    def setting_in_packets(name: str) -> float:
        """A threshold, limit or target, converted to packets of the mean size."""
        value = setting(name)
        if value is None:
            return automatic_length(name)
        if not isinstance(value, dict):
            return float(value)
        if "ns" in value:
            return float(value["ns"]) / 1e9 * capacity
        return float(value["packets"]) if "packets" in value else float(value["bytes"]) / packet

    def automatic_length(name: str) -> float:
        if name == "max_th":
            return 3 * setting_in_packets("min_th")
        mean = setting("mean_packet")
        size = int(mean["bytes"] if isinstance(mean, dict) else mean)
        table = {"scheme": scheme, "min_th": "auto", "mean_packet": f"{size}B"}
        automatic = automatic_threshold("min_th", table, 8 * packet * capacity)
        return math.nan if automatic is None else float(automatic.amount)

    if scheme == "red":
        if setting("nonlinear") or setting("scale_by_size") != "never" or setting("w_q") == "auto_rtt":
            return None
        constants = {None: 1.0, "auto_fast": 0.1}
        w_q = setting("w_q")
        if w_q in constants:
            mean = (
                setting("mean_packet")["bytes"] if isinstance(setting("mean_packet"), dict) else setting("mean_packet")
            )
            w_q = float(red_weight(capacity * packet / mean, time_constant=constants[w_q]))
        max_th = setting_in_packets("max_th")
        top = limit if setting("gentle_top") == "buffer" else 2 * max_th
        if not 0 < w_q < 1:
            return None
        return FluidRed(
            min_th=setting_in_packets("min_th"), max_th=max_th, w_q=w_q,
            max_p=SHARES[setting("spacing")](setting("max_p")),
            gentle_top=top if setting("gentle") and top > max_th else None,
        )  # fmt: skip
    if scheme == "pi":
        a, b, target = setting("a"), setting("b"), setting_in_packets("target")
        if a is None or b is None or a <= b or target <= 0:
            return None
        return FluidPi(a=a, b=b, frequency=1e9 / setting("interval")["ns"], target=target)
    return None
