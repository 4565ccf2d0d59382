"""The studies recorded in a store: study file, base scenarios, the files that these name, and AQMs in Python.

    studies/NAME/study.toml     the study, which names the other files relative to itself
    studies/NAME/BASE.toml      a base scenario
    studies/NAME/files/*        capacity traces, distributions and captures of the scenarios
    studies/NAME/aqms/*.py      the source of the AQMs in Python, and loaded modules from the same folders

So `results --status` and `--resume` also work on a copy of the store, on any machine.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import tomli_w

from penstock.files import FileError, write_bytes
from penstock.studies.portable import AQMS, Files, aqm_files, scenario_files
from penstock.studies.study_file import StudyFile

__all__ = ["record_study", "recorded_files", "recorded_studies", "recorded_study_names", "write_files"]

STUDY = "study.toml"


def record_study(store: Path, file: StudyFile) -> None:
    """Record a study in the folder of a store, replacing an earlier study of the same name. Raises `FileError`."""
    write_files(store / "studies" / file.study.name, recorded_files(file))


def write_files(folder: Path, files: Files) -> None:
    """Write files to a folder, unless they exist there with this content. Raises `FileError`."""
    try:
        for place, content in files.items():
            target = folder / place
            if target.exists() and target.read_bytes() == content:
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(target, content)
    except OSError as error:
        raise FileError(f"{folder}: cannot be written: {error.strerror or error}") from None


def recorded_study_names(store: Path) -> list[str]:
    """The names of the studies of a store."""
    return [path.parent.name for path in sorted((store / "studies").glob(f"*/{STUDY}"))]


def recorded_studies(store: Path, only: str | None = None) -> list[StudyFile]:
    """The studies of a store by name, or the named one. Raises `PenstockError` if a study cannot be read."""
    studies = []
    for name in recorded_study_names(store):
        if only in (None, name):
            folder = store / "studies" / name
            with _importable(folder / AQMS):
                studies.append(StudyFile.read(folder / STUDY))
    return studies


def recorded_files(file: StudyFile) -> Files:
    """The files of a record by name, the study last. Raises `PenstockError` for an AQM without a source file."""
    tree = {key: value for key, value in file.tree.items() if key not in ("base", "load", "schemes")}
    tree["base"] = (
        [f"{label}.toml" for label in file.bases] if len(file.bases) > 1 else f"{next(iter(file.bases))}.toml"
    )
    if file.candidates:
        tree["schemes"] = [{"scheme": candidate.name, **candidate.params} for candidate in file.candidates]
    trees = [file.tree, *(document.tree for document in file.bases.values())]
    aqms, files = aqm_files(trees, [candidate.name for candidate in file.candidates])
    if aqms:
        tree["load"] = aqms
    for label, document in file.bases.items():
        files |= scenario_files(document.tree, f"{label}.toml")
    return {**files, STUDY: tomli_w.dumps(tree).encode()}


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Make the modules of a folder importable by name."""
    if not folder.is_dir():
        yield
        return
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
