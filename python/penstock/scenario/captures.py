"""Captures that traffic replays: their numbers of packets and bytes, and what their reader reports about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from penstock import _native
from penstock.errors import PenstockError

__all__ = ["RecordedLoad", "recorded_load", "replay_notes"]


@dataclass(frozen=True)
class RecordedLoad:
    """The load in a capture.

    Attributes:
        packet_count: number of IP packets, with super-frames split into segments.
        total_bytes: their lengths together.
        duration_s: time from the first packet to the last one.
        notes: a sentence about each peculiarity of the file, such as frames that are not IP.

    """

    packet_count: int
    total_bytes: int
    duration_s: float
    notes: tuple[str, ...]


def recorded_load(file: str) -> RecordedLoad:
    """The load in a capture. A file is read once, and again only if it has changed. Raises `PenstockError`."""
    try:
        status = Path(file).stat()
    except OSError as error:
        raise PenstockError(f"{file}: cannot be read: {error.strerror}") from None
    return _recorded_load(file, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=64)
def _recorded_load(file: str, _size: int, _mtime_ns: int) -> RecordedLoad:
    try:
        packets, size, seconds, notes = _native.read_capture(Path(file))
    except ValueError as error:
        raise PenstockError(f"{file}: {error}") from None
    return RecordedLoad(packets, size, seconds, tuple(notes))


def replay_notes(groups: Iterable[Mapping[str, Any]]) -> list[str]:
    """Notes about the captures that these traffic groups, in canonical form, replay; each begins with the file name."""
    files = dict.fromkeys(group["replay"]["file"] for group in groups if "replay" in group)
    return [f"{file}: {note}" for file in files for note in recorded_load(file).notes]
