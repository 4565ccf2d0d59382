"""Round trips without queueing, on each side of the capture point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from penstock.fitting.bottleneck import FAIR, Bottleneck
from penstock.fitting.delays import DOWNSTREAM, UPSTREAM, timestamp_clock
from penstock.fitting.directions import host_address
from penstock.fitting.estimate import Estimate, unknowable
from penstock.fitting.flows import Floats, Flow

__all__ = ["RoundTrip", "estimate_round_trips", "first_sent_s"]

HANDSHAKE_SIZE_RATIO = 0.1
"""Transmission time of two handshake packets relative to a large packet.

Each has headers of 40 (IPv4) or 60 bytes (IPv6) and usually 20 bytes of options: 120 or 160 of 1500 bytes.
"""

NEIGHBOURS_S = 2e-3
"""The error of a queueing delay is its change within this time before and after: two ticks of Linux's timestamps."""

FIRST_PACKETS = 64
"""The first round of a flow is assumed to end within this number of packets.

An initial window has 10 segments (RFC 6928), or several times as many.
Half or double this value gives the same estimates on simulated captures.
"""

MAX_SIMILAR_ERROR_RATIO = 1.2
"""Errors are similar up to this ratio. Then the shorter round trip is better, because queues only lengthen it."""


@dataclass(frozen=True)
class RoundTrip:
    """The round trip of a flow without queueing, in two parts: capture point to sender, capture point to receiver."""

    to_sender: Estimate
    to_receiver: Estimate

    @property
    def total(self) -> Estimate:
        """The round trip between sender and receiver."""
        parts = (self.to_sender, self.to_receiver)
        for part in parts:
            if part.value is None:
                return unknowable(part.why, "s")
        value, low, high = map(sum, zip(*map(_floats, parts), strict=True))
        return Estimate(value, "s", low, high, f"{parts[0].why}; {parts[1].why}")


def estimate_round_trips(sides: Sequence[Sequence[Flow]], links: Sequence[Bottleneck]) -> list[list[RoundTrip]]:
    """The round trips of each flow of both directions."""
    bests: dict[tuple[str, str], Estimate] = {}
    parts: list[list[tuple[Estimate, Estimate]]] = []
    for flows, link in zip(sides, links, strict=True):
        serialization = link.large_packet_bytes * 8 / float(link.rate.value) if link.rate.value else 0.0
        parts.append([
            (_to_sender(flow, number, link, serialization), _to_receiver(flow, number, link, serialization))
            for number, flow in enumerate(flows)
        ])  # fmt: skip
        for flow, pair in zip(flows, parts[-1], strict=True):
            for ends, estimate in zip(_loops(flow), pair, strict=True):
                if estimate.value is not None:
                    bests[ends] = _better(bests.get(ends, estimate), estimate)
    return [
        [
            RoundTrip(*(_completed(part, bests.get(ends)) for ends, part in zip(_loops(flow), pair, strict=True)))
            for flow, pair in zip(flows, of_side, strict=True)
        ]
        for flows, of_side in zip(sides, parts, strict=True)
    ]


def _loops(flow: Flow) -> tuple[tuple[str, str], tuple[str, str]]:
    """Keys of the two parts of the round trip: the host at the end of the part, then the other host."""
    ends = host_address(flow.sender), host_address(flow.receiver)
    return ends, ends[::-1]


def _completed(estimate: Estimate, best: Estimate | None) -> Estimate:
    """The best estimate of all flows between the same hosts, because these have the same base round trip."""
    if best is None or best == estimate:
        return estimate
    return replace(best, why=f"{best.why} of another flow between the same hosts")


def first_sent_s(flow: Flow, trip: RoundTrip, link: Bottleneck) -> float:
    """Time in seconds at which the sender sent its first packet: the SYN if it opened the connection."""
    hand = flow.handshake
    passed = hand.syn_t if hand.is_opened_by_sender and hand.syn_t == hand.syn_t else float(flow.t[0])
    return passed - float(_waits(link, None, np.array([passed]))[0]) - float(trip.to_sender.value or 0) / 2


def _to_receiver(flow: Flow, number: int, link: Bottleneck, serialization: float) -> Estimate:
    """The shortest time from a packet of the flow to its acknowledgement, or from the handshake."""
    hand = flow.handshake
    handshake = hand.syn_ack_t - hand.syn_t if hand.is_opened_by_sender else hand.ack_t - hand.syn_ack_t
    downstream = link.delays is not None and link.delays.side == DOWNSTREAM
    error = serialization if downstream else 0.0  # transmission of this packet, or of the packet before it
    samples = [("the handshake", handshake, max(error, serialization * HANDSHAKE_SIZE_RATIO), 0.0)]
    timed = flow.segments.rtt_sample_mask
    if timed.any():
        shortest = float((flow.segments.acked_t - flow.segments.sent)[timed].min())
        if downstream and link.delays is not None:
            base = link.delays.base_s.get(number, shortest)
            if link.delays.resolution_s:  # acknowledgements queue as well, and subtracting their delays adds an error
                error = max(error, shortest - base)
            else:
                shortest = base
        source = f"shortest of {timed.sum()} acknowledgements"
        samples.append((source, shortest - min(error, serialization), error, 0.0))
    return _shortest(samples, "no packet and its acknowledgement were both captured")


def _to_sender(flow: Flow, number: int, link: Bottleneck, serialization: float) -> Estimate:
    """The shortest time from an acknowledgement to the data that it triggers, or from the handshake."""
    hand = flow.handshake
    upstream = link.delays is not None and link.delays.side == UPSTREAM
    at = hand.ack_t if hand.is_opened_by_sender else hand.syn_ack_t
    wait, wait_error = _waited(link, at)
    tick = link.delays.resolution_s if upstream and link.delays is not None else 0.0
    # A router captures after its queue but before the transmission, a receiver after the transmission.
    error = serialization / 2 if upstream else 0.0
    third = error * hand.ack_bytes / link.large_packet_bytes if hand.is_opened_by_sender else 0.0
    handshake = (hand.ack_t - hand.syn_ack_t if hand.is_opened_by_sender else at - hand.syn_t) - wait - third
    handshake_error = tick + third + wait_error + serialization * HANDSHAKE_SIZE_RATIO
    # In a separate queue, the handshake may not have waited for the packets of other flows.
    extra = wait if link.delays is not None and not link.delays.is_shared else 0.0
    samples = [("the handshake", handshake, handshake_error, extra)]
    for name, reply, cause in (("echoed timestamps", *_echoes(flow)), ("the first round", *_first_round(flow))):
        if len(reply) and not (name == "the first round" and any(value == value for _, value, *_ in samples)):
            times = reply - cause - _waits(link, number, reply) - error
            # Errors are uniform within half a tick: the smallest of n is on average tick / (n + 1) above -tick / 2.
            shortest = float(times.min()) + tick * (0.5 - 1 / (len(times) + 1))
            samples.append((name, shortest, tick + error, 0.0))
    return _shortest(samples, "no handshake was captured, and no packet matches the acknowledgement that triggered it")


def _echoes(flow: Flow) -> tuple[Floats, Floats]:
    """Times of the first packet with each echo reply, and of the acknowledgement whose timestamp it echoes."""
    if not (flow.packets.tsecr > 0).any():
        return np.empty(0), np.empty(0)
    echo, reply = np.unique(flow.packets.tsecr, return_index=True)
    stamp, cause = np.unique(flow.acks.tsval, return_index=True)
    both, first, second = np.intersect1d(echo, stamp, return_indices=True)
    times = flow.t[reply[first]], flow.ack_t[cause[second]]
    later = (times[0] > times[1]) & (both > 0)
    return times[0][later], times[1][later]


def _first_round(flow: Flow) -> tuple[Floats, Floats]:
    """Times of the first packet after the initial window, and of the first acknowledgement, which triggers it."""
    none = np.empty(0), np.empty(0)
    first = np.flatnonzero(flow.ack > flow.start[0])
    if not len(first) or first[0] > 0 or len(flow.t) < 4:
        return none  # the capture began during the flow
    ticks = timestamp_clock(flow)
    sent = flow.t[:FIRST_PACKETS] if ticks is None else ticks[0][:FIRST_PACKETS]
    pauses = np.diff(sent)
    row = int(np.flatnonzero(pauses >= 0.5 * pauses.max())[0]) + 1
    if flow.t[row] <= flow.ack_t[0]:
        return none
    return flow.t[row : row + 1], flow.ack_t[:1]


def _waits(link: Bottleneck, number: int | None, passed: Floats) -> Floats:
    """Queueing delays upstream of the capture point at these times, of packets of flow `number` or of any flow (None).

    0 for any flow under fair queueing: the delays of other flows do not apply, and a new flow hardly queues.
    """
    if link.delays is None or link.delays.side != UPSTREAM or (number is None and link.queue.value == FAIR):
        return np.zeros(len(passed))
    mine = slice(None) if number is None else link.delays.flow_numbers == number
    order = np.argsort(link.delays.capture_t[mine], kind="stable")
    if not len(order):
        return np.zeros(len(passed))
    return np.interp(passed, link.delays.capture_t[mine][order], link.delays.wait_s[mine][order])


def _waited(link: Bottleneck, passed: float) -> tuple[float, float]:
    """The queueing delay upstream of the capture point at this time, and its range within `NEIGHBOURS_S`."""
    waits = _waits(link, None, np.array([passed - NEIGHBOURS_S, passed, passed + NEIGHBOURS_S]))
    return float(waits[1]), float(np.ptp(waits))


def _shortest(samples: list[tuple[str, float, float, float]], why: str) -> Estimate:
    """The best of the samples (source, round trip, error, extra error upwards); unknowable if all are NaN."""
    estimates = [
        Estimate(max(value, 0.0), "s", max(0.0, value - error), max(value, 0.0) + error + above, source)
        for source, value, error, above in samples
        if value == value
    ]
    return reduce(_better, estimates) if estimates else unknowable(why, "s")


def _better(first: Estimate, second: Estimate) -> Estimate:
    """The estimate with the smaller error, or the shorter estimate if the errors are similar.

    If the intervals are disjoint, the shorter estimate: queues only lengthen a round trip.
    """
    (_, first_low, first_high), (_, second_low, second_high) = map(_floats, (first, second))
    if first_high < second_low:
        return first
    if second_high < first_low:
        return second
    first_error, second_error = first_high - first_low, second_high - second_low
    if max(first_error, second_error) < MAX_SIMILAR_ERROR_RATIO * min(first_error, second_error):
        return min(first, second, key=_seconds)
    return first if first_error < second_error else second


def _floats(estimate: Estimate) -> tuple[float, float, float]:
    """Value and interval of an estimate with a value; without an interval, its ends are the value."""
    value = _seconds(estimate)
    return (
        value,
        value if estimate.low is None else estimate.low,
        value if estimate.high is None else estimate.high,
    )


def _seconds(estimate: Estimate | None) -> float:
    """The value in seconds; infinite without one."""
    return float("inf") if estimate is None or estimate.value is None else float(estimate.value)
