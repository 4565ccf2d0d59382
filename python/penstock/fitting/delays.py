"""Queueing delays: upstream of the capture point from timestamps, downstream of it from acknowledgements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from penstock.fitting.flows import Bools, Floats, Flow
from penstock.fitting.packets import Ints

__all__ = [
    "DOWNSTREAM",
    "MIN_LOSSES",
    "UPSTREAM",
    "AckDelays",
    "QueueingDelays",
    "busy_mask",
    "estimate_ack_delays",
    "estimate_delays",
    "timestamp_clock",
]

UPSTREAM, DOWNSTREAM = "upstream", "downstream"
"""Position of the queue relative to the capture point."""

TICKS = np.array([1e-9, 1e-6, 1e-3, 4e-3, 10e-3, 0.1, 0.5])
"""Units of TCP timestamps in use, in seconds. RFC 7323, section 5.4: 1 ms to 1 s; Linux also has 1 us."""

MAX_DISTANCE_S = 0.02
"""A delay sample is assigned to a loss if both packets reached the queue within this time.

Half or double this value gives the same estimates on simulated captures.
"""

MIN_PAIRS = 50
"""Minimum number of pairs of delays for the comparison of two flows.

Half or double this value gives the same estimates on simulated captures.
"""

ITERATIONS = 20
"""Number of iterations that solve for the offsets of flows.

Half or double this value gives the same estimates on simulated captures.
"""

MIN_QUEUE_S = 2e-3
"""A queue has built up if delays exceed this: two packets of 1500 bytes at 12 Mbit/s, or two ticks of 1 ms."""

MIN_SAMPLES = 20
"""Minimum number of samples for a 95th percentile below the maximum."""

MIN_LOSSES = 5
"""Minimum number of losses to infer the delay at losses, or the side of the queue."""

MAX_SHARED_DISAGREEMENT = 0.1
"""Flows certainly share a queue if their delays disagree by less than this, see `QueueingDelays.disagreement`.

Measured on captures of simulated and real links: at least 0.1 under fair queueing, except for a few flows in step;
with a shared queue, anything from 0 to above 1.
"""

MIN_FAIR_DISAGREEMENT = 0.25
"""Delays of flows that disagree by at least this hint at a queue for each flow.

Measured on the same captures with a shared queue: below 0.25, except for BBR through drop-tail and short transfers."""

MIN_SERVED_IN_TURN, MIN_SEPARATED, MAX_IN_ORDER = 0.3, 0.1, 0.05
"""Separated shares (`QueueingDelays.separated_share`) of queues that serve flows in turn.

Measured on 600 captures of simulated and real links with 2 to 20 flows (CUBIC, BBR, both, short transfers): with a
shared queue, below 0.22 (0.27 for many flows without SACK), and below 0.04 if delays disagree;
under fair queueing, usually above 0.2, and 0.01 to 0.1 if all flows but one are short or BBR loses packets at
50 Mbit/s. The second value needs delays that disagree somewhat, the third delays that disagree clearly."""

COMPRESSED_SACK_S = 1e-3
"""Longest time by which Linux delays a SACK (`tcp_comp_sack_delay_ns`): packets further apart keep their order."""

MIN_INTERLEAVED = 0.1
"""Different delays are evidence only if this share of packets is followed by a packet of another flow.

Measured on simulated captures: at least 0.13 with four flows through FQ-CoDel; below 0.03 with two flows.
"""

NEAR_GAPS, MIN_NEAR_S, MAX_NEAR_S = 2.0, 2e-4, 0.03
"""Two samples are nearly simultaneous up to this multiple of the median gap between samples, within these limits.

Twice the median gap is a skipped packet. Half as much leaves too few pairs: drop-tail under BBR is then mistaken for
fair queueing; the double changes no kind. The limits are a packet of 1500 bytes at 60 Mbit/s, and the pause that
separates bursts: half or double of both gives the same kinds on simulated captures."""

MIN_TICKS, MIN_CLOCK_S = 20, 1.0
"""Minimum number of ticks and duration of a flow to estimate its tick: an error of a tick is then at most 5 %.

Half or double this value gives the same estimates on simulated captures.
"""

MAX_TICK_ERROR = 0.2
"""Largest relative difference of a measured tick from a unit in use; otherwise the measured tick counts.

Half or double this value gives the same estimates on simulated captures.
"""

USUAL_TICK_S = 1e-3
"""Tick in seconds if all flows are too short to estimate it: the shortest that RFC 7323, section 5.4, recommends."""

MIN_LOSS_RATIO = 3
"""Losses on one side of the capture point determine the side of the queue if it has this many times more of them.

Half or double this value gives the same estimates on simulated captures.
"""

MIN_SIGNAL = 4
"""Smallest variance of delays in multiples of the variance of their rounding, to compare flows.

Half or double this value gives the same estimates on simulated captures.
"""

MIN_VARIANCE_S2 = 1e-6
"""Smallest variance of delays to compare flows, in s²: a deviation of 1 ms, half of `MIN_QUEUE_S`.

Half or double this value gives the same estimates on simulated captures.
"""

AckDelays = Callable[[Floats], Floats]
"""Function from the times at which acknowledgements passed the capture point to their queueing delays before it."""


@dataclass(frozen=True)
class QueueingDelays:
    """Samples of the queueing delay of one direction, in the order in which their packets reached the queue.

    Attributes:
        side: `UPSTREAM` or `DOWNSTREAM`.
        t: times at which the packets reached the queue, in seconds.
        capture_t: times at which the packets, or their acknowledgements, passed the capture point.
        wait_s: queueing delays.
        flow_numbers: numbers of the flows.
        prompt_mask: whether `capture_t` was not delayed, as a SACK may be, see `Segments.sack_mask`.
        base_s: per flow, the time subtracted: the round trip downstream of the capture point, or a clock offset.
        resolution_s: resolution of the delays.
        loss_gap_start: earliest time at which each lost packet can have reached the queue.
        lost_t: latest such time.
        loss_delay_s: longest queueing delay of the packets next to each loss; NaN if there are none.

    """

    side: str
    t: Floats
    capture_t: Floats
    wait_s: Floats
    flow_numbers: Ints
    prompt_mask: Bools
    base_s: dict[int, float]
    resolution_s: float
    loss_gap_start: Floats
    lost_t: Floats
    loss_delay_s: Floats

    @property
    def has_queue(self) -> bool:
        """Whether a queue built up."""
        return len(self.wait_s) >= MIN_SAMPLES and self.p95 > max(MIN_QUEUE_S, 2 * self.resolution_s)

    @property
    def p95(self) -> float:
        """The 95th percentile of the delay in seconds; 0 without samples."""
        return float(np.quantile(self.wait_s, 0.95)) if len(self.wait_s) else 0.0

    @cached_property
    def interleaved_pairs(self) -> Ints:
        """Rows of samples followed at nearly the same time by a sample of another flow."""
        apart = np.diff(self.t)
        near = min(max(NEAR_GAPS * float(np.median(apart)), MIN_NEAR_S), MAX_NEAR_S) if len(apart) else 0.0
        return np.flatnonzero((np.diff(self.flow_numbers) != 0) & (apart <= near))

    @property
    def interleaved_share(self) -> float:
        """Share of samples followed at nearly the same time by a sample of another flow."""
        return len(self.interleaved_pairs) / max(1, len(self.t) - 1)

    def disagreement(self) -> float:
        """How much the delays of different flows differ at the same time; NaN if too few can be compared.

        0: all flows share a queue; 1: their delays are unrelated. A constant offset of a flow is ignored.
        """
        first = self.interleaved_pairs
        if len(first) < MIN_PAIRS:
            return float("nan")
        wait = self.wait_s.copy()
        for number in np.unique(self.flow_numbers):
            mine = self.flow_numbers == number
            wait[mine] -= np.median(wait[mine])
        noise = 2 * self.resolution_s**2 / 12  # a uniform distribution of width w has the variance w^2 / 12
        total = _variance(wait[first + 1]) + _variance(wait[first])
        if total < max(MIN_SIGNAL * noise, MIN_VARIANCE_S2):
            return float("nan")
        return max(0.0, _variance(wait[first + 1] - wait[first]) - noise) / (total - noise)

    @cached_property
    def separated_share(self) -> float:
        """Share of successive arrivals of the same flow between which the queue put packets of other flows.

        0: packets leave in the order of their arrival; 1: flows are served in turn. Packets whose order is unknown,
        because their times differ by less than the resolution, count as in order. Negative if flows interleave more at
        the arrival: only retransmissions do so.
        """
        if self.prompt_mask.sum() < 2:
            return 0.0
        is_slow = np.median(np.diff(np.sort(self.capture_t))) > COMPRESSED_SACK_S
        known = slice(None) if is_slow else self.prompt_mask
        came, left, number = self.t[known], self.capture_t[known], self.flow_numbers[known]
        arrival = np.arange(len(number))
        departure = np.lexsort((arrival, self._ticks(left) if self.side == DOWNSTREAM else left))
        if self.side == UPSTREAM:  # the times of arrival are timestamps of the senders
            arrival = np.lexsort((np.argsort(departure), self._ticks(came)))
        before, after = (np.diff(number[order]) != 0 for order in (arrival, departure))
        return float(after.mean() - before.mean()) / max(1 / len(before), float(1 - before.mean()))

    def _ticks(self, t: Floats) -> Floats:
        return np.floor(t / self.resolution_s) if self.resolution_s else t

    @cached_property
    def is_fair(self) -> bool:
        """Whether the queue serves flows in turn: the order of departures or the delays of the flows prove it."""
        share, disagreement = self.separated_share, self.disagreement()
        return (
            share > MIN_SERVED_IN_TURN
            or (share > MIN_SEPARATED and disagreement > MAX_SHARED_DISAGREEMENT)
            or (share > MAX_IN_ORDER and disagreement > MIN_FAIR_DISAGREEMENT and self.is_interleaved)
        )

    @property
    def is_interleaved(self) -> bool:
        """Whether enough packets are followed at nearly the same time by a packet of another flow."""
        return self.interleaved_share >= MIN_INTERLEAVED

    @cached_property
    def is_shared(self) -> bool:
        """Whether all flows certainly wait in the same queue."""
        is_similar = self.disagreement() < MAX_SHARED_DISAGREEMENT and not self.is_fair
        return is_similar or len(np.unique(self.flow_numbers)) == 1

    def with_calibrated_bases(self) -> QueueingDelays:
        """Delays with the base of each flow corrected by the delays of other flows in the same queue.

        If a flow never met an empty queue, its minimum is too high and its delays are too low.
        """
        first, second = self.interleaved_pairs, self.interleaved_pairs + 1
        mine = np.concatenate([self.flow_numbers[first], self.flow_numbers[second]])
        other = np.concatenate([self.flow_numbers[second], self.flow_numbers[first]])
        ahead = np.concatenate([self.wait_s[second] - self.wait_s[first], self.wait_s[first] - self.wait_s[second]])
        count = np.bincount(mine, minlength=max(self.base_s) + 1)
        is_long = count >= MIN_PAIRS
        rows = {number: np.flatnonzero((mine == number) & is_long[other]) for number in np.unique(mine)}
        missing, group = np.zeros(len(count)), np.arange(len(count))
        for _ in range(ITERATIONS):
            for number, of_flow in rows.items():
                if is_long[number] and len(of_flow):
                    missing[number] = np.median(ahead[of_flow] + missing[other[of_flow]])
                    group[number] = min(group[number], group[other[of_flow]].min())
        for number in np.unique(group[is_long]):
            missing[group == number] -= missing[group == number].min()
        for number, of_flow in rows.items():
            if not is_long[number] and len(of_flow):
                missing[number] = max(0.0, np.median(ahead[of_flow] + missing[other[of_flow]]))
        wait = self.wait_s + missing[self.flow_numbers]
        base = {number: value - float(missing[number]) for number, value in self.base_s.items()}
        return replace(
            self, wait_s=wait, base_s=base, loss_delay_s=_waits(self.t, wait, self.loss_gap_start, self.lost_t)
        )


def _variance(values: Floats) -> float:
    """A robust variance: a normal distribution has an interquartile range of 1.349 sigma."""
    low, high = np.quantile(values, [0.25, 0.75])
    return float((high - low) / 1.349) ** 2


def estimate_delays(flows: Sequence[Flow], ack_delay: AckDelays) -> QueueingDelays | None:
    """The delays on the side of the capture point that has the queue; None if neither side has samples."""
    both = [each for each in (_upstream(flows), _downstream(flows, ack_delay)) if each is not None]
    if len(both) < 2:
        return both[0] if both else None
    upstream, downstream = both
    lost = len(upstream.lost_t), len(downstream.lost_t)
    if max(lost) >= MIN_LOSSES and max(lost) > MIN_LOSS_RATIO * min(lost):
        return both[lost.index(max(lost))]
    return upstream if upstream.p95 - upstream.resolution_s > downstream.p95 else downstream


def timestamp_clock(flow: Flow) -> tuple[Ints, float] | None:
    """Timestamp clock ticks of each packet since the first, and the tick in seconds; None without timestamps.

    The tick is NaN if the flow is too short to estimate it.
    """
    values = flow.packets.tsval
    if (values < 0).any() or len(values) < 3:
        return None
    ticks = np.cumsum((np.diff(values, prepend=values[0]) + 2**31) % 2**32 - 2**31)
    if ticks[-1] < MIN_TICKS or flow.t[-1] - flow.t[0] < MIN_CLOCK_S:
        return ticks, float("nan")
    unit = (flow.t[-1] - flow.t[0]) / ticks[-1]
    nearest = float(TICKS[np.abs(np.log(TICKS / unit)).argmin()])
    return ticks, nearest if abs(unit / nearest - 1) < MAX_TICK_ERROR else float(unit)


def _upstream(flows: Sequence[Flow]) -> QueueingDelays | None:
    rows, base, resolution, lost = [], {}, 0.0, []
    clocks = {number: stamps for number, flow in enumerate(flows) if (stamps := timestamp_clock(flow)) is not None}
    units = [unit for _, unit in clocks.values() if unit == unit]
    usual = float(np.median(units)) if units else USUAL_TICK_S
    for number, (ticks, own) in clocks.items():
        flow, unit = flows[number], own if own == own else usual
        value = flow.t - ticks * unit
        base[number] = float(value.min())
        # Timestamps are rounded down to a tick: delays are too long by half a tick on average.
        wait = np.maximum(value - base[number] - unit / 2, 0)
        rows.append((flow.t - wait, flow.t, wait, np.full(len(wait), number), np.ones(len(wait), bool)))
        resolution = max(resolution, unit)
        lost.append(tuple(times - np.interp(times, flow.t, wait) for times in flow.upstream_loss_times))
    return _sorted(UPSTREAM, rows, base, resolution, lost)


def estimate_ack_delays(flows: Sequence[Flow]) -> AckDelays:
    """The delays of acknowledgements, interpolated from the delays of the data sent in the same direction."""
    upstream = _upstream(flows)
    if upstream is None or not upstream.has_queue:
        return np.zeros_like
    order = np.argsort(upstream.capture_t, kind="stable")
    passed, wait = upstream.capture_t[order], upstream.wait_s[order]
    return lambda t: np.interp(t, passed, wait)


def _downstream(flows: Sequence[Flow], ack_delay: AckDelays) -> QueueingDelays | None:
    rows, base, lost = [], {}, []
    for number, flow in enumerate(flows):
        segments = flow.segments
        timed = segments.rtt_sample_mask
        if not timed.any():
            continue
        delivered = segments.acked_t[timed] - ack_delay(segments.acked_t[timed])
        value = delivered - segments.sent[timed]
        base[number] = float(value.min())
        sent = segments.sent[timed]
        rows.append((sent, delivered, value - base[number], np.full(len(sent), number), ~segments.sack_mask[timed]))
        lost.append((flow.downstream_loss_times, flow.downstream_loss_times))
    resolution = 0.0 if ack_delay is np.zeros_like else USUAL_TICK_S
    return _sorted(DOWNSTREAM, rows, base, resolution, lost)


def _sorted(
    side: str,
    rows: list[tuple[Floats, Floats, Floats, Ints, Bools]],
    base: dict[int, float],
    resolution: float,
    lost: Sequence[tuple[Floats, ...]],
) -> QueueingDelays | None:
    if not rows:
        return None
    t, passed, wait, flow, prompt = (np.concatenate(column) for column in zip(*rows, strict=True))
    order = np.argsort(t, kind="stable")
    lost_from, lost_t = (np.concatenate(column) for column in zip(*lost, strict=True))
    lost_wait = _waits(t[order], wait[order], lost_from, lost_t)
    t, passed, wait, flow, prompt = (column[order] for column in (t, passed, wait, flow, prompt))
    return QueueingDelays(side, t, passed, wait, flow, prompt, base, resolution, lost_from, lost_t, lost_wait)


def _waits(t: Floats, wait: Floats, start: Floats, end: Floats) -> Floats:
    """The longest delay between each start and end; without a sample in between, the delay nearest the end.

    NaN if start and end, or the end and its nearest sample, are at least `MAX_DISTANCE_S` apart.
    """
    right = np.clip(np.searchsorted(t, end), 1, len(t) - 1) if len(t) > 1 else np.zeros(len(end), np.int64)
    nearest = np.where(end - t[right - 1] < t[right] - end, right - 1, right)
    waits = np.where(
        (np.abs(t[nearest] - end) < MAX_DISTANCE_S) & (end - start < MAX_DISTANCE_S), wait[nearest], np.nan
    )
    first, last = np.searchsorted(t, start), np.searchsorted(t, end, side="right")
    for row in np.flatnonzero((last - first > 1) & (end - start < MAX_DISTANCE_S)):
        waits[row] = wait[first[row] : last[row]].max()
    return waits


def busy_mask(delays: QueueingDelays, edges: Floats, threshold: float) -> Bools:
    """Per pair of successive edges, whether all of at least 3 samples between them exceed the threshold."""
    order = np.argsort(delays.capture_t, kind="stable")
    passed, wait = delays.capture_t[order], delays.wait_s[order]
    bounds = np.searchsorted(passed, edges)
    return np.array(
        [last - first >= 3 and bool(wait[first:last].min() > threshold) for first, last in pairwise(bounds)]
    )
