"""Checksums of the files of a store: a file that is damaged, foreign or not regular is skipped, with a warning.

The name of the empty file `sums/NAME.CRC` contains the CRC-32 of the Parquet file NAME in `runs`, `scenarios` or
`labels`. A file has several checksums if processes wrote it with different processor times.
"""

from __future__ import annotations

import sys
import warnings
import zlib
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from penstock.errors import PenstockWarning
from penstock.files import open_regular

__all__ = [
    "Sums",
    "defect_list",
    "file_defect",
    "intact_files",
    "record_checksum",
    "recorded_checksums",
    "warn_of_defects",
]

Sums = Mapping[str, Collection[str]]
"""The checksums of files by file name without suffix."""

CHUNK = 1 << 20
"""Number of bytes read at once."""

MAX_LISTED = 5
"""Maximum number of skipped files that a warning names."""


def record_checksum(folder: Path, name: str, content: bytes) -> None:
    """Record the checksum of the file `name` in the store `folder`, before it is written. Raises `OSError`."""
    (folder / "sums" / f"{name}.{zlib.crc32(content):08x}").touch()


def recorded_checksums(folder: Path) -> dict[str, set[str]]:
    """The checksums that a store has recorded."""
    checksums: dict[str, set[str]] = {}
    sums = folder / "sums"
    for entry in sums.iterdir() if sums.is_dir() else ():
        name, _, checksum = entry.name.partition(".")
        checksums.setdefault(name, set()).add(checksum)
    return checksums


def file_defect(file: Path, sums: Sums) -> str:
    """Why a file of a store must be skipped; empty for an intact file."""
    checksums = sums.get(file.stem)
    if not checksums:
        return "it has no checksum in sums/: it is not part of the store, or from an earlier version of penstock"
    checksum = 0
    try:
        with open_regular(file, max_bytes=sys.maxsize) as opened:
            while content := opened.read(CHUNK):
                checksum = zlib.crc32(content, checksum)
    except OSError as error:
        return error.strerror or str(error)
    return "" if f"{checksum:08x}" in checksums else "its checksum is wrong: it is damaged"


def intact_files(folder: Path, kinds: Iterable[str]) -> tuple[dict[str, list[Path]], dict[str, str]]:
    """The intact files of these subfolders of a store, in order, and the defects of the other files."""
    files_by_kind = {kind: sorted((folder / kind).glob("*.parquet")) for kind in kinds}
    sums = recorded_checksums(folder)  # after listing the files: checksums are written before their files
    whole: dict[str, list[Path]] = {}
    defects: dict[str, str] = {}
    for kind, files in files_by_kind.items():
        reasons = {file: file_defect(file, sums) for file in files}
        whole[kind] = [file for file in files if not reasons[file]]
        defects |= {f"{kind}/{file.name}": reason for file, reason in reasons.items() if reason and file.exists()}
    return whole, defects


def defect_list(defects: Mapping[str, str]) -> str:
    """The first files with their defects."""
    texts = [f"{name}: {reason}" for name, reason in defects.items()]
    return "; ".join([*texts[:MAX_LISTED], *(["..."] if len(texts) > MAX_LISTED else [])])


def warn_of_defects(folder: Path, defects: Mapping[str, str], consequence: str) -> None:
    """Warn about skipped files, if any."""
    if not defects:
        return
    count = f"{len(defects)} file is" if len(defects) == 1 else f"{len(defects)} files are"
    message = f"{count} skipped in the store {folder}, {consequence} ({defect_list(defects)})"
    warnings.warn(message, PenstockWarning, stacklevel=4)
