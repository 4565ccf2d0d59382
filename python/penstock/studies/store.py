"""Results of runs by their key: nothing is computed twice, and an interrupted comparison or study resumes."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from penstock.errors import PenstockError

__all__ = ["Store", "default_folder"]

KEYS_PER_QUERY = 500
"""Maximum number of keys in one statement; SQLite's own limit is larger."""

MAX_RESULT = 2**28
"""Maximum size of a result in bytes; a row that would decompress to more counts as damaged."""


def default_folder() -> Path:
    """The default folder of results: `penstock` in the user's cache folder."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "penstock"


class Store:
    """A folder with one SQLite file of results, each a JSON text under the key of its run.

    Several processes may use it at the same time. A row whose checksum is wrong counts as missing and is replaced by
    the next result with its key. Results that cannot be written, for instance to a full disk, are kept in memory.

    Attributes:
        file: the SQLite file.
        problem: why results could not be written, empty if all were.

    Raises `PenstockError` if the folder cannot be used.

    """

    def __init__(self, folder: str | Path | None = None) -> None:
        folder = default_folder() if folder is None else Path(folder)
        self.file = folder / "results.sqlite"
        self.problem = ""
        self._unwritten: dict[str, str] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self.file, timeout=60.0)
            self._connection.execute("PRAGMA journal_mode = WAL")
            # Uses row ids: without them SQLite stores rows in the tree of keys, where rows of kilobytes waste pages.
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS results"
                " (key TEXT PRIMARY KEY NOT NULL, checksum BLOB NOT NULL, result BLOB NOT NULL)"
            )
        except (OSError, sqlite3.Error) as error:
            raise PenstockError(f"the store {self.file} cannot be used: {error}") from None

    def has(self, keys: Sequence[str]) -> set[str]:
        """The keys that have an undamaged result."""
        return {key for key, _ in self.get(keys)}

    def get(self, keys: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Keys with their results, in no order, leaving out those that have none."""
        for start in range(0, len(keys), KEYS_PER_QUERY):
            part = keys[start : start + KEYS_PER_QUERY]
            yield from ((key, self._unwritten[key]) for key in part if key in self._unwritten)
            for key, checksum, packed in self._ask([key for key in part if key not in self._unwritten]):
                text = _unpacked(packed) if checksum == _checksum(key, packed) else None
                if text is not None:
                    yield key, text

    def put(self, results: Iterable[tuple[str, str]]) -> None:
        """Keep results, all in one transaction; in memory if they cannot be written, with the reason in `problem`."""
        known = dict(results)
        packed = {key: zlib.compress(text.encode(), 3) for key, text in known.items()}
        rows = [(key, _checksum(key, result), result) for key, result in packed.items()]
        try:
            with self._connection:
                self._connection.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", rows)
        except sqlite3.Error as error:
            self._unwritten |= known
            self.problem = f"{len(self._unwritten)} results could not be stored in {self.file}: {error}"

    def close(self) -> None:
        """Close the file; the store cannot be used afterwards."""
        self._connection.close()

    def _ask(self, keys: Sequence[str]) -> Iterator[tuple[Any, Any, Any]]:
        marks = ",".join("?" * len(keys))
        try:
            yield from self._connection.execute(
                f"SELECT key, checksum, result FROM results WHERE key IN ({marks})", keys
            )
        except sqlite3.Error as error:
            raise PenstockError(f"the store {self.file} cannot be read: {error}") from None


def _checksum(key: str, packed: object) -> bytes:
    content = packed if isinstance(packed, bytes) else b""
    return hashlib.blake2b(key.encode() + b"\0" + content, digest_size=8).digest()


def _unpacked(packed: object) -> str | None:
    """The text of a row; None if it is damaged or larger than `MAX_RESULT`."""
    if not isinstance(packed, bytes):
        return None
    inflate = zlib.decompressobj()
    try:
        text = inflate.decompress(packed, MAX_RESULT).decode()
    except (zlib.error, UnicodeDecodeError):
        return None
    return text if inflate.eof else None
