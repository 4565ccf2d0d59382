"""File access: only regular files are read, and each file is written whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
import time
import tomllib
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

from penstock.errors import PenstockError

__all__ = [
    "MAX_BYTES",
    "MAX_TEXT_BYTES",
    "FileError",
    "UnsuitableFileError",
    "atomic_replacement",
    "open_regular",
    "parse_json",
    "read_bytes",
    "read_json",
    "read_standard_input",
    "read_text",
    "read_toml",
    "write_bytes",
    "write_text",
]

MAX_BYTES: Final = 1 << 30
"""Maximum size of a data file in bytes."""

MAX_TEXT_BYTES: Final = 1 << 25
"""Maximum size in bytes of a file that a person writes, such as a scenario."""

WAIT_FOR_READER_S: Final = 5.0
"""How long in seconds the writer of a FIFO waits for a reader."""

_KINDS: Final = {
    stat.S_IFDIR: "a directory",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
}


class FileError(PenstockError, OSError):
    """A file that cannot be written, such as on a full disk."""

    exit_code = 1


class UnsuitableFileError(OSError):
    """A file that is not read: a directory, device or FIFO, or a file that is too large. `strerror` has the reason."""


def open_regular(file: str | Path, max_bytes: int = MAX_BYTES) -> BinaryIO:
    """Open a regular file for reading.

    Reading a device may never end, and opening a FIFO waits for its writer. Raises `UnsuitableFileError` for these,
    directories, sockets, and files with more than `max_bytes`; other `OSError`s as `open`.
    """
    path = os.fspath(file)
    if "\0" in path:
        raise UnsuitableFileError(errno.EINVAL, "a file name cannot contain a null character", path)
    _check(Path(path).stat(), path, max_bytes)
    # The file may have been replaced by a FIFO since it was checked.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        _check(os.fstat(descriptor), path, max_bytes)
    except OSError:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


def read_bytes(file: str | Path, max_bytes: int = MAX_BYTES) -> bytes:
    """The content of a regular file. Raises as `open_regular`."""
    with open_regular(file, max_bytes) as opened:
        return opened.read()


def read_text(file: str | Path, max_bytes: int = MAX_TEXT_BYTES) -> str:
    """The text of a regular file in UTF-8. Raises `UnicodeDecodeError`, a `ValueError`, and as `open_regular`."""
    return read_bytes(file, max_bytes).decode("utf-8")


def read_json(file: str | Path) -> Any:
    """The value in a JSON file. Raises as `open_regular` and `parse_json`."""
    return parse_json(read_bytes(file))


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text. Raises `ValueError` for a text that is not JSON or too deeply nested."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is too deeply nested") from None


def read_toml(file: Path) -> Mapping[str, Any]:
    """The content of a TOML file. Raises `PenstockError` if it cannot be read or is not valid TOML."""
    try:
        return tomllib.loads(read_text(file))
    except OSError as error:
        raise PenstockError(f"{file}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise PenstockError(f"{file}: {error}") from None
    except RecursionError:
        raise PenstockError(f"{file}: is too deeply nested") from None


def read_standard_input() -> str:
    """The text on standard input. Raises `PenstockError` if it is not UTF-8 or too long."""
    content = sys.stdin.buffer.read(MAX_TEXT_BYTES + 1)
    if len(content) > MAX_TEXT_BYTES:
        raise PenstockError(f"standard input: has more than {MAX_TEXT_BYTES >> 20} MiB")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PenstockError(f"standard input: is not UTF-8 text (byte {error.start})") from None


@contextmanager
def atomic_replacement(file: str | Path) -> Iterator[Path]:
    """Yields the path of an empty temporary file; when the block ends without an error, it replaces `file`.

    The temporary file is in the same folder and has a random name, so that several processes may write `file` at the
    same time and nobody can put a symbolic link in its place. After an error `file` is unchanged. A symbolic link is
    kept, and its target is replaced. A device, a FIFO or a stream such as /dev/stdout is written to directly.
    Raises `FileError` for every `OSError` of the block.
    """
    try:
        if _is_stream(Path(file)):
            with _reader_of(file):
                yield Path(file)
            return
        target = Path(os.path.realpath(file))
        part = _temporary_name(target)
        try:
            # Inside the block, because an interrupt may arrive as soon as the file exists.
            os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666))
            yield part
            with part.open("rb") as written:
                os.fsync(written.fileno())
            if target.exists():
                part.chmod(target.stat().st_mode & 0o7777)
            part.replace(target)
        finally:
            with suppress(OSError):
                part.unlink()
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"{file}: cannot be written: {error.strerror or error}") from None


def write_bytes(file: str | Path, content: bytes) -> None:
    """Write a file whole or not at all: see `atomic_replacement`."""
    with atomic_replacement(file) as part:
        part.write_bytes(content)


def write_text(file: str | Path, text: str) -> None:
    """Write a UTF-8 text file whole or not at all: see `atomic_replacement`.

    Characters that UTF-8 cannot represent, such as undecodable bytes of a file name, are escaped as in JSON.
    """
    write_bytes(file, text.encode("utf-8", errors="backslashreplace"))


def _check(status: os.stat_result, path: str, max_bytes: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise UnsuitableFileError(errno.EINVAL, f"it is {kind}, not a regular file", path)
    if status.st_size > max_bytes:
        raise UnsuitableFileError(errno.EFBIG, f"it has {status.st_size} bytes; at most {max_bytes} are read", path)


def _temporary_name(target: Path) -> Path:
    """The path of a file with a random name in the folder of `target`."""
    # Truncated, since the name of `target` may have the maximum length. Bytes that are not UTF-8 are kept.
    name = os.fsdecode(os.fsencode(target.name)[:200])
    return target.with_name(f".{name}.{uuid.uuid4().hex}.tmp")


@contextmanager
def _reader_of(stream: str | Path) -> Iterator[None]:
    """Wait until another process reads a FIFO, and keep it open. Raises `OSError` if none does."""
    try:
        is_fifo = stat.S_ISFIFO(Path(stream).stat().st_mode)
    except OSError:
        is_fifo = False
    if not is_fifo:
        yield
        return
    deadline = time.monotonic() + WAIT_FOR_READER_S
    while (descriptor := _open_for_writing(stream)) is None:
        if time.monotonic() > deadline:
            raise OSError(errno.ENXIO, "it is a FIFO that no process reads")
        time.sleep(0.02)
    try:
        yield
    finally:
        os.close(descriptor)


def _open_for_writing(fifo: str | Path) -> int | None:
    try:
        return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        return None


def _is_stream(file: Path) -> bool:
    """Whether a path leads to something other than a regular file, or to an open stream of a process."""
    if file.exists() and not file.is_file():
        return True
    step, visited = Path(os.path.abspath(file)), set()  # noqa: PTH100 - resolve() would follow the links
    while step not in visited:
        if step.parts[1:2] in (("dev",), ("proc",)) and not str(step).startswith("/dev/shm/"):
            return True
        visited.add(step)
        if step.is_symlink():
            step = step.parent / step.readlink()
    return False
