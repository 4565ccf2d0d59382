"""Round trips without queueing, on each side of the point of capture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from penstock.fitting.bottleneck import FAIR, Bottleneck
from penstock.fitting.delays import BEHIND, FRONT, clock
from penstock.fitting.directions import host
from penstock.fitting.estimate import Estimate, unknowable
from penstock.fitting.flows import Floats, Flow

__all__ = ["RoundTrip", "first_sent", "round_trips"]

SMALL = 0.1
"""Time on the link of the two packets of a handshake, as a part of that of a large packet."""

SAME_HOSTS_S = 1e-3
"""Round trips between the same hosts differ by less; a longer one met a queue."""

MANY = 20
"""Samples from which on the shortest has the largest error."""

NEIGHBOURS_S = 2e-3
"""Packets within this time before and after tell how fast a queueing delay changes."""

FIRST_PACKETS = 64
"""Packets among which the end of the first round of a flow is looked for."""


@dataclass(frozen=True)
class RoundTrip:
    """Round trips of a flow without queueing: from the point of capture to the sender, to the receiver, and the sum."""

    sender: Estimate
    receiver: Estimate

    @property
    def total(self) -> Estimate:
        """The round trip between sender and receiver."""
        parts = (self.sender, self.receiver)
        for part in parts:
            if part.value is None:
                return unknowable(part.why, "s")
        value, low, high = map(sum, zip(*map(_floats, parts), strict=True))
        return Estimate(value, "s", low, high, f"{parts[0].why}; {parts[1].why}")


def round_trips(sides: Sequence[Sequence[Flow]], links: Sequence[Bottleneck]) -> list[list[RoundTrip]]:
    """The round trips of each flow of both directions."""
    bests: dict[tuple[str, str], Estimate] = {}
    parts: list[list[tuple[Estimate, Estimate]]] = []
    for flows, link in zip(sides, links, strict=True):
        serialization = link.packet * 8 / float(link.rate.value) if link.rate.value else 0.0
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
    """The far host of each part of the round trip, with the other host: those to the sender and to the receiver."""
    ends = host(flow.sender), host(flow.receiver)
    return ends, ends[::-1]


def _completed(estimate: Estimate, best: Estimate | None) -> Estimate:
    """The round trip; one that is unknown or differs is replaced by the best one between the same hosts."""
    if best is None or abs(_seconds(estimate) - _seconds(best)) <= SAME_HOSTS_S:
        return estimate
    return replace(best, why=f"{best.why} of another flow between the same hosts")


def first_sent(flow: Flow, trip: RoundTrip, link: Bottleneck) -> float:
    """When the sender sent the first packet, the SYN if it opened the connection, in seconds: not before it passed."""
    hand = flow.handshake
    passed = hand.syn if hand.by_sender and hand.syn == hand.syn else float(flow.t[0])
    return passed - float(_waits(link, None, np.array([passed]))[0]) - float(trip.sender.value or 0) / 2


def _to_receiver(flow: Flow, number: int, link: Bottleneck, serialization: float) -> Estimate:
    """The shortest time from a packet of the flow to its acknowledgement, or from the handshake."""
    hand = flow.handshake
    handshake = hand.answer - hand.syn if hand.by_sender else hand.third - hand.answer
    behind = link.delays is not None and link.delays.side == BEHIND
    error = serialization if behind else 0.0  # a packet that is in transmission, or the own transmission
    samples = [("the handshake", handshake, max(error, serialization * SMALL))]
    timed = flow.segments.timed
    if timed.any():
        shortest = float((flow.segments.delivered - flow.segments.sent)[timed].min())
        if behind and link.delays is not None:
            base = link.delays.base.get(number, shortest)
            if (
                link.delays.resolution
            ):  # acknowledgements queue, too: what was subtracted for that has errors of its own
                error = max(error, shortest - base)
            else:
                shortest = base
        samples.append((f"shortest of {timed.sum()} acknowledgements", shortest - min(error, serialization), error))
    return _shortest(samples, "no packet and its acknowledgement were both captured")


def _to_sender(flow: Flow, number: int, link: Bottleneck, serialization: float) -> Estimate:
    """The shortest time from an acknowledgement to the data that it releases, or from the handshake."""
    hand = flow.handshake
    in_front = link.delays is not None and link.delays.side == FRONT
    at = hand.third if hand.by_sender else hand.answer
    waited, unsure = _waited(link, at)
    tick = link.delays.resolution if in_front and link.delays is not None else 0.0
    # A router captures behind its queue but before the transmission, a receiver after it.
    error = serialization / 2 if in_front else 0.0
    third = error * hand.third_size / link.packet if hand.by_sender else 0.0
    handshake = (hand.third - hand.answer if hand.by_sender else at - hand.syn) - waited - third
    samples = [("the handshake", handshake, tick + third + unsure + serialization * SMALL)]
    for name, reply, cause in (("echoed timestamps", *_echoes(flow)), ("the first round", *_first_round(flow))):
        if len(reply) and not (name == "the first round" and any(value == value for _, value, _ in samples)):
            times = reply - cause - _waits(link, number, reply) - error
            # A delay is known to half a unit: the shortest of many round trips is the one with the largest error.
            shortest = float(times.min()) + (tick / 2 if len(times) >= MANY else 0.0)
            samples.append((name, shortest, tick + error))
    return _shortest(samples, "no handshake was captured, and no packet tells which acknowledgement released it")


def _echoes(flow: Flow) -> tuple[Floats, Floats]:
    """Times of the first packet with each echo, and of the acknowledgement whose timestamp it echoes."""
    if not (flow.packets.tsecr > 0).any():
        return np.empty(0), np.empty(0)
    echo, reply = np.unique(flow.packets.tsecr, return_index=True)
    stamp, cause = np.unique(flow.answers.tsval, return_index=True)
    both, first, second = np.intersect1d(echo, stamp, return_indices=True)
    times = flow.t[reply[first]], flow.ack_t[cause[second]]
    later = (times[0] > times[1]) & (both > 0)
    return times[0][later], times[1][later]


def _first_round(flow: Flow) -> tuple[Floats, Floats]:
    """Times of the first packet after the initial window, and of the first acknowledgement, which releases it."""
    none = np.empty(0), np.empty(0)
    first = np.flatnonzero(flow.ack > flow.start[0])
    if not len(first) or first[0] > 0 or len(flow.t) < 4:
        return none  # the capture began amid the flow
    known = clock(flow)
    sent = flow.t[:FIRST_PACKETS] if known is None else known[0][:FIRST_PACKETS]
    pauses = np.diff(sent)
    row = int(np.flatnonzero(pauses >= 0.5 * pauses.max())[0]) + 1
    if flow.t[row] <= flow.ack_t[0]:
        return none
    return flow.t[row : row + 1], flow.ack_t[:1]


def _waits(link: Bottleneck, number: int | None, seen: Floats) -> Floats:
    """Queueing delays in front of the point of capture of packets of a flow, or of any, that passed at these times.

    With fair queueing the delays of other flows say nothing; the first packets of a flow hardly wait.
    """
    if link.delays is None or link.delays.side != FRONT or (number is None and link.queue.value == FAIR):
        return np.zeros(len(seen))
    mine = slice(None) if number is None else link.delays.flow == number
    order = np.argsort(link.delays.seen[mine], kind="stable")
    if not len(order):
        return np.zeros(len(seen))
    return np.interp(seen, link.delays.seen[mine][order], link.delays.wait[mine][order])


def _waited(link: Bottleneck, seen: float) -> tuple[float, float]:
    """The queueing delay of a packet of any flow that passed at this time, and how much its neighbours differ."""
    waits = _waits(link, None, np.array([seen - NEIGHBOURS_S, seen, seen + NEIGHBOURS_S]))
    return float(waits[1]), float(np.ptp(waits))


def _shortest(samples: list[tuple[str, float, float]], why: str) -> Estimate:
    """The best of the round trips that are known; each has its source and its error."""
    known = [
        Estimate(max(value, 0.0), "s", max(0.0, value - error), max(value, 0.0) + error, source)
        for source, value, error in samples
        if value == value
    ]
    return reduce(_better, known) if known else unknowable(why, "s")


def _better(one: Estimate, other: Estimate) -> Estimate:
    """The estimate with the smaller error, unless the other is shorter for certain: queues only lengthen a round trip.

    Of two with about the same error it is the shorter one.
    """
    (_, low, high), (_, other_low, other_high) = map(_floats, (one, other))
    if high < other_low:
        return one
    if other_high < low:
        return other
    error, other_error = high - low, other_high - other_low
    if max(error, other_error) < 1.2 * min(error, other_error):
        return min(one, other, key=_seconds)
    return one if error < other_error else other


def _floats(estimate: Estimate) -> tuple[float, float, float]:
    """Value and interval of an estimate that is known."""
    value = _seconds(estimate)
    return (
        value,
        value if estimate.low is None else estimate.low,
        value if estimate.high is None else estimate.high,
    )


def _seconds(estimate: Estimate | None) -> float:
    """The value; infinite without one."""
    return float("inf") if estimate is None or estimate.value is None else float(estimate.value)
