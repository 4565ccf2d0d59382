"""Operating points: the queue at which TCP flows settle, where a control function meets the queue law."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from penstock.model import QueueLaw
from penstock.model.stability import FluidPrediction

MIN_RTO = 0.2
"""Minimum retransmission timeout of the flows in seconds, for drops."""
MAX_ROWS = 8
POINTS = 401
HIGHEST = 0.5
"""Above this probability the queue law does not apply: windows are almost closed."""
_JUST = 1e-9

Control = Callable[[float], float]


@dataclass(frozen=True)
class OperatingPoint:
    """The point at which this number of flows settles."""

    flows: int
    queue: float | None
    """Mean queue in packets; None if the queue grows beyond the limit."""
    probability: float | None
    """The probability that holds the flows at this queue."""
    is_stable: bool
    """Whether the point is below the end of the stable part and not at a jump."""
    why: str
    """"stable", or why the point is not: e.g. "fills the buffer" or "past the stable part"."""


@dataclass(frozen=True)
class OperatingCurve:
    """A control function and the queue law.

    The stable part of a control function ends where it leaves max_p by a jump or a steeper ramp, reaches 0.5, or meets
    the limit of the queue: for RED the "well-configured" region of Chung and Claypool, min_th < q < max_th.
    """

    control: Control
    """Fraction of packets dropped or marked as a function of the mean queue in packets; must not decrease."""
    law: QueueLaw
    limit: float
    """In packets."""
    end: float
    """End of the stable part in packets."""
    stable_end_reason: str
    """Why the stable part ends there."""
    largest_adapted_max_p: float | None = None
    """The largest max_p of a scheme that adapts max_p; the control function is drawn for this value."""
    spacing: str | None = None
    """RED's spacing, which determines the fraction of packets dropped at a given p_b; None for other AQMs."""

    @classmethod
    def from_control(
        cls,
        control: Control,
        law: QueueLaw,
        limit: float,
        max_p: float | None,
        adapts_to: float | None,
        spacing: str | None = None,
    ) -> OperatingCurve:
        """The operating curve with the end of its stable part; `max_p` is None for a scheme without one."""
        end, why = limit, "the limit of the queue"
        leaves = _first(control, limit, max_p) if max_p is not None and max_p <= HIGHEST else None
        if leaves is not None and _breaks(control, leaves):
            end, why = leaves, "where it leaves max_p"
        elif (at := _first(control, limit, HIGHEST)) is not None:
            end, why = at, f"where it reaches {HIGHEST}"
        return cls(control, law, limit, end, why, adapts_to, spacing)

    def curve(self) -> tuple[list[float], list[float]]:
        """The control function, from an empty queue to the limit."""
        xs = [float(x) for x in np.linspace(0, self.limit, POINTS)]
        return xs, [self.control(x) for x in xs]

    def needed_probability(self, flows: int) -> tuple[list[float], list[float]]:
        """The probability that holds each mean queue by the queue law, if there is one."""
        xs = np.linspace(0, self.limit, POINTS)
        ys: npt.NDArray[np.float64] = np.asarray(self.law.probability(flows, xs))
        is_finite = np.isfinite(ys)
        return xs[is_finite].tolist(), ys[is_finite].tolist()

    def point(self, flows: int) -> OperatingPoint:
        """The point at which this number of flows settles."""
        point = self.law.crossing(flows, self.control, self.limit)
        if point is None:
            return OperatingPoint(flows, None, None, False, "fills the buffer")
        if point.queue == 0:
            return OperatingPoint(flows, 0.0, point.signal_probability, False, "leaves the link idle")
        inside = point.queue < self.end * (1 - _JUST)
        if inside and not point.at_jump:
            return OperatingPoint(flows, point.queue, point.signal_probability, True, "stable")
        why = "swings across the jump" if point.at_jump else "past the stable part"
        return OperatingPoint(flows, point.queue, point.signal_probability, False, why)

    def largest_flows(self, law: QueueLaw | None = None) -> int:
        """The largest number of flows that the stable part holds, by the queue law given here or by another one."""
        if self.end == 0:
            return 0
        below = self.control(self.end * (1 - _JUST))
        return int((law or self.law).largest_flows(self.end, below))


def flow_counts(low: int, high: int) -> list[int]:
    """Evenly spaced numbers of flows from `low` to `high`, at most 8."""
    count = min(MAX_ROWS, high - low + 1)
    return [round(low + (high - low) * i / max(count - 1, 1)) for i in range(count)]


def queue_law(signal: str, rtld: float, service_rate: float) -> QueueLaw:
    """The law for drops or marks; `rtld` in seconds, `service_rate` in packets per second.

    For drops it is the form closest to simulations: timeouts of max(`MIN_RTO`, R) and the exact balance. For marks all
    forms are equal.
    """
    if signal == "mark":
        return QueueLaw(rtld=rtld, service_rate=service_rate, signal="mark")
    return QueueLaw(rtld=rtld, service_rate=service_rate, min_rto=MIN_RTO, balance="exact")


def operating_table(points: Sequence[OperatingPoint], damping: Sequence[FluidPrediction] = ()) -> str:
    """A line for each number of flows, with the prediction of the fluid model if there is one."""
    lines = [f"{'flows':>6} {'queue (packets)':>16} {'probability':>12}" + ("   fluid model" if damping else "")]
    for n, point in enumerate(points):
        queue = "-" if point.queue is None else f"{point.queue:.1f}"
        probability = "-" if point.probability is None else f"{point.probability:.4f}"
        fluid = f"{damping[n].summary:<14}   " if damping else ""
        lines.append(f"{point.flows:>6} {queue:>16} {probability:>12}   {fluid}{point.why}")
    return "\n".join(lines)


def damping_table(damping: Sequence[FluidPrediction]) -> str:
    """The predictions of the fluid model alone, for a scheme without a control function."""
    if not damping:
        return ""
    lines = [f"{'flows':>6} {'queue (packets)':>16}   fluid model"]
    lines += [f"{d.flows:>6} {'-' if d.queue is None else f'{d.queue:.1f}':>16}   {d.summary}" for d in damping]
    return "\n".join(lines)


def picture_notes(operating: OperatingCurve, largest: Mapping[str, int]) -> str:
    """Notes below the picture of operating points, with the number of flows that the scheme holds."""
    law = operating.law
    held = " and ".join(f"{count} by {signal}s" for signal, count in largest.items())
    rises = (
        "" if operating.largest_adapted_max_p is None
        else f"The scheme moves max_p: drawn at {operating.largest_adapted_max_p:g}, the highest, "
        "where it holds most flows. "
    )  # fmt: skip
    timeouts = "" if law.min_rto is None else f", timeouts of at least {1e3 * law.min_rto:g} ms"
    spaced = "" if operating.spacing in (None, "none") else f', the share dropped with spacing "{operating.spacing}"'
    return (
        f"Rising: the control function{spaced}. "
        "Falling: the probability that the fewest and the most flows need for a mean "
        f"queue (queue law of Chung and Claypool, {law.signal}s{timeouts}, {law.service_rate:.5g} packets/s, "
        f"{1e3 * law.rtld:g} ms). They settle where the two meet: ● stable, ○ not. {rises}The stable part ends at "
        f"{operating.end:.4g} packets, {operating.stable_end_reason}; the most flows that it holds: {held}."
    )


def probability_axis_top(operating: OperatingCurve, points: Sequence[OperatingPoint]) -> float:
    """The largest probability in the picture: a little above the points that are near the stable part."""
    below = operating.control(operating.end * (1 - _JUST)) or 0.1
    highest = [p.probability for p in points if p.probability is not None and p.probability < 3 * below]
    return min(1.0, 1.3 * max([below, *highest]))


def operating_json(
    operating: OperatingCurve, points: Sequence[OperatingPoint], largest: Mapping[str, int]
) -> dict[str, Any]:
    """The operating points as plain values; queues in packets."""
    law = operating.law
    return {
        "signal": law.signal,
        "rtld_s": law.rtld,
        "service_rate_pps": law.service_rate,
        "min_rto_s": law.min_rto,
        "balance": law.balance,
        "stable_below_pkts": operating.end,
        "adapts_to_max_p": operating.largest_adapted_max_p,
        "spacing": operating.spacing,
        "largest_flows": dict(largest),
        "points": [
            {"flows": p.flows, "queue_pkts": p.queue, "probability": p.probability, "stable": p.is_stable, "why": p.why}
            for p in points
        ],
    }


def _first(control: Control, limit: float, p: float) -> float | None:
    """The first queue up to the limit at which the control function reaches `p`."""
    low, high, probability = 0.0, limit, p * (1 - _JUST)
    if control(high) < probability:
        return None
    if control(low) >= probability:
        return low
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if control(middle) >= probability else (middle, high)
    return high


def _breaks(control: Control, at: float) -> bool:
    """Whether the control function jumps at a queue, or becomes more than twice as steep there."""
    step = at * 1e-4
    before, after = control(at - step) - control(at - 2 * step), control(at + 2 * step) - control(at + step)
    return control(at + step) - control(at - step) > 0.01 or after > 2 * before
