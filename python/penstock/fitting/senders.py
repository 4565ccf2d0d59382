"""The limit of a sender: its application, the receive window or its congestion control; and the kind of control."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from penstock.fitting.bottleneck import Bottleneck
from penstock.fitting.delays import DOWNSTREAM
from penstock.fitting.estimate import Estimate, unknowable
from penstock.fitting.flows import Floats, Flow

__all__ = ["BBR", "LOSS", "MIN_PACKETS", "SCALABLE", "Sender", "estimate_sender"]

LOSS, BBR, SCALABLE = "loss-based", "BBR-like", "scalable"

MIN_PACKETS = 300
"""Minimum number of packets of a flow to estimate its congestion control.

Half or double this value gives the same estimates on simulated captures.
"""

MAX_LOSSY_ROUNDS = 0.3
"""Largest share of rounds with losses for a loss-based sender, which reduces its window in each such round.

Reno grows by a packet per round, so that a window of W packets lasts W/2 rounds between losses (RFC 5681): with more
than `MIN_FLIGHT` packets, losses occur in fewer than 20 % of the rounds.
"""

MIN_FLIGHT = 10
"""Packets in flight above which the share of rounds with losses distinguishes senders."""

MAX_LOSS_BASED, MIN_BBR = 0.85, 0.9
"""Shares of the data in flight kept after a loss: at most for a loss-based sender, at least for a BBR-like sender.

Reno keeps 0.5 (RFC 5681), CUBIC 0.7 (RFC 9438, section 4.6), and BBR keeps 1: 0.85 is half way between CUBIC and BBR.
"""

SLOW_START_ROUNDS = 10
"""Rounds that are ignored: slow start doubles the window in each, from 10 packets to 10 000."""

MIN_PAUSE_S = 0.05
"""Shortest pause of an application.

Half or double this value gives the same estimates on simulated captures.
"""

MAX_WRITES = 500
"""Maximum number of writes of a flow, to limit the length of the scenario: the shortest further pauses are ignored."""


@dataclass(frozen=True)
class Sender:
    """The sender of a flow, as estimated from a capture.

    Attributes:
        congestion_control: kind of its congestion control.
        window: receive window in bytes if it limits the flow.
        application_writes: writes of the application, each as seconds after the first packet, and bytes.
        application_pauses: think times in seconds, from the last acknowledgement of a write to the next write.
        ecn: whether its packets are ECN-capable.

    """

    congestion_control: Estimate
    window: Estimate
    application_writes: tuple[tuple[float, int], ...]
    application_pauses: tuple[float, ...]
    ecn: bool


def estimate_sender(
    flow: Flow, number: int, link: Bottleneck, round_trip: float | None, to_sender: float | None
) -> Sender:
    """The sender of a flow. `round_trip` excludes queueing; `to_sender` is its part upstream of the capture point."""
    rows, pauses = _writes(flow, to_sender or 0.0, link)
    bounds = np.concatenate([flow.segments.start[rows], [flow.end.max()]])
    times = flow.segments.sent[rows] - flow.t[0]
    writes = tuple((float(at), int(size)) for at, size in zip(times, np.diff(bounds), strict=True))
    flight = _flight(flow, number, link, round_trip)
    window = _window(flow, flight)
    ecn = bool(np.isin(flow.packets.ecn, (1, 2, 3)).mean() > 0.5)
    limited = len(writes) > 3 and sum(pauses) > 0.1 * (flow.t[-1] - flow.t[0])
    return Sender(_control(flow, link, flight, window, limited, round_trip), window, writes, tuple(pauses), ecn)


def _writes(flow: Flow, to_sender: float, link: Bottleneck) -> tuple[list[int], list[float]]:
    """The rows of `segments` at which writes begin, and the pauses before all writes but the first.

    A write begins after a pause during which all earlier data had been acknowledged at the sender.
    """
    segments = flow.segments
    if len(segments.sent) < 2 or not len(flow.ack):
        return [0], []
    ack = np.maximum.accumulate(flow.ack)
    last = np.searchsorted(ack, segments.end[:-1])
    is_acked = last < len(ack)
    acked = np.where(is_acked, flow.ack_t[np.minimum(last, len(ack) - 1)], np.inf)
    wait = 0.0 if link.delays is None or link.delays.side == DOWNSTREAM else link.delays.p95
    idle = segments.sent[1:] - acked - to_sender
    enough = max(MIN_PAUSE_S, to_sender / 2) + 1.5 * wait
    rows = np.flatnonzero(idle > enough)
    if len(rows) >= MAX_WRITES:
        rows = np.sort(rows[np.argsort(idle[rows])[-(MAX_WRITES - 1) :]])
    return [0, *(rows + 1).tolist()], idle[rows].tolist()


def _flight(flow: Flow, number: int, link: Bottleneck, round_trip: float | None) -> Floats | None:
    """Per packet, the bytes that passed within the last round trip, including queueing; None if it is unknown."""
    if link.delays is None or round_trip is None:
        return None
    mine = link.delays.flow_numbers == number
    if mine.sum() < 20:
        return None
    sent = np.cumsum(flow.packets.payload)
    order = np.argsort(link.delays.t[mine], kind="stable")
    wait = np.interp(flow.t, link.delays.t[mine][order], link.delays.wait_s[mine][order])
    before = np.searchsorted(flow.t, flow.t - round_trip - wait)
    return np.asarray(sent - np.concatenate([[0], sent])[before], float)


def _window(flow: Flow, flight: Floats | None) -> Estimate:
    """The receive window if the flow fills it."""
    if flow.window_scale is None:
        return unknowable("the SYNs, which announce the window scale, were not captured", "B")
    windows = flow.acks.window * flow.window_scale
    if flight is None or not len(windows):
        return unknowable("the flow is too short to compare its data in flight with the window", "B")
    usual = float(np.median(windows))
    if np.quantile(flight, 0.9) > 0.85 * usual:
        low, high = np.quantile(windows, [0.05, 0.95])
        return Estimate(round(usual), "B", float(low), float(high), "the data in flight fills the window")
    return Estimate("not limiting", why=f"data in flight at most {flight.max() / usual:.0%} of the window")


def _control(
    flow: Flow, link: Bottleneck, flight: Floats | None, window: Estimate, limited: bool, round_trip: float | None
) -> Estimate:
    """The kind of congestion control, from the data in flight before and after losses."""
    if (flow.packets.ecn == 1).mean() > 0.5:
        return Estimate(SCALABLE, why="its packets are ECT(1)")
    if len(flow.t) < MIN_PACKETS or flight is None or round_trip is None:
        return unknowable(f"the flow is too short: {len(flow.t)} packets")
    if limited:
        return unknowable("the application limits the flow")
    if isinstance(window.value, int):
        return unknowable("the receive window limits the flow")
    assert link.delays is not None
    lost = flow.downstream_loss_times if link.delays.side == DOWNSTREAM else flow.upstream_loss_times[1]
    lossy_share = _lossy_rounds(flow.t, lost, round_trip + float(np.median(link.delays.wait_s)))
    packets = float(np.median(flight)) / flow.segment_bytes
    if lossy_share > MAX_LOSSY_ROUNDS and packets > MIN_FLIGHT:
        return Estimate(BBR, why=f"loses packets in {lossy_share:.0%} of rounds with {packets:.0f} packets in flight")
    kept = _kept(flow.t, flight, np.sort(lost), round_trip + float(np.median(link.delays.wait_s)))
    if len(kept) < 3:
        return unknowable(f"only {len(kept)} separate losses: at least 3 are needed")
    middle = float(np.median(kept))
    why = f"keeps {middle:.0%} of its data in flight after {len(kept)} losses"
    if middle > MIN_BBR:
        return Estimate(BBR, why=why)
    if middle < MAX_LOSS_BASED:
        return Estimate(LOSS, why=why)
    return unknowable(why)


def _lossy_rounds(t: Floats, lost: Floats, round_trip: float) -> float:
    """The share of rounds with losses, not counting `SLOW_START_ROUNDS`; 0 for a short flow."""
    begin = t[0] + SLOW_START_ROUNDS * round_trip
    rounds = (t[-1] - begin) / round_trip
    return len(np.unique(((lost[lost > begin] - begin) / round_trip).astype(int))) / rounds if rounds > 20 else 0.0


def _kept(t: Floats, flight: Floats, lost: Floats, round_trip: float) -> Floats:
    """Data in flight after each loss relative to before it; losses within four round trips count once."""
    kept, last = [], -np.inf
    for at in lost:
        if at < last + 4 * round_trip or at < t[0] + SLOW_START_ROUNDS * round_trip:
            continue
        last = at
        before = flight[slice(*np.searchsorted(t, (at - round_trip, at + round_trip / 2)))]
        after = flight[slice(*np.searchsorted(t, (at + 2 * round_trip, at + 4 * round_trip)))]
        if len(before) >= 3 and len(after) >= 3:
            kept.append(np.median(after) / np.max(before))
    return np.array(kept)
