"""Remembers parts of scenarios that were read without errors, so that cells of a study read only the parts that differ.

A part is identified by its content and by everything else that its reader uses, so a remembered part equals the one
that would be read again. Parts with errors are read every time, since errors name the place where a value is written.
So are parts that name files, since files change.
"""

from __future__ import annotations

import marshal
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Final, Generic, TypeVar

from penstock.errors import ErrorCollector
from penstock.scenario.resolve.files import tables_with_files_in
from penstock.scenario.resolve.reader import Table

__all__ = ["PartCache", "content_bytes"]

T = TypeVar("T")

CAPACITY: Final = 20_000
"""Total weight of the parts in a memory; a part weighs as much as it has links or nodes, and takes some kB for each."""


class PartCache(Generic[T]):
    """The parts that were used last, by key; may be used by several threads."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._parts: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()
        self._weight = 0
        self._lock = Lock()

    def get(self, key: Hashable) -> T | None:
        """The part with this key, if it is remembered."""
        with self._lock:
            part = self._parts.get(key)
            if part is None:
                return None
            self._parts.move_to_end(key)
            return part[0]

    def put(self, key: Hashable, part: T, weight: int = 1) -> T:
        """Remember a part of at most a tenth of the capacity, and forget the parts used longest ago."""
        if weight > self._capacity // 10:
            return part
        with self._lock:
            self._weight += weight - self._parts.pop(key, (part, 0))[1]
            self._parts[key] = part, weight
            while self._weight > self._capacity:
                self._weight -= self._parts.popitem(last=False)[1][1]
        return part

    def get_or_make(self, key: Hashable, make: Callable[[], T], weight: Callable[[T], int] = lambda part: 1) -> T:
        """The part with this key, made if it is not remembered."""
        kept = self.get(key)
        if kept is None:
            kept = make()
            self.put(key, kept, weight(kept))
        return kept

    def read(
        self, table: Table, read: Callable[[Table], T], *context: Hashable, weight: Callable[[T], int] = lambda part: 1
    ) -> T:
        """The part in a table as returned by `read`, which looks only at the table and at `context`."""
        content = content_bytes(table.values)
        if content is None:
            return read(table)
        key = content, context
        kept = self.get(key)
        if kept is not None:
            return kept
        values = marshal.loads(content)
        if _is_plain(values) and not any(True for _ in tables_with_files_in(values)):
            errors = ErrorCollector()
            kept = read(Table(errors, "", values))
            if not errors.details:
                return self.put(key, kept, weight(kept))
        return read(table)


def content_bytes(values: Any) -> bytes | None:
    """The content of plain values as bytes, equal for equal values of equal types; None for other objects."""
    try:
        # Version 2 does not depend on whether equal objects are identical.
        return marshal.dumps(values, 2)
    except ValueError:
        return None


def _is_plain(value: Any) -> bool:
    """Whether a value read back from `content_bytes` is what was written: arrays and NumPy's numbers become bytes."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(inner) for key, inner in value.items())
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, (str, int, float))
