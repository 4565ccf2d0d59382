"""Claims: which process currently executes the runs of a part, so that two processes on one store share the work.

A claim is a hint, not a lock. It is valid while its process lives. On this machine this follows from the process
number, on another machine from the age of the file, which a thread renews. If a claim is wrong, the runs are executed
twice, with the same part as the result.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path

from penstock.files import read_json

__all__ = ["PartClaims"]

RENEWED_EVERY_S = 10.0

VALID_S = 60.0
"""Age at which the process of another machine's claim counts as dead."""


class PartClaims:
    """The claims of this process in a folder; `None` as the folder if there is no other process. Use it in a `with`."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._own: set[str] = set()
        self._lock = threading.Lock()
        self._ended = threading.Event()

    def __enter__(self) -> PartClaims:
        if self._folder is not None:
            threading.Thread(target=self._renew, args=[self._folder], daemon=True, name="penstock-claims").start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for name in list(self._own):
            self.release(name)
        self._remove_abandoned()

    def try_claim(self, name: str) -> bool:
        """Claim a part; False if another process has claimed it and lives."""
        if self._folder is None:
            return True
        file = self._folder / name
        content = json.dumps({"host": socket.gethostname(), "pid": os.getpid(), "started": _started(os.getpid())})
        with suppress(OSError):
            if file.exists() and not _is_alive(file):
                file.unlink()
        try:
            with file.open("x", encoding="utf-8") as opened:
                opened.write(content)
        except FileExistsError:
            return False
        except OSError:  # such as on a full disk: a claim is only a hint, but others would wait for an empty one
            with suppress(OSError):
                file.unlink()
            return True
        with self._lock:
            self._own.add(name)
        return True

    def release(self, name: str) -> None:
        """Give up the claim of a part."""
        with self._lock:
            if name in self._own and self._folder is not None:
                self._own.discard(name)
                with suppress(OSError):
                    (self._folder / name).unlink()

    def _remove_abandoned(self) -> None:
        """Remove the claims of processes that no longer exist.

        A process may be killed after it has stored a part and before it has released the claim. No process claims that
        part again, so the claim would stay, and with it the store would never be compacted.
        """
        if self._folder is None:
            return
        for file in self._folder.iterdir():
            with suppress(OSError):
                if not _is_alive(file):
                    file.unlink()

    def _renew(self, folder: Path) -> None:
        while not self._ended.wait(RENEWED_EVERY_S):
            with self._lock:
                own = list(self._own)
            for name in own:
                with suppress(OSError):
                    os.utime(folder / name)


def _is_alive(file: Path) -> bool:
    """Whether the process of a claim lives, as far as can be known."""
    try:
        owner = read_json(file)
        age = time.time() - file.stat().st_mtime
        if owner["host"] == socket.gethostname():
            started = _started(owner["pid"])
            return started is not None and bool(started == owner["started"])
    except (OSError, ValueError, KeyError, TypeError):
        # The file is being written or removed at this moment, or is damaged.
        with suppress(OSError):
            return time.time() - file.stat().st_mtime < VALID_S
        return False
    return age < VALID_S


def _started(pid: int) -> str | None:
    """The time at which a process of this machine started; None if it does not live. Numbers are used again."""
    with suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    if Path("/proc/self").exists():
        return None
    try:
        os.kill(pid, 0)
    except OSError:
        return None
    return "lives"
