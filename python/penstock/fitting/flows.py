"""Flows: the data of one direction of a TCP connection, with its acknowledgements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from penstock.fitting.packets import ACK, FIN, RST, SYN, TCP, Ints, Packets

__all__ = ["Bools", "Floats", "Flow", "Handshake", "Segments", "tcp_flows"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

HEADERS_V4, HEADERS_V6 = 40, 60
"""Bytes of IP and TCP headers without options: RFC 791, RFC 8200 and RFC 9293."""

MAX_PAYLOAD, USUAL_PAYLOAD = 1460, 1448
"""Payload of an Ethernet packet of 1500 bytes with headers of 40 bytes, and with timestamps of 12 bytes (RFC 7323)."""

MIN_FULL_RATIO = 0.8
"""Smallest payload of a full packet relative to the maximum segment size; IPv6 at the minimum MTU (1280) has 0.84."""


@dataclass(frozen=True)
class Handshake:
    """Times in seconds at which the packets of a handshake passed; NaN for a packet that was not captured.

    Attributes:
        syn_t, syn_ack_t: times of the SYN and the SYN-ACK in seconds since the start of the capture; NaN if unknown.
        ack_t: the same of the next packet from the host that sent the SYN.
        is_opened_by_sender: whether the sender of the data opened the connection.
        ack_bytes: size of the third packet.

    """

    syn_t: float
    syn_ack_t: float
    ack_t: float
    is_opened_by_sender: bool
    ack_bytes: int = 0


@dataclass(frozen=True)
class Segments:
    """New data of a flow in capture order; each row is a packet with bytes that had not passed before.

    Attributes:
        sent: time at which the packet passed, in seconds.
        start: offset of the first byte in the flow; `end`: offset after the last byte.
        size: bytes of IP packets on the wire, including the headers of each segment of a super-frame.
        acked_t: time at which the first acknowledgement of the packet passed; NaN if none did.
        rtt_sample_mask: whether `acked_t - sent` is a round trip: the packet was sent once, and its arrival
            acknowledged.
        sack_mask: whether a SACK block acknowledged the packet first, which Linux may delay by 1 ms (compressed SACKs).
        gap: whether bytes before the packet are missing because they were lost upstream of the capture point.

    """

    sent: Floats
    start: Ints
    end: Ints
    size: Floats
    acked_t: Floats
    rtt_sample_mask: Bools
    sack_mask: Bools
    gap: Bools


@dataclass(frozen=True)
class Flow:
    """Data from one host to another over one TCP connection. Times are seconds since the start of the capture.

    Attributes:
        sender: address and port of the sender; `receiver`: of the receiver.
        packets: the data packets in capture order; `t`: their times; `start` and `end`: their bytes, as in `Segments`.
        acks: the acknowledgements; `ack_t`: their times; `ack`: the next byte that each expects.
        handshake: the times of the handshake.
        mss: the smaller maximum segment size announced in the SYNs; None without one.
        window_scale: factor of the receive windows that the receiver announces; None without both SYNs.
        has_fin: whether the sender closed the flow.
        has_start: whether the SYN was captured.

    """

    sender: str
    receiver: str
    packets: Packets
    t: Floats
    start: Ints
    end: Ints
    acks: Packets
    ack_t: Floats
    ack: Ints
    handshake: Handshake
    mss: int | None
    window_scale: int | None
    has_fin: bool
    has_start: bool

    @property
    def payload_bytes(self) -> int:
        """Payload bytes from the first that passed to the last."""
        return int(self.end.max() - min(0, self.start.min()))

    @cached_property
    def header_bytes(self) -> int:
        """Median size of the headers of a data packet in bytes."""
        return int(np.median(self.packets.size - self.packets.payload))

    @cached_property
    def segment_bytes(self) -> int:
        """Payload of a full packet on the wire in bytes."""
        sizes, counts = np.unique(self.packets.payload, return_counts=True)
        largest = int(sizes.max())
        if self.mss is not None and largest <= self.mss:
            return largest
        # Super-frames: the most frequent size of packets of a single segment.
        top = MAX_PAYLOAD if self.mss is None else self.mss
        single = (sizes <= top) & (sizes >= MIN_FULL_RATIO * top)
        if single.any():
            return int(sizes[single][counts[single].argmax()])
        if self.mss is None:
            return min(largest, USUAL_PAYLOAD)
        return max(1, self.mss - (self.header_bytes - (HEADERS_V6 if self.is_v6 else HEADERS_V4)))

    @property
    def is_v6(self) -> bool:
        """Whether the packets are IPv6."""
        return self.sender.startswith("[")

    @cached_property
    def retransmission_mask(self) -> Bools:
        """Per packet, whether all of its bytes are below the highest byte that passed before."""
        return self.end <= _before(self.end, int(self.start[0]))

    @cached_property
    def wire_packet_counts(self) -> Ints:
        """Per captured packet, the number of packets on the wire: several for a super-frame."""
        return -(-self.packets.payload // self.segment_bytes)

    @cached_property
    def wire_bytes(self) -> Ints:
        """Per captured packet, the bytes of its IP packets on the wire."""
        return self.packets.payload + self.wire_packet_counts * self.header_bytes

    @cached_property
    def segments(self) -> Segments:
        """The packets with new data."""
        new = ~self.retransmission_mask
        start, end, sent = self.start[new], self.end[new], self.t[new]
        delivered, timed, sacked = self._delivered(start, end)
        again = np.searchsorted(end, self.start[~new], side="right")
        timed[again[again < len(end)]] = False
        timed &= delivered > sent
        gap = start > _before(end, int(start[0]))
        return Segments(sent, start, end, self.wire_bytes[new].astype(float), delivered, timed, sacked, gap)

    def _delivered(self, start: Ints, end: Ints) -> tuple[Floats, Bools, Bools]:
        """When each packet was acknowledged first, whether on its own arrival, and whether by a first SACK block."""
        ack = np.maximum.accumulate(self.ack) if len(self.ack) else self.ack
        by = np.searchsorted(ack, end)
        is_acked = by < len(ack)
        delivered = np.full(len(end), np.nan)
        delivered[is_acked] = self.ack_t[by[is_acked]]
        timed, sacked = np.zeros((2, len(end)), bool)
        timed[is_acked] = ack[by[is_acked]] == end[is_acked]
        rows = np.flatnonzero(self.acks.sack_to >= 0)
        left, right = (
            self.ack[rows] + _signed(edge[rows] - self.acks.ack[rows])
            for edge in (self.acks.sack_from, self.acks.sack_to)
        )
        low, high = np.searchsorted(start, left), np.searchsorted(end, right, side="right")
        for first, last, t in zip(low.tolist(), high.tolist(), self.ack_t[rows].tolist(), strict=True):
            row = last - 1
            while row >= first and not delivered[row] <= t:
                delivered[row], timed[row], sacked[row] = t, row == last - 1, True
                row -= 1
        return delivered, timed, sacked

    @property
    def missing_bytes(self) -> int:
        """Bytes that were acknowledged but are not in the capture."""
        order = np.argsort(self.start, kind="stable")
        start, before = self.start[order], _before(self.end[order], int(self.start[order[0]]))
        last = int(self.ack.max()) if len(self.ack) else 0
        return int(np.maximum(np.minimum(start, last) - before, 0).sum())

    @cached_property
    def downstream_loss_times(self) -> Floats:
        """Times at which packets passed that were retransmitted later: lost downstream of the capture point."""
        again = np.flatnonzero(self.retransmission_mask)
        order = np.lexsort((np.arange(len(self.start)), self.start))
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        earlier = order[np.maximum(place[again] - 1, 0)]
        same = (self.start[earlier] == self.start[again]) & (earlier != again)
        times: Floats = self.t[earlier[same]]
        return times

    @cached_property
    def upstream_loss_times(self) -> tuple[Floats, Floats]:
        """Per packet lost upstream of the capture point, the times of the captured packets before and after it."""
        segments = self.segments
        behind = np.flatnonzero(segments.gap[1:]) + 1
        holes = segments.start[behind] - segments.end[behind - 1]
        behind = np.repeat(behind, np.ceil(holes / self.segment_bytes).astype(np.int64))
        return segments.sent[behind - 1], segments.sent[behind]


def tcp_flows(packets: Packets) -> Iterator[Flow]:
    """The flows of all TCP connections, in the order of the first packets of the connections."""
    zero = packets.t_ns[0]
    tcp = packets.take(packets.protocol == TCP)
    _, first, number = np.unique(tcp.connection, return_index=True, return_inverse=True)
    order = np.argsort(number, kind="stable")
    bounds = np.searchsorted(number[order], np.arange(len(first) + 1))
    for group in np.argsort(first, kind="stable"):
        rows = order[bounds[group] : bounds[group + 1]]
        for connection in _split(tcp.take(rows)):
            for outward in (True, False):
                forward = connection.source_index == connection.source_index[0]
                if (flow := _flow(connection, forward if outward else ~forward, int(zero))) is not None:
                    yield flow


def _split(connection: Packets) -> Iterator[Packets]:
    """Successive connections with the same addresses and ports, split where a SYN has a new sequence number."""
    opening = np.flatnonzero((connection.flags & (SYN | ACK)) == SYN)
    if len(opening) < 2:
        yield connection
        return
    fresh = opening[1:][np.diff(connection.seq[opening]) != 0]
    bounds = [0, *fresh.tolist(), len(connection)]
    for first, last in pairwise(bounds):
        yield connection.take(slice(first, last))


def _flow(connection: Packets, forward: Bools, zero: int) -> Flow | None:
    """The flow in one direction of a connection; None if it has no data."""
    opens = connection.flags & SYN > 0
    data = connection.take(forward & (connection.payload > 0) & ~opens)
    if not len(data):
        return None
    syn = connection.take(forward & opens)
    answer = connection.take(~forward & opens)
    base = int(syn.seq[0]) + 1 if len(syn) else None
    start = _unwrapped(data.seq, int(data.seq[0]) if base is None else base)
    acks = connection.take(~forward & ~opens & (connection.flags & (ACK | RST) == ACK))
    ack = _unwrapped(acks.ack, int(data.seq[0]) if base is None else base)
    lowest = 0 if base is not None else int(start.min())
    sender, receiver = data.endpoints[data.source_index[0]], data.endpoints[data.target_index[0]]
    segment_sizes = [int(each.mss[0]) for each in (syn, answer) if len(each) and each.mss[0] > 0]
    scales = [int(each.scale[0]) for each in (syn, answer) if len(each)]
    return Flow(
        sender,
        receiver,
        data,
        (data.t_ns - zero) / 1e9,
        start - lowest,
        start - lowest + data.payload,
        acks,
        (acks.t_ns - zero) / 1e9,
        ack - lowest,
        _handshake(connection, forward, opens, zero),
        min(segment_sizes) if segment_sizes else None,
        None if len(scales) < 2 else 1 << scales[1] if min(scales) >= 0 else 1,
        bool((connection.flags[forward] & FIN).any()),
        base is not None,
    )


def _handshake(connection: Packets, forward: Bools, opens: Bools, zero: int) -> Handshake:
    """The times of the handshake; NaN if a SYN was repeated, because its round trip is then ambiguous."""
    first = np.flatnonzero(opens & (connection.flags & ACK == 0))
    second = np.flatnonzero(opens & (connection.flags & ACK > 0))
    if len(first) != 1 or len(second) != 1:
        return Handshake(np.nan, np.nan, np.nan, len(first) > 0 and bool(forward[first[0]]))
    later = np.arange(len(opens)) > second[0]
    third = np.flatnonzero(later & (connection.source_index == connection.source_index[first[0]]))[:1]
    third = third[connection.seq[third] == (connection.seq[first[0]] + 1) % 2**32]  # else it was lost
    syn, syn_ack, third_t = (
        float(connection.t_ns[row[0]] - zero) / 1e9 if len(row) else np.nan for row in (first, second, third)
    )
    size = int(connection.size[third[0]]) if len(third) else 0
    return Handshake(syn, syn_ack, third_t, bool(forward[first[0]]), size)


def _before(values: Ints, initial: int) -> Ints:
    """Per value, the largest value before it; `initial` for the first."""
    return np.concatenate([[initial], np.maximum.accumulate(values)[:-1]])


def _signed(difference: Ints) -> Ints:
    """Differences of 32-bit sequence numbers as signed numbers."""
    return (difference + 2**31) % 2**32 - 2**31


def _unwrapped(numbers: Ints, base: int) -> Ints:
    """32-bit sequence numbers, relative to `base` and without wrap-around."""
    if not len(numbers):
        return numbers
    return np.cumsum(_signed(np.diff(numbers, prepend=base)))
