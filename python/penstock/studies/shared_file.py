"""Files of a store, which several processes may write at the same time."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["renamed", "write"]


def write(target: Path, content: bytes) -> None:
    """Write a file, which other processes see whole or not at all. Raises `OSError`."""
    with renamed(target) as temporary:
        temporary.write_bytes(content)


@contextmanager
def renamed(target: Path) -> Iterator[Path]:
    """Yields a temporary path beside `target`, of this writer alone, and renames it to `target` at the end."""
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.tmp")
    try:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(target)
    finally:
        with suppress(OSError):
            temporary.unlink()
