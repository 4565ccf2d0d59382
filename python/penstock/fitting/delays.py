"""Queueing delays: in front of the point of capture from timestamps, behind it from acknowledgements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from penstock.fitting.flows import Bools, Floats, Flow
from penstock.fitting.packets import Ints

__all__ = ["BEHIND", "FRONT", "Back", "Delays", "clock", "delays", "way_back"]

FRONT, BEHIND = "in front of", "behind"
"""Where the queue is, seen from the point of capture."""

TICKS = np.array([1e-9, 1e-6, 1e-3, 4e-3, 10e-3, 0.1, 0.5])
"""Units of TCP timestamps in use, in seconds."""

NEAR_S = 0.02
"""A delay belongs to a loss if their packets reached the queue within this time."""

FEWEST_PAIRS = 50
"""Pairs of delays that a comparison of flows needs."""

ROUNDS = 20
"""Iterations of the offsets of flows."""


Back = Callable[[Floats], Floats]
"""Queueing delays of acknowledgements on their way to the point of capture, by the times at which they passed."""


@dataclass(frozen=True)
class Delays:
    """Samples of the queueing delay of one direction, in the order in which their packets reached the queue.

    Attributes:
        side: `FRONT` or `BEHIND`.
        t: times at which the packets reached the queue, in seconds.
        seen: times at which their departure from the queue was seen at the point of capture.
        wait: queueing delays in seconds.
        flow: numbers of the flows.
        base: per flow, what was subtracted: the round trip behind the point of capture, or an offset of clocks.
        resolution: unit in which the delays are known, in seconds.
        lost_from: times of losses, in the same sense as `t`: each was between this time and `lost_t`.
        lost_t: the latest times of the losses.
        lost_wait: queueing delay of the packets next to each loss, the longest if there are several; NaN without.

    """

    side: str
    t: Floats
    seen: Floats
    wait: Floats
    flow: Ints
    base: dict[int, float]
    resolution: float
    lost_from: Floats
    lost_t: Floats
    lost_wait: Floats

    @property
    def is_seen(self) -> bool:
        """Whether a queue was seen at all."""
        return len(self.wait) >= 20 and self.high > max(2e-3, 2 * self.resolution)

    @property
    def high(self) -> float:
        """A high quantile of the delay: the 95th percentile."""
        return float(np.quantile(self.wait, 0.95)) if len(self.wait) else 0.0

    @cached_property
    def pairs(self) -> Ints:
        """The samples whose successor is of another flow and reached the queue at nearly the same time."""
        apart = np.diff(self.t)
        near = min(max(2 * float(np.median(apart)), 2e-4), 0.03) if len(apart) else 0.0
        return np.flatnonzero((np.diff(self.flow) != 0) & (apart <= near))

    @property
    def interleaved(self) -> float:
        """Share of packets with a successor of another flow."""
        return len(self.pairs) / max(1, len(self.t) - 1)

    def disagreement(self) -> float:
        """How much the delays of different flows differ at the same time; NaN if too few can be compared.

        0: all flows wait in one queue; 1: their delays are unrelated. The offset of each flow does not count.
        """
        first = self.pairs
        if len(first) < FEWEST_PAIRS:
            return float("nan")
        wait = self.wait.copy()
        for number in np.unique(self.flow):
            mine = self.flow == number
            wait[mine] -= np.median(wait[mine])
        noise = 2 * self.resolution**2 / 12
        total = _variance(wait[first + 1]) + _variance(wait[first])
        if total < max(4 * noise, 1e-6):
            return float("nan")
        return max(0.0, _variance(wait[first + 1] - wait[first]) - noise) / (total - noise)

    def calibrated(self) -> Delays:
        """The same with the base of each flow corrected by the delays of others in the same queue.

        The minimum of a flow that never met an empty queue is too high, so that its delays are too low.
        """
        first, second = self.pairs, self.pairs + 1
        mine = np.concatenate([self.flow[first], self.flow[second]])
        other = np.concatenate([self.flow[second], self.flow[first]])
        ahead = np.concatenate([self.wait[second] - self.wait[first], self.wait[first] - self.wait[second]])
        count = np.bincount(mine, minlength=max(self.base) + 1)
        is_long = count >= FEWEST_PAIRS
        rows = {number: np.flatnonzero((mine == number) & is_long[other]) for number in np.unique(mine)}
        missing, group = np.zeros(len(count)), np.arange(len(count))
        for _ in range(ROUNDS):
            for number, of_flow in rows.items():
                if is_long[number] and len(of_flow):
                    missing[number] = np.median(ahead[of_flow] + missing[other[of_flow]])
                    group[number] = min(group[number], group[other[of_flow]].min())
        for number in np.unique(group[is_long]):
            missing[group == number] -= missing[group == number].min()
        for number, of_flow in rows.items():
            if not is_long[number] and len(of_flow):
                missing[number] = max(0.0, np.median(ahead[of_flow] + missing[other[of_flow]]))
        wait = self.wait + missing[self.flow]
        base = {number: value - float(missing[number]) for number, value in self.base.items()}
        return replace(self, wait=wait, base=base, lost_wait=_waits(self.t, wait, self.lost_from, self.lost_t))


def _variance(values: Floats) -> float:
    """The variance of the normal distribution with the same quartiles, which bursts of deviating values do not move."""
    low, high = np.quantile(values, [0.25, 0.75])
    return float((high - low) / 1.349) ** 2


def delays(flows: Sequence[Flow], back: Back) -> Delays | None:
    """The delays on the side with the queue; None if neither side tells any."""
    both = [each for each in (_front(flows), _behind(flows, back)) if each is not None]
    if len(both) < 2:
        return both[0] if both else None
    front, behind = both
    lost = len(front.lost_t), len(behind.lost_t)
    if max(lost) >= 5 and max(lost) > 3 * min(lost):
        return both[lost.index(max(lost))]
    return front if front.high - front.resolution > behind.high else behind


def clock(flow: Flow) -> tuple[Ints, float] | None:
    """Ticks of the sender's clock at the sending of each packet, from the first one on, and their unit; None without.

    The unit is NaN if the flow is too short to tell it.
    """
    values = flow.packets.tsval
    if (values < 0).any() or len(values) < 3:
        return None
    ticks = np.cumsum((np.diff(values, prepend=values[0]) + 2**31) % 2**32 - 2**31)
    if ticks[-1] < 20 or flow.t[-1] - flow.t[0] < 1:
        return ticks, float("nan")
    unit = (flow.t[-1] - flow.t[0]) / ticks[-1]
    nearest = float(TICKS[np.abs(np.log(TICKS / unit)).argmin()])
    return ticks, nearest if abs(unit / nearest - 1) < 0.2 else float(unit)


def _front(flows: Sequence[Flow]) -> Delays | None:
    rows, base, resolution, lost = [], {}, 0.0, []
    clocks = {number: known for number, flow in enumerate(flows) if (known := clock(flow)) is not None}
    units = [unit for _, unit in clocks.values() if unit == unit]
    usual = float(np.median(units)) if units else 1e-3
    for number, (ticks, own) in clocks.items():
        flow, unit = flows[number], own if own == own else usual
        value = flow.t - ticks * unit
        base[number] = float(value.min())
        # The clock shows its last tick: delays are too long by half a unit on average.
        wait = np.maximum(value - base[number] - unit / 2, 0)
        rows.append((flow.t - wait, flow.t, wait, np.full(len(wait), number)))
        resolution = max(resolution, unit)
        lost.append(tuple(times - np.interp(times, flow.t, wait) for times in flow.lost_before))
    return _sorted(FRONT, rows, base, resolution, lost)


def way_back(flows: Sequence[Flow]) -> Back:
    """The delays of acknowledgements by the times at which they passed: those of the data that goes with them."""
    front = _front(flows)
    if front is None or not front.is_seen:
        return np.zeros_like
    order = np.argsort(front.seen, kind="stable")
    seen, wait = front.seen[order], front.wait[order]
    return lambda t: np.interp(t, seen, wait)


def _behind(flows: Sequence[Flow], back: Back) -> Delays | None:
    rows, base, lost = [], {}, []
    for number, flow in enumerate(flows):
        segments = flow.segments
        timed = segments.timed
        if not timed.any():
            continue
        delivered = segments.delivered[timed] - back(segments.delivered[timed])
        value = delivered - segments.sent[timed]
        base[number] = float(value.min())
        sent = segments.sent[timed]
        rows.append((sent, delivered, value - base[number], np.full(len(sent), number)))
        lost.append((flow.lost_after, flow.lost_after))
    resolution = 0.0 if back is np.zeros_like else 1e-3
    return _sorted(BEHIND, rows, base, resolution, lost)


def _sorted(
    side: str,
    rows: list[tuple[Floats, Floats, Floats, Ints]],
    base: dict[int, float],
    resolution: float,
    lost: Sequence[tuple[Floats, ...]],
) -> Delays | None:
    if not rows:
        return None
    t, seen, wait, flow = (np.concatenate(column) for column in zip(*rows, strict=True))
    order = np.argsort(t, kind="stable")
    lost_from, lost_t = (np.concatenate(column) for column in zip(*lost, strict=True))
    lost_wait = _waits(t[order], wait[order], lost_from, lost_t)
    return Delays(side, t[order], seen[order], wait[order], flow[order], base, resolution, lost_from, lost_t, lost_wait)


def _waits(t: Floats, wait: Floats, start: Floats, end: Floats) -> Floats:
    """The longest delay of the samples between two times, NaN where these are more than 20 ms apart.

    Without a sample in between it is that of the nearest one, NaN if this is more than 20 ms away.
    """
    right = np.clip(np.searchsorted(t, end), 1, len(t) - 1) if len(t) > 1 else np.zeros(len(end), np.int64)
    nearest = np.where(end - t[right - 1] < t[right] - end, right - 1, right)
    waits = np.where((np.abs(t[nearest] - end) < NEAR_S) & (end - start < NEAR_S), wait[nearest], np.nan)
    first, last = np.searchsorted(t, start), np.searchsorted(t, end, side="right")
    for row in np.flatnonzero((last - first > 1) & (end - start < NEAR_S)):
        waits[row] = wait[first[row] : last[row]].max()
    return waits


def is_busy(delays: Delays, edges: Floats, threshold: float) -> Bools:
    """Whether the queue was never empty between two edges in succession, by the samples seen there."""
    order = np.argsort(delays.seen, kind="stable")
    seen, wait = delays.seen[order], delays.wait[order]
    bounds = np.searchsorted(seen, edges)
    return np.array(
        [last - first >= 3 and bool(wait[first:last].min() > threshold) for first, last in pairwise(bounds)]
    )
