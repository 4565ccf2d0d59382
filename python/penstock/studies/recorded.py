"""The studies from files that a store records, so that it can tell what is missing and go on."""

from __future__ import annotations

import json
from pathlib import Path

from penstock.errors import PenstockError
from penstock.files import FileError
from penstock.studies import shared_file
from penstock.studies.study_file import StudyFile

__all__ = ["record", "recorded"]


def record(store: Path, file: StudyFile) -> None:
    """Record a study in the folder of a store, in place of an earlier one of its name. Raises `FileError`."""
    target = store / "studies" / f"{file.study.name}.json"
    try:
        shared_file.write(target, (json.dumps(file.tree, indent=1, default=str) + "\n").encode())
    except OSError as error:
        raise FileError(f"{target}: cannot be written: {error.strerror or error}") from None


def recorded(store: Path) -> list[StudyFile]:
    """The studies of a store by name. Raises `PenstockError` if one cannot be read."""
    found = []
    for path in sorted((store / "studies").glob("*.json")):
        try:
            tree = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise PenstockError(f"{path}: {error}") from None
        found.append(StudyFile.of(tree, {"": str(path)}))
    return found
