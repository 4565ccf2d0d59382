"""The bottleneck of one direction: rate, rate changes, buffer size and kind of queue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from penstock.fitting.delays import (
    MIN_FAIR_DISAGREEMENT,
    MIN_LOSSES,
    UPSTREAM,
    AckDelays,
    QueueingDelays,
    busy_mask,
    estimate_ack_delays,
    estimate_delays,
)
from penstock.fitting.estimate import Estimate, unknowable
from penstock.fitting.flows import Floats, Flow
from penstock.fitting.packets import ECE, TCP, Ints, Packets

__all__ = ["AQM", "DROPTAIL", "FAIR", "Bottleneck", "estimate_bottleneck"]

DROPTAIL, AQM, FAIR = "drop-tail", "AQM", "fair queueing"

WINDOW_PACKETS = 200
"""Packets per rate measurement: an acknowledgement per two packets causes an error of 1 %."""

TIMESTAMP_S = 1e-6
"""Resolution of the times of packets: the unit of the pcap format."""

MAX_MISSING = 0.02
"""Largest share of the acknowledged data that may be missing. A rate at the receiver is too low by that share."""

MIXED_SIZE_RATIO = 0.7
"""Many packets are small if the mean packet size is below this share of a large packet.

Half this value gives the same estimates on simulated captures.
"""

MIN_WINDOWS, MIN_WINDOW_PACKETS = 20, 10
"""A capture of few packets is divided into at least 20 windows, each of at least 10 packets."""

MIN_BUSY_WINDOWS = 5
"""Minimum number of windows in which the queue was never empty. With fewer, windows with the highest rate are used."""

HIGHEST_WINDOW_S = 0.1
"""Shortest time over which the highest rate is measured: a usual round trip, in which a sender sends a window."""

MAX_EMPTY_PACKETS = 3
"""A queue counts as empty below the transmission time of this number of packets.

The packet in transmission, the one that the base round trip includes, and the one measured do not wait. Half this value
gives the same estimates on simulated captures; with its double, a rate is 3 % lower."""

MIN_RESOLVED_TICKS = 1.5
"""A queue counts as empty below this number of ticks of the timestamps: two readings are rounded by up to a tick.

Half or double this value gives the same estimates on simulated captures.
"""

FULL_SHARE = 0.96
"""Without enough busy windows, those count as busy whose rate is at least this share of the 95th percentile.

The error of both rates is 1 %, see `WINDOW_PACKETS`. 0.92 and 0.98 give the same estimates on simulated captures.
"""

MIN_LEVEL_WINDOWS = 6
"""Minimum number of windows at a rate, for a median and a spread.

Half or double this value gives the same estimates on simulated captures.
"""

MIN_LEVEL_CHANGE = 0.1
"""Smallest relative change of the rate.

Half or double this value gives the same estimates on simulated captures.
"""

MIN_LEVEL_GAIN = 2.0
"""Smallest change of the rate in multiples of its mean absolute deviation around the two levels.

Measured on simulated captures: values from 1 to 3 give the same rates, and none in 40 captures of a constant rate. With
4, two of four rates are missed, because the other changes add to the deviation."""

MIN_SPREAD = 0.01
"""Smallest such deviation relative to the rate: the error of a window, see `WINDOW_PACKETS`."""

ATTAINED = 0.9
"""Drop-tail: nine in ten losses occur at delays of at least this share of the longest delays.

With packets of one size, they occur at a full buffer only: 1, less the packets that left since the last sample. 0.8 and
0.95 give the same estimates on simulated captures."""

MAX_DROPTAIL_SPREAD = 0.25
"""Drop-tail: largest spread of the delays at losses, from the first to the ninth decile, relative to their median.

Half or double this value gives the same estimates on simulated captures.
"""

MAX_AQM_SHARE = 0.75
"""AQM: one in ten losses occurs at a delay below this share of the longest delays.

0.6 and 0.85 give the same estimates on simulated captures. Up to `ATTAINED`, the kind is unknowable."""

MIN_AQM_SPREAD = 0.5
"""AQM: or the delays at losses have at least this spread relative to their median.

0.3 and 1 give the same estimates on simulated captures.
"""

NO_QUEUE = "no queue built up in this direction; the link may never have been full"


@dataclass(frozen=True)
class Bottleneck:
    """The bottleneck of one direction, as estimated from a capture.

    Attributes:
        delays: queueing delays; None if neither acknowledgements nor timestamps show them.
        rate: bit/s of IP packets.
        rate_steps: times of rate changes in seconds, each with the rate from then on; the first time is 0.
        buffer: buffer size in bytes.
        large_packet_bytes: size of a large packet.
        mean_packet_bytes: mean size of all packets.
        queue: kind of the queue: `DROPTAIL`, `AQM` or `FAIR`.
        has_marks: whether packets were marked by a router.
        highest_rate: highest rate in bit/s in any hundredth of the capture, or in any 100 ms if that is longer.

    """

    delays: QueueingDelays | None
    rate: Estimate
    rate_steps: tuple[tuple[float, float], ...]
    buffer: Estimate
    large_packet_bytes: int
    mean_packet_bytes: float
    queue: Estimate
    has_marks: bool
    highest_rate: float


def estimate_bottleneck(packets: Packets, flows: Sequence[Flow], against: Sequence[Flow], zero_ns: int) -> Bottleneck:
    """The bottleneck of a direction, from all of its packets and its TCP flows.

    `against` are the flows in the other direction: their queue delays the acknowledgements. `zero_ns` is the time of
    the first packet.
    """
    sent = sum(flow.payload_bytes for flow in flows)
    missing = sum(flow.missing_bytes for flow in flows) / sent if sent else 0.0
    if missing > MAX_MISSING:
        return _unknown(packets, zero_ns, f"{missing:.0%} of the acknowledged data is missing from the capture")
    ack_delay = estimate_ack_delays(against)
    samples = observed = estimate_delays(flows, ack_delay)
    if samples is not None and samples.disagreement() < MIN_FAIR_DISAGREEMENT and not samples.is_fair:
        observed = samples.with_calibrated_bases()
        samples = observed if samples.is_shared else samples  # otherwise flows may have separate queues
    t = (packets.t_ns - zero_ns) / 1e9
    rate, levels = _rate(packets, t, flows, observed, ack_delay)
    packet = round(float(np.quantile(packets.size, 0.9))) if len(packets) else 1500
    packet = min(packet, max((flow.segment_bytes + flow.header_bytes for flow in flows), default=1500))
    marked = any((flow.packets.ecn == 3).any() or (flow.acks.flags & ECE).any() for flow in flows)
    mean = _mean_size(packets, flows)
    queue = _kind(observed, marked, mean < MIXED_SIZE_RATIO * packet)
    buffer = _buffer(observed, queue, levels, rate, packet)
    return Bottleneck(samples, rate, levels, buffer, packet, mean, queue, marked, _highest(t, packets.size))


def _unknown(packets: Packets, zero_ns: int, why: str) -> Bottleneck:
    mean = _mean_size(packets, ())
    highest = _highest((packets.t_ns - zero_ns) / 1e9, packets.size)
    rate, size, kind = unknowable(why, "bit/s"), unknowable(why, "B"), unknowable(why)
    return Bottleneck(None, rate, (), size, 1500, mean, kind, False, highest)


def _mean_size(packets: Packets, flows: Sequence[Flow]) -> float:
    """Mean size of a packet on the wire in bytes; a super-frame counts as its segments."""
    bytes_, count = float(packets.size.sum()), len(packets)
    for flow in flows:
        bytes_ += float((flow.wire_bytes - flow.packets.size).sum())
        count += int((flow.wire_packet_counts - 1).sum())
    return bytes_ / count if count else 1500.0


def _highest(t: Floats, size: Ints) -> float:
    if not len(t):
        return 1e6
    width = max(HIGHEST_WINDOW_S, float(t[-1] - t[0]) / 100)
    return min(
        1e12, max(1e4, float(np.bincount(((t - t[0]) / width).astype(np.int64), weights=size).max()) * 8 / width)
    )


def _rate(
    packets: Packets, t: Floats, flows: Sequence[Flow], observed: QueueingDelays | None, ack_delay: AckDelays
) -> tuple[Estimate, tuple[tuple[float, float], ...]]:
    """The rate at which packets leave the queue while it is not empty."""
    if observed is None:
        return unknowable(
            "no TCP data in this direction whose acknowledgements or timestamps show queueing delays", "bit/s"
        ), ()
    if not observed.has_queue:
        return unknowable(NO_QUEUE, "bit/s"), ()
    t, size = _departures(packets, t, flows, observed.side, ack_delay)
    count = min(WINDOW_PACKETS, len(t) // MIN_WINDOWS)
    if count < MIN_WINDOW_PACKETS:
        return unknowable(f"only {len(t)} packets crossed the link in this direction", "bit/s"), ()
    edges = t[::count]
    bits = np.concatenate([[0.0], np.cumsum(size)])[: len(t)][::count] * 8
    width = np.diff(edges)
    # An acknowledgement that ends a recovery covers many packets at once: such a window has no rate.
    has_rate = width > TIMESTAMP_S
    if not has_rate.any():
        return unknowable("acknowledgements cover too many packets at once to measure a rate", "bit/s"), ()
    rates = np.where(has_rate, np.diff(bits) / np.maximum(width, TIMESTAMP_S), 0)
    high = float(np.quantile(rates[has_rate], 0.9))
    busy = has_rate & busy_mask(
        observed, edges, max(MIN_RESOLVED_TICKS * observed.resolution_s, MAX_EMPTY_PACKETS * 12_000 / high)
    )
    what = "windows in which the queue was never empty"
    is_full = busy.sum() >= MIN_BUSY_WINDOWS
    if not is_full:
        busy, what = rates > FULL_SHARE * np.quantile(rates[has_rate], 0.95), "windows with the highest delivery rate"
    if busy.sum() < 3:
        return unknowable("the queue was never occupied long enough to measure its rate", "bit/s"), ()
    middle = (edges[1:] + edges[:-1])[busy] / 2
    levels = _levels(middle, rates[busy])
    if len(levels) > 1:
        why = f"median of {busy.sum()} {what}; rate changes: {len(levels) - 1}"
    else:
        why = f"median of {busy.sum()} {what}"
    low, high = np.quantile(rates[busy], [0.05, 0.95])
    if not is_full:  # the link may have been busy in other windows, or in no window
        low, high = min(low, float(np.median(rates))), rates[busy].max()
    error = TIMESTAMP_S / float(np.median(width[busy]))
    value, low, high = float(np.median(rates[busy])), float(low) * (1 - error), float(high) * (1 + error)
    return Estimate(value, "bit/s", low, high, why), levels


def _departures(
    packets: Packets, t: Floats, flows: Sequence[Flow], side: str, ack_delay: AckDelays
) -> tuple[Floats, Floats]:
    """Times at which packets left the queue, as observed at the capture point, and their sizes on the wire in bytes."""
    others = (packets.protocol != TCP) | (packets.payload == 0)
    parts = [(t[others], packets.size[others].astype(float))]
    for flow in flows:
        is_acked = ~np.isnan(flow.segments.acked_t)
        acked = flow.segments.acked_t[is_acked]
        delivered = acked - ack_delay(acked), flow.segments.size[is_acked]
        parts.append((flow.t, flow.wire_bytes.astype(float)) if side == UPSTREAM else delivered)
    times, sizes = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(times, kind="stable")
    return times[order], sizes[order]


def _levels(t: Floats, rates: Floats) -> tuple[tuple[float, float], ...]:
    """The rates, each with its start: split recursively where the medians differ most, and enough."""
    best, at = 0.0, 0
    for split in range(MIN_LEVEL_WINDOWS, len(t) - MIN_LEVEL_WINDOWS + 1):
        before, after = np.median(rates[:split]), np.median(rates[split:])
        spread = np.abs(rates - np.where(np.arange(len(t)) < split, before, after)).mean()
        gain = abs(before - after) / max(spread, MIN_SPREAD * before)
        if abs(after / before - 1) > MIN_LEVEL_CHANGE and gain > max(best, MIN_LEVEL_GAIN):
            best, at = gain, split
    if not at:
        return ((0.0, float(np.median(rates))),)
    later = _levels(t[at:], rates[at:])
    return (*_levels(t[:at], rates[:at]), (float(t[at - 1] + t[at]) / 2, later[0][1]), *later[1:])


def _kind(observed: QueueingDelays | None, marked: bool, is_mixed: bool) -> Estimate:
    """The kind of queue, from the delays at losses and from the delays of different flows at the same time."""
    if observed is None or not observed.has_queue:
        return unknowable(NO_QUEUE)
    disagreement = observed.disagreement()
    if observed.is_fair:
        return Estimate(FAIR, why="packets of other flows leave between packets that arrived one after the other")
    if disagreement > MIN_FAIR_DISAGREEMENT:
        why = (
            "their packets leave in the order of arrival"
            if observed.is_interleaved
            else "their bursts hardly interleave"
        )
        return unknowable(f"flows have different delays, but {why}")
    waits = observed.loss_delay_s[~np.isnan(observed.loss_delay_s)]
    alone = "" if disagreement == disagreement else "; too few flows overlap to rule out fair queueing"
    if marked:
        return Estimate(AQM, why=f"packets were marked (ECN){alone}")
    if len(waits) < MIN_LOSSES:
        return unknowable(
            f"only {len(waits)} losses: at least {MIN_LOSSES} are needed to determine the delay at which they occur"
        )
    top = observed.p95
    low, middle, high = np.quantile(waits, [0.1, 0.5, 0.9])
    slack = 2 * observed.resolution_s
    where = (
        f"{len(waits)} losses at {1e3 * low:.1f} to {1e3 * high:.1f} ms, 95 % of delays below {1e3 * top:.1f} ms{alone}"
    )
    if low + slack > ATTAINED * top and high - low < MAX_DROPTAIL_SPREAD * middle + slack:
        return Estimate(DROPTAIL, why=where)
    if is_mixed:
        return unknowable(
            f"many packets are small: a drop-tail limit in packets then drops at varied delays, like an AQM; {where}"
        )
    if alone and len(np.unique(observed.flow_numbers)) > 1:
        return unknowable(f"too few flows overlap to compare their delays: {where}")
    if low + slack < MAX_AQM_SHARE * top or high - low > MIN_AQM_SPREAD * middle + slack:
        return Estimate(AQM, why=where)
    return unknowable(f"losses match neither drop-tail nor an AQM: {where}")


def _buffer(
    observed: QueueingDelays | None, queue: Estimate, levels: Sequence[tuple[float, float]], rate: Estimate, packet: int
) -> Estimate:
    """The buffer size: for drop-tail, the delay at losses times the rate; otherwise unknowable, with a lower bound."""
    if observed is None or rate.value is None:
        return unknowable(f"needs the rate: {rate.why}", "B")
    if queue.value != DROPTAIL:
        least = round(float(np.quantile(observed.wait_s, 0.99)) * float(rate.value) / 8)
        bound = f"its lower bound is {least} B, the 99th percentile of the queue length"
        return unknowable(f"{queue.value or 'an unknown queue'} may drop before its buffer is full; {bound}", "B")
    has_wait = ~np.isnan(observed.loss_delay_s)
    at, rates = np.array(levels).T
    now = rates[np.searchsorted(at, observed.lost_t[has_wait], side="right") - 1]
    # Drop-tail limits the packets waiting; the packet in transmission adds half its time to the delay, on average.
    sizes = observed.loss_delay_s[has_wait] * now / 8 + packet / 2
    low, middle, high = np.quantile(sizes, [0.1, 0.5, 0.9])
    # One packet for the transmission, and one that the base round trip may include.
    error = observed.resolution_s * float(rate.value) / 8 + 2 * packet
    why = f"delay at {has_wait.sum()} losses times the rate, {observed.side} of the capture point"
    return Estimate(round(middle), "B", round(min(low, middle - error)), round(max(high, middle + error)), why)
