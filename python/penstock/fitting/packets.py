"""The IP packets of captures as columns: addresses, ports, lengths and TCP header fields."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penstock.fitting.records import Frames, frames

__all__ = ["ACK", "ECE", "FIN", "IP_HEAD", "RST", "SYN", "TCP", "UDP", "Packets", "joined", "read_packets"]

FIN, SYN, RST, ACK, ECE = 0x01, 0x02, 0x04, 0x10, 0x40
TCP, UDP = 6, 17
IP_HEAD = 64
"""Bytes kept of each packet, from its IP header on, to write the datagrams to replay."""

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Packets:
    """Packets in order of time; a field that a packet lacks is 0, or -1 where 0 is a valid value.

    Attributes:
        t_ns: times in nanoseconds since 1970.
        size: lengths of the IP packets in bytes.
        protocol: IP protocols; 0 for fragments other than the first, and for TCP if its header was not captured.
        source: hashes of the address and port of the sender; `target`: of the receiver.
        ports: source and destination ports in one number, source << 16 | destination.
        ecn: ECN fields.
        payload: bytes of payload.
        seq: TCP sequence numbers; `ack`, `flags` and `window`: the other fields of the TCP header.
        mss: maximum segment size options, -1 without.
        scale: window scale options, -1 without.
        sack_from: left edges of the first SACK blocks, -1 without; `sack_to`: right edges.
        tsval: TCP timestamps, -1 without; `tsecr`: timestamp echo replies.
        head: first bytes of the IP packets.

    """

    t_ns: Ints
    size: Ints
    protocol: Ints
    source: Ints
    target: Ints
    ports: Ints
    ecn: Ints
    payload: Ints
    seq: Ints
    ack: Ints
    flags: Ints
    window: Ints
    mss: Ints
    scale: Ints
    sack_from: Ints
    sack_to: Ints
    tsval: Ints
    tsecr: Ints
    head: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.t_ns)

    def take(self, index: Any) -> Packets:
        """The packets selected by an index or a mask."""
        return Packets(**{field.name: getattr(self, field.name)[index] for field in fields(self)})

    def ends(self, number: int) -> tuple[str, str]:
        """`address:port` of the sender and of the receiver of a packet."""
        head, ports = self.head[number].tobytes(), int(self.ports[number])
        four = head[0] >> 4 == 4
        first, size = (12, 4) if four else (8, 16)
        addresses = (head[first : first + size], head[first + size : first + 2 * size])
        names = [str(ipaddress.ip_address(address)) for address in addresses]
        names = names if four else [f"[{name}]" for name in names]
        return f"{names[0]}:{ports >> 16}", f"{names[1]}:{ports & 0xFFFF}"


def read_packets(file: Path) -> Packets:
    """The IP packets of a capture in order of time."""
    packets = joined([_decode(block) for block in frames(file)])
    return packets.take(np.argsort(packets.t_ns, kind="stable"))


def joined(parts: Sequence[Packets]) -> Packets:
    """The packets of all parts, concatenated."""
    return Packets(
        **{each.name: np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(Packets)}
    )


class _Bytes:
    """Bytes of each row of a table, from a position per row."""

    def __init__(self, table: NDArray[np.uint8], at: Ints | None = None, length: int = 64) -> None:
        if at is None:
            self.rows = table
        else:
            width = table.shape[1]
            flat = np.concatenate([table.ravel(), np.zeros(length, np.uint8)])
            first = np.arange(len(table)) * width + np.clip(at, 0, width)
            self.rows = np.lib.stride_tricks.sliding_window_view(flat, length)[first]

    def u8(self, offset: int) -> Ints:
        return self.rows[:, offset].astype(np.int64)

    def u16(self, offset: int) -> Ints:
        return self.u8(offset) << 8 | self.u8(offset + 1)

    def u32(self, offset: int) -> Ints:
        return self.u16(offset) << 16 | self.u16(offset + 2)


def _decode(block: Frames) -> Packets:
    start = _ip_start(block)
    chosen = np.flatnonzero(start >= 0)
    at = _Bytes(block.head[chosen], start[chosen], 128)
    version = at.u8(0) >> 4
    four, six = version == 4, version == 6
    header = np.where(four, (at.u8(0) & 15) * 4, 40)
    rest = block.wire[chosen] - start[chosen]
    size = np.where(four, at.u16(2), at.u16(4) + 40)
    size = np.where(size <= 40 * six, rest, size)  # length 0: a super-frame of more than 64 KiB
    fragment = four & (at.u16(6) & 0x1FFF > 0)
    protocol = np.where(fragment, 0, np.where(four, at.u8(9), at.u8(6)))
    kept = block.kept[chosen] - start[chosen] - header
    protocol[(protocol == TCP) & (kept < 20)] = 0  # ports and sequence numbers are incomplete
    above = _Bytes(at.rows, header)
    has_ports = (protocol == TCP) | (protocol == UDP)
    ports = np.where(has_ports, above.u32(0), 0)
    tcp = protocol == TCP
    data_at = header + np.where(tcp, (above.u8(12) >> 4) * 4, np.where(protocol == UDP, 8, 0))
    zero = np.zeros(len(chosen), np.int64)
    columns = {
        "t_ns": block.t_ns[chosen],
        "size": size,
        "protocol": protocol,
        "source": _hash(at, (12, 8), four, ports >> 16),
        "target": _hash(at, (16, 24), four, ports & 0xFFFF),
        "ports": ports,
        "ecn": np.where(four, at.u8(1), at.u8(1) >> 4) & 3,
        "payload": np.maximum(size - data_at, 0),
        "seq": np.where(tcp, above.u32(4), zero),
        "ack": np.where(tcp, above.u32(8), zero),
        "flags": np.where(tcp, above.u8(13), zero),
        "window": np.where(tcp, above.u16(14), zero),
        **_options(above, np.flatnonzero(tcp), np.minimum(data_at - header, kept)),
        "head": at.rows[:, :IP_HEAD],
    }
    return Packets(**columns).take(four | six)


def _hash(at: _Bytes, first: tuple[int, int], four: NDArray[np.bool_], port: Ints) -> Ints:
    """A 63-bit hash of address and port, with constants of SplitMix64; `first`: address offsets in IPv4 and IPv6."""
    mixed = np.full(len(port), 0x9E3779B97F4A7C15, np.uint64)
    for word in range(5):
        address = np.where(four, at.u32(first[0]) if word == 0 else 0, at.u32(first[1] + 4 * min(word, 3)))
        mixed = (mixed ^ (port if word == 4 else address).astype(np.uint64)) * np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(29)
    return (mixed >> np.uint64(1)).astype(np.int64)


def _options(above: _Bytes, rows: Ints, header: Ints) -> dict[str, Ints]:
    """The captured TCP options; all rows advance by one option per iteration."""
    names = ("mss", "scale", "sack_from", "sack_to", "tsval", "tsecr")
    columns = {name: np.full(len(above.rows), -1, np.int64) for name in names}
    position = np.full(len(above.rows), 20, np.int64)
    while len(rows := rows[position[rows] < header[rows]]):
        at = _Bytes(above.rows[rows], position[rows], 12)
        kind, length = at.u8(0), at.u8(1)
        for code, name, offset, bytes_read in (
            (2, "mss", 2, at.u16), (3, "scale", 2, at.u8), (5, "sack_from", 2, at.u32),
            (5, "sack_to", 6, at.u32), (8, "tsval", 2, at.u32), (8, "tsecr", 6, at.u32),
        ):  # fmt: skip
            if (mask := (kind == code) & (position[rows] + length <= header[rows])).any():
                columns[name][rows[mask]] = bytes_read(offset)[mask]
        position[rows] += np.where(kind == 0, 64, np.where(kind == 1, 1, np.maximum(length, 2)))
    return columns


def _ip_start(block: Frames) -> Ints:
    """Offset of the IP packet in each frame; -1 without. Link types: https://www.tcpdump.org/linktypes.html."""
    start = np.full(len(block.link), -1, np.int64)
    for link in np.unique(block.link):
        rows = np.flatnonzero(block.link == link)
        head = block.head[rows]
        at = _Bytes(head)
        if link in (12, 14, 101, 228, 229):  # raw IP
            start[rows] = 0
        elif link in (0, 108):  # BSD loopback
            start[rows] = 4
        elif link in (9, 50):  # PPP
            long = at.u16(0) == 0xFF03
            kind = np.where(long, at.u16(2), at.u16(0))
            start[rows] = np.where((kind == 0x21) | (kind == 0x57), np.where(long, 4, 2), -1)
        elif link in (1, 113, 276):  # Ethernet, Linux cooked v1 and v2
            kind_at, first = {1: (12, 14), 113: (14, 16), 276: (0, 20)}[int(link)]
            start[rows] = _after_tags(head, at.u16(kind_at), first)
    return start


def _after_tags(head: NDArray[np.uint8], kind: Ints, first: int) -> Ints:
    """Offset of IP after VLAN tags, PPPoE and MPLS labels, from the EtherType of each frame; -1 if there is none."""
    start = np.full(len(kind), first, np.int64)
    while (tagged := np.isin(kind, (0x8100, 0x88A8, 0x9100)) & (start < first + 12)).any():
        kind = np.where(tagged, _Bytes(head, start, 4).u16(2), kind)
        start = np.where(tagged, start + 4, start)
    if (session := kind == 0x8864).any():
        inner = _Bytes(head, start, 8).u16(6)
        kind = np.where(session, np.where(inner == 0x21, 0x0800, np.where(inner == 0x57, 0x86DD, 0)), kind)
        start = np.where(session, start + 8, start)
    label = np.isin(kind, (0x8847, 0x8848))
    is_ip = np.isin(kind, (0x0800, 0x86DD)) | label
    while (label & (start < first + 36)).any():
        last = _Bytes(head, start, 4).u8(2) & 1 == 1
        start, label = np.where(label, start + 4, start), label & ~last & (start < first + 36)
    return np.where(is_ip, start, -1)
