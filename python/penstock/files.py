"""Files: written whole or not at all; TOML read."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from penstock.errors import PenstockError

__all__ = ["FileError", "read_toml", "whole", "write_text"]


class FileError(PenstockError):
    """A file that cannot be written, such as on a full disk."""

    exit_code = 1


@contextmanager
def whole(file: str | Path) -> Iterator[Path]:
    """Yields a temporary path; when the block ends without an error, the content written there replaces `file`.

    After an error `file` is unchanged. A symbolic link stays one: the file behind it is replaced. A device, a
    FIFO or a stream such as /dev/stdout is written to directly. Raises `FileError` for every `OSError` of the block.
    """
    target = Path(file)
    try:
        if _is_stream(target):
            yield target
            return
        target = Path(os.path.realpath(target))
        part = target.with_name(f"{target.name}.part")
        try:
            yield part
            if target.exists():
                part.chmod(target.stat().st_mode & 0o7777)
            part.replace(target)
        finally:
            with suppress(OSError):
                part.unlink()
    except OSError as error:
        raise FileError(f"{file}: cannot be written: {error.strerror or error}") from None


def write_text(file: str | Path, text: str) -> None:
    """Write a UTF-8 text file whole or not at all: see `whole`."""
    with whole(file) as part:
        part.write_text(text, encoding="utf-8")


def read_toml(file: Path) -> Mapping[str, Any]:
    """The content of a TOML file. Raises `PenstockError` if it is not valid TOML."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise PenstockError(f"{file}: {error}") from None


def _is_stream(file: Path) -> bool:
    """Whether a path leads to something other than a regular file, or to an open stream of a process."""
    if file.exists() and not file.is_file():
        return True
    step, seen = Path(os.path.abspath(file)), set()  # noqa: PTH100 - resolve() would follow the links
    while step not in seen:
        if step.parts[1:2] in (("dev",), ("proc",)) and not str(step).startswith("/dev/shm/"):
            return True
        seen.add(step)
        if step.is_symlink():
            step = step.parent / step.readlink()
    return False
