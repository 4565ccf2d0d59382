"""The files and folders that options name, checked before anything is run."""

from __future__ import annotations

import tempfile
from pathlib import Path

from penstock.errors import PenstockError, did_you_mean

__all__ = ["STANDARD_OUTPUT", "output_file", "output_file_except_stdout", "output_file_of_type", "output_folder"]

STANDARD_OUTPUT = "-"


def output_file(name: str, option: str) -> Path:
    """The file that an option names. Raises `PenstockError` if it cannot be written or its folder does not exist."""
    if not name:
        raise PenstockError(f"{option}: the name of the file is empty")
    path = Path(name)
    _check_folder(path.parent, f"{option} {name}")
    try:
        if path.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        existed = path.exists() or path.is_symlink()
        if not existed or path.is_file():
            path.open("a").close()
        if not existed:
            path.unlink()
    except (OSError, ValueError) as error:
        raise _not_writable(f"{option} {name}", error) from None
    return path


def output_file_except_stdout(name: str, option: str) -> Path:
    """Like `output_file`, for a page, figure or capture, which cannot go to standard output."""
    if name == STANDARD_OUTPUT:
        raise PenstockError(f"{option} -: name a file; only JSON goes to standard output")
    return output_file(name, option)


def output_file_of_type(name: str, option: str, suffix: str) -> Path:
    """Like `output_file_except_stdout`, for a file of one type. Raises `PenstockError` if its name ends otherwise."""
    if name and name != STANDARD_OUTPUT and Path(name).suffix.lower() != suffix:
        raise PenstockError(f"{option} {name}: the file must end in {suffix}")
    return output_file_except_stdout(name, option)


def output_folder(name: str | None, option: str) -> Path | None:
    """The folder that an option names, created if its parent exists; None without the option.

    Raises `PenstockError` if no file can be written there.
    """
    if name is None:
        return None
    if not name:
        raise PenstockError(f"{option}: the name of the folder is empty")
    folder = Path(name)
    _check_folder(folder.parent, f"{option} {name}")
    try:
        folder.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, ValueError) as error:
        raise _not_writable(f"{option} {name}", error) from None
    return folder


def _check_folder(folder: Path, option: str) -> None:
    try:
        if folder.is_dir():
            return
        siblings = [item.name for item in folder.parent.iterdir() if item.is_dir()] if folder.parent.is_dir() else []
    except (OSError, ValueError) as error:
        raise _not_writable(option, error) from None
    raise PenstockError(f"{option}: there is no folder {folder}{did_you_mean(folder.name, siblings)}")


def _not_writable(option: str, error: Exception) -> PenstockError:
    return PenstockError(f"{option}: cannot be written: {getattr(error, 'strerror', None) or error}")
