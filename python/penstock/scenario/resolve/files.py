"""Files that a scenario names: traces of capacity, distributions, packets.

Only regular files are read, since a device or pipe may be endless, and a study reads a file more than once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from penstock.scenario.resolve.reader import text
from penstock.units import UnitError, format_size

MAX_BYTES: Final = 1 << 30
"""Size of the largest file that is read."""


def named_files(tree: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """The tables that name a file, each with the key of the name; malformed values are left to the reader."""
    for part in ("links", "traffic", "workloads"):
        yield from files_within(tree.get(part))


def files_within(value: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """As `named_files`, for any part of a scenario."""
    if isinstance(value, list):
        for item in value:
            yield from files_within(item)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key in ("capacity", "file") and isinstance(inner, str):
                yield value, key
            else:
                yield from files_within(inner)


def regular_file(value: Any) -> str:
    """The name of a readable regular file of at most `MAX_BYTES`. Raises `UnitError` for any other."""
    name = text(value)
    try:
        path = Path(name)
        if path.exists() and not path.is_file():
            raise UnitError("is not a regular file")
        with path.open("rb"):
            size = path.stat().st_size
    except (OSError, ValueError) as error:
        if isinstance(error, UnitError):
            raise
        raise UnitError(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if size > MAX_BYTES:
        raise UnitError(f"has {format_size(size)}; a file has at most {format_size(MAX_BYTES)}")
    return name


def content(value: Any) -> str:
    """The text of a regular file. Raises `UnitError` if it cannot be read or is not UTF-8."""
    name = regular_file(value)
    try:
        return Path(name).read_text(encoding="utf-8")
    except OSError as error:
        raise UnitError(f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UnitError(f"is not UTF-8 text (byte {error.start})") from None


def content_of(file: str) -> str:
    """A key for the content of a file."""
    with Path(file).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
