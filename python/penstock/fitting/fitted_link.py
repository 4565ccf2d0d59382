"""The content of a fit: the flows, the bottlenecks, and their estimates by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from penstock.fitting.bottleneck import Bottleneck
from penstock.fitting.delays import DOWNSTREAM
from penstock.fitting.directions import QuicFlow
from penstock.fitting.estimate import Estimate, unknowable
from penstock.fitting.flows import Flow
from penstock.fitting.packets import Packets
from penstock.fitting.round_trips import RoundTrip
from penstock.fitting.senders import Sender

__all__ = ["FittedFlow", "FittedLink"]


@dataclass(frozen=True)
class FittedFlow:
    """A flow of a capture with its estimates; `first_sent_s`: time at which the sender sent its first packet."""

    name: str
    flow: Flow
    is_forward: bool
    round_trip: RoundTrip
    sender: Sender
    is_open: bool
    first_sent_s: float

    @property
    def estimates(self) -> dict[str, Estimate]:
        """The estimates by name."""
        flow = self.flow
        pauses = self.sender.application_pauses
        think = Estimate("none", why="the application did not pause")
        if pauses:
            low, middle, high = np.quantile(pauses, [0.05, 0.5, 0.95])
            think = Estimate(float(middle), "s", float(low), float(high), f"median of {len(pauses)} pauses")
        start = flow.handshake.syn_t if flow.handshake.syn_t == flow.handshake.syn_t else float(flow.t[0])
        return {
            "start": Estimate(start, "s", why="" if flow.has_start else "time of the first data; no SYN was captured"),
            "bytes": Estimate(
                flow.payload_bytes, "B", why="still sending when the capture ends" if self.is_open else ""
            ),
            "rtt": self.round_trip.total,
            "rtt_to_sender": self.round_trip.to_sender,
            "rtt_to_receiver": self.round_trip.to_receiver,
            "segment": Estimate(flow.segment_bytes, "B"),
            "ecn": Estimate(self.sender.ecn),
            "window": self.sender.window,
            "control": self.sender.congestion_control,
            "writes": Estimate(len(self.sender.application_writes)),
            "think_time": think,
        }


@dataclass(frozen=True, repr=False)
class FittedLink:
    """Estimates of a link and its traffic from captures.

    Attributes:
        files: the captures.
        duration_s: time from the first packet to the last one.
        start_ns: time of the first packet in nanoseconds since 1970.
        packet_count: number of IP packets.
        forward: the bottleneck in the direction with more bytes; `reverse`: the bottleneck in the other direction.
        flows: the TCP flows in the order of their first packets.
        quic: the QUIC flows, each with whether it goes forward.
        datagrams: the packets to replay, by direction: `"forward"` and `"reverse"`.
        notes: a sentence about each peculiarity of the captures.

    """

    files: tuple[Path, ...]
    duration_s: float
    start_ns: int
    packet_count: int
    forward: Bottleneck
    reverse: Bottleneck
    flows: tuple[FittedFlow, ...]
    quic: tuple[tuple[QuicFlow, bool], ...]
    datagrams: dict[str, Packets]
    notes: tuple[str, ...] = field(default=())

    @property
    def estimates(self) -> dict[str, Estimate]:
        """All estimates by name, such as `"bottleneck.rate"` and `"flow1.rtt"`."""
        result = {"capture.point": _point(self.forward)}
        for name, link in (("bottleneck", self.forward), ("bottleneck.reverse", self.reverse)):
            result |= {f"{name}.rate": link.rate, f"{name}.rate_changes": _changes(link)}
            result |= {f"{name}.buffer": link.buffer, f"{name}.queue": link.queue}
        for flow in self.flows:
            result |= {f"{flow.name}.{name}": estimate for name, estimate in flow.estimates.items()}
        return result


def _point(link: Bottleneck) -> Estimate:
    if link.delays is None or not link.delays.has_queue:
        return unknowable("no queue built up")
    if link.delays.side == DOWNSTREAM:
        return Estimate("upstream of the bottleneck", why="the queue varies the time from data to its acknowledgement")
    return Estimate(
        "downstream of the bottleneck", why="the queue varies the one-way delay from the sender, by its timestamps"
    )


def _changes(link: Bottleneck) -> Estimate:
    if link.rate.value is None:
        return unknowable(link.rate.why)
    changes = [f"{rate / 1e6:.4g} Mbit/s from {at:.4g} s" for at, rate in link.rate_steps[1:]]
    return Estimate(", ".join(changes) or "none")
