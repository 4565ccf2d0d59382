"""The bottleneck of one direction: its rate, when that changes, its buffer and the kind of its queue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from penstock.fitting.delays import BEHIND, FRONT, Back, Delays, delays, is_busy, way_back
from penstock.fitting.estimate import Estimate, unknowable
from penstock.fitting.flows import Floats, Flow
from penstock.fitting.packets import TCP, Ints, Packets

__all__ = ["AQM", "DROPTAIL", "FAIR", "Bottleneck", "bottleneck"]

DROPTAIL, AQM, FAIR = "drop-tail", "AQM", "fair queueing"

WINDOW_PACKETS = 200
"""Packets of a window in which a rate is measured: an acknowledgement for two makes an error of 1 %."""

FAIR_FROM = 0.25
"""Disagreement of delays from which on flows are taken to have queues of their own."""

SHORTEST_S = 0.5
"""Shortest capture that tells a rate."""

MOST_UNSEEN = 0.02
"""Share of the data that the capture may lack before its rates and delays count for nothing."""

LEAST_INTERLEAVED = 0.1
"""Share of packets with a successor of another flow from which on their delays tell fair queueing."""

MIXED = 0.7
"""Mean size of packets, as a part of the large ones, below which many are small."""

NO_QUEUE = "no queue was seen to build in this direction, so the link may never have been full"


@dataclass(frozen=True)
class Bottleneck:
    """What a capture tells about the queue of one direction.

    Attributes:
        delays: the queueing delays; None if neither acknowledgements nor timestamps tell any.
        rate: in bit/s of IP packets.
        levels: times in seconds at which the rate changed, and the rates from then on; the first is at 0.
        buffer: in bytes.
        packet: bytes of a large packet, `mean_packet` of all packets on average.
        queue: kind of the queue: `DROPTAIL`, `AQM` or `FAIR`.
        ecn: whether packets were marked by a router.
        highest: highest rate in bit/s in a hundredth of the capture, or in 100 ms.

    """

    delays: Delays | None
    rate: Estimate
    levels: tuple[tuple[float, float], ...]
    buffer: Estimate
    packet: int
    mean_packet: float
    queue: Estimate
    ecn: bool
    highest: float


def bottleneck(packets: Packets, flows: Sequence[Flow], against: Sequence[Flow], zero_ns: int) -> Bottleneck:
    """The bottleneck of a direction, from all of its packets and its TCP flows.

    `against` are the flows in the other direction, whose queue delays acknowledgements; `zero_ns` is the start.
    """
    sent = sum(flow.bytes for flow in flows)
    unseen = sum(flow.unseen for flow in flows) / sent if sent else 0.0
    if unseen > MOST_UNSEEN:
        return _unknown(packets, zero_ns, f"{unseen:.0%} of the data that was acknowledged is not in the capture")
    back = way_back(against)
    observed = delays(flows, back)
    if observed is not None and observed.disagreement() < FAIR_FROM:
        observed = observed.calibrated()
    t = (packets.t_ns - zero_ns) / 1e9
    rate, levels = _rate(packets, t, flows, observed, back)
    packet = round(float(np.quantile(packets.size, 0.9))) if len(packets) else 1500
    packet = min(packet, max((flow.segment + flow.header for flow in flows), default=1500))
    marked = any((flow.packets.ecn == 3).any() or (flow.answers.flags & 0x40).any() for flow in flows)
    mean = _mean_size(packets, flows)
    queue = _kind(observed, marked, mean < MIXED * packet)
    buffer = _buffer(observed, queue, levels, rate, packet)
    return Bottleneck(observed, rate, levels, buffer, packet, mean, queue, marked, _highest(t, packets.size))


def _unknown(packets: Packets, zero_ns: int, why: str) -> Bottleneck:
    mean = _mean_size(packets, ())
    highest = _highest((packets.t_ns - zero_ns) / 1e9, packets.size)
    rate, size, kind = unknowable(why, "bit/s"), unknowable(why, "B"), unknowable(why)
    return Bottleneck(None, rate, (), size, 1500, mean, kind, False, highest)


def _mean_size(packets: Packets, flows: Sequence[Flow]) -> float:
    """Bytes of a packet on the wire, on average: super-frames count as their segments."""
    bytes_, count = float(packets.size.sum()), len(packets)
    for flow in flows:
        bytes_ += float((flow.wire - flow.packets.size).sum())
        count += int((flow.pieces - 1).sum())
    return bytes_ / count if count else 1500.0


def _highest(t: Floats, size: Ints) -> float:
    if not len(t):
        return 1e6
    width = max(0.1, float(t[-1] - t[0]) / 100)
    return min(
        1e12, max(1e4, float(np.bincount(((t - t[0]) / width).astype(np.int64), weights=size).max()) * 8 / width)
    )


def _rate(
    packets: Packets, t: Floats, flows: Sequence[Flow], observed: Delays | None, back: Back
) -> tuple[Estimate, tuple[tuple[float, float], ...]]:
    """The rate at which packets leave the queue while it is not empty."""
    if observed is None:
        return unknowable(
            "no data over TCP in this direction whose acknowledgements or timestamps show a queue", "bit/s"
        ), ()
    if not observed.is_seen:
        return unknowable(NO_QUEUE, "bit/s"), ()
    t, size = _departures(packets, t, flows, observed.side, back)
    count = min(WINDOW_PACKETS, len(t) // 20)
    if count < 10 or t[-1] - t[0] < SHORTEST_S:
        return unknowable(
            f"only {len(t)} packets in {max(0.0, t[-1] - t[0]):.1f} s crossed the link in this direction", "bit/s"
        ), ()
    edges = t[::count]
    bits = np.concatenate([[0.0], np.cumsum(size)])[: len(t)][::count] * 8
    rates = np.diff(bits) / np.maximum(np.diff(edges), 1e-9)
    high = float(np.quantile(rates, 0.9))
    busy = is_busy(observed, edges, max(1.5 * observed.resolution, 3 * 12_000 / high))
    what = "windows in which the queue was never empty"
    if busy.sum() < 5:
        busy, what = rates > 0.96 * np.quantile(rates, 0.95), "windows with the highest delivery rate"
    if busy.sum() < 3:
        return unknowable("the queue was never busy for long enough to measure its rate", "bit/s"), ()
    middle = (edges[1:] + edges[:-1])[busy] / 2
    levels = _levels(middle, rates[busy])
    if len(levels) > 1:
        why = f"median of {busy.sum()} {what}; the rate changes {len(levels) - 1} times"
    else:
        why = f"median of {busy.sum()} {what}"
    low, high = np.quantile(rates[busy], [0.05, 0.95])
    return Estimate(float(np.median(rates[busy])), "bit/s", float(low), float(high), why), levels


def _departures(packets: Packets, t: Floats, flows: Sequence[Flow], side: str, back: Back) -> tuple[Floats, Floats]:
    """When packets left the queue, as seen at the point of capture, and their sizes in bytes on the wire."""
    others = (packets.protocol != TCP) | (packets.payload == 0)
    parts = [(t[others], packets.size[others].astype(float))]
    for flow in flows:
        known = ~np.isnan(flow.segments.delivered)
        acked = flow.segments.delivered[known]
        delivered = acked - back(acked), flow.segments.size[known]
        parts.append((flow.t, flow.wire.astype(float)) if side == FRONT else delivered)
    times, sizes = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(times, kind="stable")
    return times[order], sizes[order]


def _levels(t: Floats, rates: Floats) -> tuple[tuple[float, float], ...]:
    """The rates, each with the time from which it is valid: split where the medians differ most, by at least 10 %."""
    fewest = 6
    best, at = 0.0, 0
    for split in range(fewest, len(t) - fewest + 1):
        before, after = np.median(rates[:split]), np.median(rates[split:])
        spread = np.abs(rates - np.where(np.arange(len(t)) < split, before, after)).mean()
        gain = abs(before - after) / max(spread, 0.01 * before)
        if abs(after / before - 1) > 0.1 and gain > max(best, 4):
            best, at = gain, split
    if not at:
        return ((0.0, float(np.median(rates))),)
    later = _levels(t[at:], rates[at:])
    return (*_levels(t[:at], rates[:at]), (float(t[at - 1] + t[at]) / 2, later[0][1]), *later[1:])


def _kind(observed: Delays | None, marked: bool, is_mixed: bool) -> Estimate:
    """The kind of the queue, by the delays at losses and by those of different flows at the same time."""
    if observed is None or not observed.is_seen:
        return unknowable(NO_QUEUE)
    apart = observed.disagreement()
    if apart > FAIR_FROM and observed.interleaved < LEAST_INTERLEAVED:
        return unknowable("flows have different delays, but their packets come in bursts that hardly interleave")
    if apart > FAIR_FROM:
        return Estimate(FAIR, why="flows have different delays at the same time")
    waits = observed.lost_wait[~np.isnan(observed.lost_wait)]
    alone = "" if apart == apart else "; fair queueing cannot be told from too few flows at the same time"
    if marked:
        return Estimate(AQM, why=f"packets were marked (ECN){alone}")
    if len(waits) < 5:
        return unknowable(
            f"only {len(waits)} losses were seen: at least 5 are needed to tell at which delay they occur"
        )
    top = observed.high
    low, middle, high = np.quantile(waits, [0.1, 0.5, 0.9])
    slack = 2 * observed.resolution
    where = (
        f"{len(waits)} losses at {1e3 * low:.1f} to {1e3 * high:.1f} ms, 95 % of delays below {1e3 * top:.1f} ms{alone}"
    )
    if low + slack > 0.9 * top and high - low < 0.25 * middle + slack:
        return Estimate(DROPTAIL, why=where)
    if is_mixed:
        return unknowable(
            f"a limit in packets drops at varied delays if many packets are small, as an AQM does: {where}"
        )
    if alone and len(np.unique(observed.flow)) > 1:
        return unknowable(f"the delays of different flows cannot be compared: too few at the same time; {where}")
    if low + slack < 0.75 * top or high - low > 0.5 * middle + slack:
        return Estimate(AQM, why=where)
    return unknowable(f"between drop-tail and AQM: {where}")


def _buffer(
    observed: Delays | None, queue: Estimate, levels: Sequence[tuple[float, float]], rate: Estimate, packet: int
) -> Estimate:
    """The longest delay times the rate: of a drop-tail queue the delay at losses."""
    if observed is None or rate.value is None:
        return unknowable(f"needs the rate: {rate.why}", "B")
    if queue.value != DROPTAIL:
        least = round(float(np.quantile(observed.wait, 0.99)) * float(rate.value) / 8)
        seen = f"at least {least} B, the most that was seen in the queue"
        return unknowable(f"{queue.value or 'an unknown queue'} may drop before its buffer is full; {seen}", "B")
    known = ~np.isnan(observed.lost_wait)
    at, rates = np.array(levels).T
    now = rates[np.searchsorted(at, observed.lost_t[known], side="right") - 1]
    # The limit counts the waiting packets; half a packet in transmission on average is part of the delay.
    sizes = observed.lost_wait[known] * now / 8 + packet / 2
    low, middle, high = np.quantile(sizes, [0.1, 0.5, 0.9])
    # A packet for the one in transmission, and one that the round trip of the base may contain.
    error = observed.resolution * float(rate.value) / 8 + 2 * packet
    side = "behind" if observed.side == BEHIND else "in front of"
    why = f"delay at {known.sum()} losses times the rate, {side} the point of capture"
    return Estimate(round(middle), "B", round(min(low, middle - error)), round(max(high, middle + error)), why)
