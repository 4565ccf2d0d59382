"""Files that a scenario names: traces of capacity, distributions, packets.

Only regular files are read, since a device or pipe may be endless, and a study reads a file more than once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from penstock.files import MAX_BYTES, open_regular, read_bytes, read_text
from penstock.scenario.resolve.reader import parse_string
from penstock.units import UnitError


def tables_with_files(tree: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """The tables that name a file, each with the key of the name; malformed values are left to the reader."""
    for part in ("links", "traffic", "workloads"):
        yield from tables_with_files_in(tree.get(part))


def tables_with_files_in(value: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Like `tables_with_files`, for any part of a scenario."""
    if isinstance(value, list):
        for item in value:
            yield from tables_with_files_in(item)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key in ("capacity", "file", "rates") and isinstance(inner, str):
                yield value, key
            else:
                yield from tables_with_files_in(inner)


def parse_file_name(value: Any) -> str:
    """The name of a readable regular file of at most `MAX_BYTES`. Raises `UnitError` for any other."""
    name = parse_string(value)
    try:
        open_regular(name, MAX_BYTES).close()
    except (OSError, ValueError) as error:
        raise UnitError(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return name


def read_file_text(value: Any) -> str:
    """The text of a regular file. Raises `UnitError` if it cannot be read or is not UTF-8."""
    try:
        return read_text(parse_string(value), MAX_BYTES)
    except UnicodeDecodeError as error:
        raise UnitError(f"is not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise UnitError(f"cannot be read: {error.strerror}") from None


def content_key(file: str) -> str:
    """A key for the content of a file."""
    return hashlib.sha256(read_bytes(file)).hexdigest()
