"""The two directions of a captured link, and the datagrams in each."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from penstock.fitting.flows import Floats
from penstock.fitting.packets import TCP, UDP, Ints, Packets

__all__ = ["QuicFlow", "forward_packet_mask", "host_address", "other_packet_mask", "quic_flows"]

QUIC_PORT = 443
"""UDP port of HTTP/3 (RFC 9114, section 3.1)."""

MIN_BYTES = 14_720
"""Smallest payload in bytes of a QUIC flow that becomes a transfer; shorter flows are replayed.

The initial window (RFC 9002, section 7.2): congestion control does not act on shorter flows.
"""


@dataclass(frozen=True)
class QuicFlow:
    """One direction of a QUIC connection, whose sequence numbers and acknowledgements are encrypted.

    Attributes:
        packet_rows: row numbers, in the capture, of the packets of the flow.
        connection_rows: the same for the packets of both directions.
        t: times of the packets in seconds since the start of the capture.
        payload_bytes: payload of the flow.
        segment_bytes: payload of a large packet.
        to_sender_s: round trip from the capture point to the sender, from the first packets; NaN if unknown.
        to_receiver_s: the same to the receiver.

    """

    sender: str
    receiver: str
    packet_rows: Ints
    connection_rows: Ints
    t: Floats
    payload_bytes: int
    segment_bytes: int
    to_sender_s: float
    to_receiver_s: float


def host_address(end: str) -> str:
    """The address of `address:port`."""
    return end.rpartition(":")[0]


def forward_packet_mask(packets: Packets) -> NDArray[np.bool_]:
    """Whether each packet goes in the direction with more bytes.

    Two hosts that exchange packets are on different sides of the link.
    """
    hosts = [host_address(end) for end in packets.endpoints]
    pairs, of_pair = np.unique(packets.source_index * len(hosts) + packets.target_index, return_inverse=True)
    weight = np.bincount(of_pair, weights=packets.size)
    near: dict[str, set[str]] = defaultdict(set)
    for pair in pairs[np.argsort(-weight, kind="stable")]:
        sender, receiver = (hosts[end] for end in divmod(int(pair), len(hosts)))
        near[sender].add(receiver)
        near[receiver].add(sender)
    side: dict[str, int] = {}
    for start in near:  # in descending order of bytes
        if start in side:
            continue
        side[start] = 0
        waiting = deque([start])
        while waiting:
            name = waiting.popleft()
            for other in near[name]:
                if other not in side:
                    side[other] = 1 - side[name]
                    waiting.append(other)
    forward: NDArray[np.bool_] = np.array([side.get(name) == 0 for name in hosts])[packets.source_index]
    return forward if packets.size[forward].sum() * 2 >= packets.size.sum() else ~forward


def quic_flows(packets: Packets) -> list[QuicFlow]:
    """The QUIC flows with enough data to be replaced by transfers."""
    is_quic = np.array([end.endswith(f":{QUIC_PORT}") for end in packets.endpoints])
    chosen = np.flatnonzero((packets.protocol == UDP) & (is_quic[packets.source_index] | is_quic[packets.target_index]))
    _, number = np.unique(packets.connection[chosen], return_inverse=True)
    flows = []
    for group in np.unique(number):
        rows = chosen[number == group]
        outward = packets.source_index[rows] == packets.source_index[rows[0]]
        t = (packets.t_ns[rows] - packets.t_ns[0]) / 1e9
        answer = np.flatnonzero(~outward)
        reply = np.flatnonzero(outward & (np.arange(len(rows)) > answer[0])) if len(answer) else answer
        ahead = t[answer[0]] - t[0] if len(answer) else np.nan
        back = t[reply[0]] - t[answer[0]] if len(reply) else np.nan
        for mine, trips in ((outward, (back, ahead)), (~outward, (ahead, back))):
            size = int(packets.payload[rows[mine]].sum())
            if size >= MIN_BYTES:
                first = rows[mine][0]
                ends = packets.source_index[first], packets.target_index[first]
                sender, receiver = (packets.endpoints[end] for end in ends)
                segment = int(np.quantile(packets.payload[rows[mine]], 0.9))
                flows.append(QuicFlow(sender, receiver, rows[mine], rows, t[mine], size, segment, *map(float, trips)))
    return flows


def other_packet_mask(packets: Packets, quic: list[QuicFlow]) -> NDArray[np.bool_]:
    """Whether each packet belongs neither to TCP nor to the connection of one of these QUIC flows."""
    other: NDArray[np.bool_] = packets.protocol != TCP
    for flow in quic:
        other[flow.connection_rows] = False
    return other
