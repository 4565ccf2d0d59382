"""Compaction: many small parts of a store become one, since each part takes a millisecond to open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from penstock.studies import part

__all__ = ["MAX_PARTS", "mergeable_groups"]

MAX_PARTS = 128
"""Number of small parts from which a store is compacted."""

SMALL = 4_000_000
"""Size in bytes of a part that is worth merging."""

LARGEST = 16_000_000
"""Size in bytes of the parts that are merged into one; a reader of the store checks this amount at once."""

LEAST = 8
"""Minimum number of parts that are merged."""


@dataclass
class _Group:
    """Parts whose columns of the same name have the same type and role."""

    size: int = 0
    files: list[Path] = field(default_factory=list)
    columns: dict[str, tuple[str, bool]] = field(default_factory=dict)

    def add_if_it_fits(self, file: Path, columns: dict[str, tuple[str, bool]]) -> bool:
        """Add a part if it fits; returns whether it was added."""
        size = self.size + file.stat().st_size
        if size > LARGEST or any(self.columns.get(name, kind) != kind for name, kind in columns.items()):
            return False
        self.size = size
        self.columns |= columns
        self.files.append(file)
        return True


def mergeable_groups(files: Mapping[Path, int]) -> Iterator[Sequence[Path]]:
    """The small parts among `files` that can be merged, each group into one; none if there are few.

    `files` gives, for each part, the number of its runs that are in no other part: a part that shares runs is left
    alone. A type must not change: a whole number would be read back as another number, or a text as JSON.
    """
    small = [file for file in files if file.stat().st_size < SMALL]
    if len(small) < MAX_PARTS:
        return
    open_groups: list[_Group] = []
    for file in sorted(small):
        if part.run_count(file) != files[file]:
            continue
        columns = part.column_types(file)
        if not any(group.add_if_it_fits(file, columns) for group in open_groups):
            open_groups.append(_Group())
            open_groups[-1].add_if_it_fits(file, columns)
    yield from (group.files for group in open_groups if len(group.files) >= LEAST)
