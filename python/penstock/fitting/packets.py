"""The IP packets of captures as columns: senders, receivers, lengths and TCP header fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from penstock import _native
from penstock.errors import PenstockError

__all__ = ["ACK", "ECE", "FIN", "RST", "SYN", "TCP", "UDP", "Ints", "Packets", "concatenate", "read_packets"]

FIN, SYN, RST, ACK, ECE = 0x01, 0x02, 0x04, 0x10, 0x40
TCP, UDP = 6, 17

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Packets:
    """Packets in order of time; a field that a packet lacks is 0, or -1 for TCP options.

    Attributes:
        endpoints: addresses with ports, such as `"10.0.0.1:443"`.
        t_ns: times in nanoseconds since 1970.
        size: lengths of the IP packets in bytes.
        source_index: indices of the senders in `endpoints`; `target_index`: indices of the receivers.
        protocol: `TCP` or `UDP` if that header was captured whole, otherwise 0.
        dscp: differentiated services codepoints; `ecn`: ECN fields.
        payload: payload of TCP or UDP in bytes.
        seq: TCP sequence numbers; `ack`, `flags` and `window`: the other fields of the TCP header.
        mss: maximum segment size options of SYNs; `scale`: window scale options.
        sack_from: left edges of the first SACK blocks; `sack_to`: right edges.
        tsval: TCP timestamps; `tsecr`: timestamp echo replies.

    """

    endpoints: tuple[str, ...]
    t_ns: Ints
    size: Ints
    source_index: Ints
    target_index: Ints
    protocol: Ints
    dscp: Ints
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

    def __len__(self) -> int:
        return len(self.t_ns)

    @property
    def connection(self) -> Ints:
        """A number per packet, equal for packets between the same two endpoints."""
        low, high = np.minimum(self.source_index, self.target_index), np.maximum(self.source_index, self.target_index)
        return low * len(self.endpoints) + high

    def take(self, index: Any) -> Packets:
        """The packets selected by an index or a mask."""
        return Packets(self.endpoints, **{name: getattr(self, name)[index] for name in _COLUMNS})


_COLUMNS = [field.name for field in fields(Packets) if field.name != "endpoints"]


def read_packets(file: Path) -> tuple[Packets, list[str]]:
    """The IP packets of a capture in order of time, and notes that begin with its name. Raises `PenstockError`."""
    try:
        endpoints, columns, notes = _native.captured_packets(file)
    except ValueError as error:
        raise PenstockError(f"{file}: {error}") from None
    arrays = {name: np.frombuffer(columns[name.removesuffix("_index")], "<i8") for name in _COLUMNS}
    return Packets(tuple(endpoints), **arrays), [f"{file}: {note}" for note in notes]


def concatenate(parts: Sequence[Packets]) -> Packets:
    """The packets of all parts, concatenated."""
    endpoints = tuple(dict.fromkeys(end for part in parts for end in part.endpoints))
    numbers = {end: number for number, end in enumerate(endpoints)}
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS}
    for name in ("source_index", "target_index"):
        renumbered = [np.array([numbers[end] for end in part.endpoints])[getattr(part, name)] for part in parts]
        columns[name] = np.concatenate(renumbered)
    return Packets(endpoints, **columns)
