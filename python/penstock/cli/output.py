"""Output of a verb: results to standard output, files and pages; notices to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from penstock.errors import PenstockError, nearest
from penstock.files import write_text

if TYPE_CHECKING:
    from penstock.studies.store import Store


def print_result(text: str) -> None:
    """Write text to standard output."""
    sys.stdout.write(text)
    sys.stdout.flush()


def notify(message: str) -> None:
    """Write a line to standard error."""
    print(message, file=sys.stderr, flush=True)


def json_text(value: Any) -> str:
    """Plain values as indented JSON, in UTF-8 without escapes."""
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def write_json(text: str, file: Path | None) -> None:
    """Write JSON text to a file, or to standard output in UTF-8 whatever its encoding."""
    if file is not None:
        write_text(file, text)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()


def write_page(result: dict[str, Any], file: Path) -> None:
    """Write the page of a result, with the machine and the command that made it."""
    from penstock.engine.environment import provenance
    from penstock.report import page

    page.write({**result, "provenance": provenance()}, file)
    notify(f"page: {file}")


def open_store(folder: str | None) -> Store | None:
    """The store of results in a folder, by default in the user's cache; None, with a notice, if that cannot be used."""
    from penstock.studies.store import Store

    try:
        return Store(folder)
    except PenstockError as error:
        if folder is not None:
            raise
        notify(f"{error}; finished runs are not kept")
        return None


@contextmanager
def resumable() -> Iterator[None]:
    """Ctrl-C ends the command with the code for it, and says that it can be resumed."""
    try:
        yield
    except KeyboardInterrupt:
        notify("interrupted; finished runs are kept; rerun the same command to resume")
        raise typer.Exit(130) from None


def output_file(name: str | None, option: str) -> Path | None:
    """The file that an option names; None for standard output (`-`), or without the option.

    Raises `PenstockError` before anything is run if the file cannot be written or its folder does not exist.
    """
    if name is None or name == "-":
        return None
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


def output_folder(name: str | None, option: str) -> Path | None:
    """The folder that an option names, created if its parent exists; None without the option.

    Raises `PenstockError` before anything is run if no file can be written there.
    """
    if name is None:
        return None
    folder = Path(name)
    _check_folder(folder.parent, f"{option} {name}")
    probe = folder / ".penstock-probe"
    try:
        folder.mkdir(exist_ok=True)
        probe.touch()
        probe.unlink()
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
    raise PenstockError(f"{option}: there is no folder {folder}{nearest(folder.name, siblings)}")


def _not_writable(option: str, error: Exception) -> PenstockError:
    return PenstockError(f"{option}: cannot be written: {getattr(error, 'strerror', None) or error}")


def command_line() -> str:
    """The command as the user typed it."""
    import shlex

    return shlex.join(["penstock", *sys.argv[1:]])


def terminal_width() -> int:
    """Columns for text: those of the terminal, from 40 to 100."""
    import shutil

    return max(40, min(shutil.get_terminal_size((100, 24)).columns, 100))


def load_laws(files: list[str]) -> None:
    """Register the laws of Python files."""
    if files:
        from penstock.laws import python_law

        for file in files:
            python_law.load(file)
