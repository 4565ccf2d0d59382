"""Results of runs by their key, so that nothing is computed twice and an interrupted study goes on where it was."""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from penstock.errors import PenstockError

__all__ = ["Store", "default_folder"]

# Keys asked for in one statement; SQLite's own limit is larger.
ASKED = 500


def default_folder() -> Path:
    """Where results are kept unless a folder is named: `penstock` in the user's cache folder."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "penstock"


class Store:
    """A folder with one SQLite file of results, each a JSON text under the key of its run.

    Several processes may use it at once. Raises `PenstockError` where the folder cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        self.file = folder / "runs.sqlite"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self.file, timeout=60.0)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS runs (key TEXT PRIMARY KEY, result BLOB NOT NULL) WITHOUT ROWID"
            )
        except (OSError, sqlite3.Error) as error:
            raise PenstockError(f"the store {self.file} cannot be used: {error}") from None

    def has(self, keys: Sequence[str]) -> set[str]:
        """Those of the keys that have a result."""
        return {key for part in _parts(keys) for (key,) in self._ask("key", part)}

    def get(self, keys: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Keys with their results, of those that have one, in no order."""
        for part in _parts(keys):
            for key, result in self._ask("key, result", part):
                yield key, zlib.decompress(result).decode()

    def put(self, results: Iterable[tuple[str, str]]) -> None:
        """Keep results, all in one transaction."""
        rows = [(key, zlib.compress(text.encode(), 3)) for key, text in results]
        try:
            with self._connection:
                self._connection.executemany("INSERT OR REPLACE INTO runs VALUES (?, ?)", rows)
        except sqlite3.Error as error:
            raise PenstockError(f"the store {self.file} cannot be written: {error}") from None

    def _ask(self, columns: str, keys: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        marks = ",".join("?" * len(keys))
        try:
            yield from self._connection.execute(f"SELECT {columns} FROM runs WHERE key IN ({marks})", keys)
        except sqlite3.Error as error:
            raise PenstockError(f"the store {self.file} cannot be read: {error}") from None


def _parts(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(keys), ASKED):
        yield keys[start : start + ASKED]
