"""Control of a running link: lines such as `fq-codel:target=5ms` in a FIFO or a file change its queue."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from penstock.files import FileError

__all__ = ["QueueCommandFile"]


class QueueCommandFile:
    """Commands that change the queue of a running link, read from a FIFO or from the end of a file.

    If the file does not exist, a FIFO is created; `close` removes it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._created = not path.exists()
            if self._created:
                os.mkfifo(path)
            self._is_fifo = stat.S_ISFIFO(path.stat().st_mode)
            # Open for writing, too: a FIFO without a writer would be at its end.
            self._file = os.open(path, (os.O_RDWR if self._is_fifo else os.O_RDONLY) | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise FileError(f"--control {path}: {error.strerror}") from None
        if not self._is_fifo:
            os.lseek(self._file, 0, os.SEEK_END)
        self._rest = b""

    def fileno(self) -> int | None:
        """A file to poll; None for a plain file, which is always ready."""
        return self._file if self._is_fifo else None

    def lines(self) -> list[str]:
        """The commands that have arrived since the last call, one per line."""
        while True:
            try:
                read = os.read(self._file, 65536)
            except BlockingIOError:
                break
            if not read:
                break
            self._rest += read
        *lines, self._rest = self._rest.split(b"\n")
        return [text for line in lines if (text := line.decode(errors="replace").strip())]

    def close(self) -> None:
        """Close it, and remove the FIFO if it was created here."""
        os.close(self._file)
        if self._created:
            self._path.unlink(missing_ok=True)
