"""Files that a scenario names: traces of capacity, distributions, packets."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def named_files(tree: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """The tables that name a file, and the key that does; what has another shape is left to the reader."""
    for part in ("links", "traffic"):
        yield from _within(tree.get(part))


def _within(value: Any) -> Iterator[tuple[dict[str, Any], str]]:
    if isinstance(value, list):
        for item in value:
            yield from _within(item)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key in ("capacity", "file") and isinstance(inner, str):
                yield value, key
            else:
                yield from _within(inner)


def content_of(file: str) -> str:
    """A name for what stands in a file."""
    with Path(file).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
