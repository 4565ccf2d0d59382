"""The frames of a capture: time, length, link type and first bytes of each, block by block.

Callers check the format with `penstock.scenario.replayed.recorded_load` first; it also reports peculiarities.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from penstock.files import open_regular

__all__ = ["HEAD", "Frames", "frames"]

HEAD = 176
"""Bytes kept of each frame: 56 bytes for link headers and the longest headers of IPv4 and TCP, 60 bytes each."""

BLOCK = 1 << 22
"""Bytes of a file decoded per iteration."""

Row = tuple[int, int, int, int, int]
"""Offset of a frame, bytes captured, bytes on the wire, time in nanoseconds, link type."""


@dataclass(frozen=True)
class Frames:
    """Frames in file order.

    Attributes:
        t_ns: times in nanoseconds since 1970.
        wire: lengths of the frames in bytes.
        kept: numbers of captured bytes, limited to `HEAD`.
        link: link types.
        head: a row per frame with its first bytes, padded with 0.

    """

    t_ns: NDArray[np.int64]
    wire: NDArray[np.int64]
    kept: NDArray[np.int64]
    link: NDArray[np.int64]
    head: NDArray[np.uint8]


def frames(file: Path) -> Iterator[Frames]:
    """The frames of a pcap or pcapng file, plain or compressed by gzip or zstd."""
    with open_regular(file) as opened:
        stream = _decompressed(opened)
        start = _read(stream, 24)
        reader: _Pcap | _PcapNg = _PcapNg() if start[:4] == b"\n\r\r\n" else _Pcap(start)
        rest = start if isinstance(reader, _PcapNg) else b""
        while more := _read(stream, BLOCK):
            content = rest + more
            rows, end = reader.rows(content)
            rest = content[end:]
            if rows:
                yield _gather(content, rows)


def _decompressed(opened: BinaryIO) -> Any:
    """The decompressed content of a file as a stream."""
    import pyarrow as pa

    magic = opened.read(4)
    opened.seek(0)
    kind = "gzip" if magic[:2] == b"\x1f\x8b" else "zstd" if magic == b"\x28\xb5\x2f\xfd" else None
    return opened if kind is None else pa.CompressedInputStream(pa.PythonFile(opened), kind)


def _read(stream: Any, size: int) -> bytes:
    """At most this number of bytes; a truncated compressed file ends early."""
    try:
        return bytes(stream.read(size))
    except OSError:
        return b""


def _gather(content: bytes, rows: list[Row]) -> Frames:
    table = np.array(rows, np.int64)
    at, kept = table[:, 0], np.minimum(table[:, 1], HEAD)
    padded = np.frombuffer(content + bytes(HEAD), np.uint8)
    head = np.lib.stride_tricks.sliding_window_view(padded, HEAD)[at]
    head[np.arange(HEAD) >= kept[:, None]] = 0
    return Frames(table[:, 3], table[:, 2], kept, table[:, 4], head)


class _Pcap:
    """Parser of the records of a pcap file."""

    def __init__(self, start: bytes) -> None:
        order = "<" if start[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
        self.record = struct.Struct(f"{order}IIII")
        magic, *_, link = struct.unpack(f"{order}IHHiIII", start)
        self.unit = 1 if magic == 0xA1B23C4D else 1000
        self.link = link & 0xFFFF

    def rows(self, content: bytes) -> tuple[list[Row], int]:
        """The complete records, and the offset of the first incomplete record."""
        rows, at, end = [], 0, len(content)
        unpack, unit, link = self.record.unpack_from, self.unit, self.link
        while at + 16 <= end:
            seconds, part, kept, wire = unpack(content, at)
            if at + 16 + kept > end:
                break
            rows.append((at + 16, kept, wire, seconds * 10**9 + part * unit, link))
            at += 16 + kept
        return rows, at


class _PcapNg:
    """Parser of the blocks of a pcapng file."""

    def __init__(self) -> None:
        self.order = "<"
        self.interfaces: list[tuple[int, int, int]] = []  # link type, units per second, offset in seconds

    def rows(self, content: bytes) -> tuple[list[Row], int]:
        """The frames of the complete blocks, and the offset of the first incomplete block."""
        rows, at, end = [], 0, len(content)
        while at + 12 <= end:
            if content[at : at + 4] == b"\n\r\r\n":
                self.order = "<" if content[at + 8 : at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
                self.interfaces = []
            kind, length = struct.unpack_from(f"{self.order}II", content, at)
            if length < 12 or at + length > end:
                break
            if kind == 1:
                self.interfaces.append(self._interface(content[at + 8 : at + length - 4]))
            elif kind in (2, 6):
                number, high, low, kept, wire = struct.unpack_from(f"{self.order}IIIII", content, at + 8)
                if kind == 2:
                    (number,) = struct.unpack_from(f"{self.order}H", content, at + 8)
                link, units, offset = self.interfaces[number]
                t_ns = ((high << 32) + low) * 10**9 // units + offset * 10**9
                rows.append((at + 28, kept, wire, t_ns, link))
            at += length
        return rows, at

    def _interface(self, body: bytes) -> tuple[int, int, int]:
        (link,) = struct.unpack_from(f"{self.order}H", body)
        units, offset, at = 10**6, 0, 8
        while at + 4 <= len(body):
            code, length = struct.unpack_from(f"{self.order}HH", body, at)
            if code == 9:
                power = body[at + 4]
                units = 2 ** (power & 0x7F) if power & 0x80 else 10**power
            elif code == 14:
                (offset,) = struct.unpack_from(f"{self.order}q", body, at + 4)
            elif code == 0:
                break
            at += 4 + (length + 3) // 4 * 4
        return link, units, offset
