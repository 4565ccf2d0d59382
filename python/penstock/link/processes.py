"""Processes of real links: those in a namespace, and those that a killed penstock left behind."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["MARK", "Process", "end_processes", "kill_leftovers", "process_mark", "processes_in"]

MARK = "PENSTOCK_LINK"
"""Environment variable of each process on a real link: the penstock that carries the link, as `PID:START`."""

_PATIENCE = 0.5
"""Seconds for a process to end by itself before it is killed."""

_PROC = Path("/proc")


@dataclass(frozen=True)
class Process:
    """A process, and the penstock to which it belongs."""

    pid: int
    name: str
    mark: str


def process_mark() -> str:
    """The mark of this process: its number, and its start in clock ticks after boot, as numbers are reused."""
    return f"{os.getpid()}:{_started(os.getpid())}"


def processes_in(namespace: int, own_mark: str | None = None) -> set[int]:
    """The processes in the network namespace of an open file, except this one; with a mark, only those that have it."""
    status = os.fstat(namespace)
    identity = status.st_dev, status.st_ino
    return {
        pid
        for pid in _numbers()
        if _namespace(pid, "net") == identity and (own_mark is None or _environment(pid).get(MARK) == own_mark)
    }


def end_processes(pids: Iterable[int]) -> None:
    """End processes: Send SIGTERM, and SIGKILL to processes that are still there half a second later."""
    opened = {}
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            opened[os.pidfd_open(pid)] = pid
    try:
        for signal_number, patience in ((signal.SIGTERM, _PATIENCE), (signal.SIGKILL, 10 * _PATIENCE)):
            for file in opened:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    # A stopped process would get the signal only when it continues.
                    signal.pidfd_send_signal(file, signal_number)
                    signal.pidfd_send_signal(file, signal.SIGCONT)
            for file in _wait(set(opened), patience):
                os.close(file)
                del opened[file]
    finally:
        for file in opened:
            os.close(file)


def kill_leftovers() -> list[Process]:
    """Kill the processes whose penstock was killed before it could end them, and return them.

    Only processes of this user and of this PID namespace: elsewhere the numbers in marks denote other processes.
    """
    home, spared, killed = _namespace(os.getpid(), "pid"), _ancestors(os.getpid()), []
    for pid in _numbers():
        owner = _environment(pid).get(MARK)
        if owner is None or pid in spared or _namespace(pid, "pid") != home or _alive(owner):
            continue
        name = _text(pid, "comm").strip() or "?"
        with contextlib.suppress(ProcessLookupError, PermissionError):
            file = os.pidfd_open(pid)
            try:
                if _environment(pid).get(MARK) == owner:  # still the same process
                    signal.pidfd_send_signal(file, signal.SIGKILL)
                    killed.append(Process(pid, name, owner))
                    _wait({file}, 10 * _PATIENCE)
            finally:
                os.close(file)
    return killed


def _wait(files: set[int], patience: float) -> set[int]:
    """The opened processes that end within `patience` seconds."""
    ended: set[int] = set()
    waiting = select.poll()
    for file in files:
        waiting.register(file, select.POLLIN)
    last = time.monotonic() + patience
    while ended != files and (remaining := last - time.monotonic()) > 0:
        for file, _ in waiting.poll(1000 * remaining):
            ended.add(file)
            waiting.unregister(file)
    return ended


def _alive(owner: str) -> bool:
    """Whether the penstock of a mark still runs; an invalid mark belongs to no process."""
    pid, _, start = owner.partition(":")
    return not pid.isdecimal() or not start.isdecimal() or _started(int(pid)) == int(start)


def _numbers() -> Iterator[int]:
    """The numbers of all processes except this one."""
    for entry in _PROC.iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            yield int(entry.name)


def _ancestors(pid: int) -> set[int]:
    """A process, its parent, and so on."""
    ancestors: set[int] = set()
    while pid and pid not in ancestors:
        ancestors.add(pid)
        fields = _fields(pid)
        pid = int(fields[1]) if fields else 0
    return ancestors


def _started(pid: int) -> int | None:
    """Start of a process in clock ticks after boot; None if there is no such process, or it is a zombie."""
    fields = _fields(pid)
    return int(fields[19]) if fields and fields[0] not in ("Z", "X") else None


def _fields(pid: int) -> list[str]:
    """The fields of `/proc/PID/stat` (proc(5)) from the third one on, the state; none if there is no such process."""
    return _text(pid, "stat").rpartition(")")[2].split()


def _environment(pid: int) -> dict[str, str]:
    """The environment that a process was started with; empty if it cannot be read."""
    return dict(entry.partition("=")[::2] for entry in _text(pid, "environ").split("\0") if entry)


def _text(pid: int, name: str) -> str:
    try:
        return (_PROC / str(pid) / name).read_text(errors="replace")
    except OSError:
        return ""


def _namespace(pid: int, kind: str) -> tuple[int, int] | None:
    try:
        status = (_PROC / str(pid) / "ns" / kind).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
