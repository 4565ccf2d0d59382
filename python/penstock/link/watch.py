"""Watching a running link until its command ends: views, changes of the queue, faults."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from types import FrameType

from penstock.errors import PenstockError
from penstock.link.control import QueueCommandFile
from penstock.link.session import LinkSession
from penstock.link.states import StateView, with_rates
from penstock.scenario.scheme_text import parse_queue

__all__ = ["FAULT", "TIMED_OUT", "watch_link"]

EVERY = 0.5
"""Seconds between two states that views show."""

TIMED_OUT = 124
"""Exit status if the command did not end within the duration, as in timeout(1)."""

FAULT = 1
"""Exit status if the link stopped by itself."""


def watch_link(
    session: LinkSession,
    link: str,
    child: subprocess.Popen[bytes] | None = None,
    *,
    duration: float | None = None,
    views: Sequence[StateView] = (),
    control: QueueCommandFile | None = None,
) -> int:
    """Wait for the command, the duration in seconds, a signal or a fault of the link; returns an exit status.

    The status is that of the command; 128 plus the number of the signal that ended it or penstock; 124 if the duration
    is over before the command ends; 1 after a fault. Without a command it is 0 at the end of the duration and on
    Ctrl-C.
    """
    with _Signals(child is not None) as signals, _Waiting() as waiting:
        waiting.add(signals.file)
        if control and (file := control.fileno()) is not None:
            waiting.add(file)
        if child is not None:
            waiting.add_process(child.pid)
        due, before = time.monotonic(), None
        end = time.monotonic() + duration if duration is not None else float("inf")
        while (now := time.monotonic()) < end:
            if now >= due:
                state = session.snapshot()
                if state is None:
                    return FAULT
                for view in views:
                    view.show(with_rates(state, before))
                due, before = now + EVERY, state
            waiting.wait(min(due, end) - now)
            if child is not None and (status := child.poll()) is not None:
                return status if status >= 0 else 128 - status
            if signals.received is not None:
                return 0 if child is None and signals.received == signal.SIGINT else 128 + signals.received
            for line in control.lines() if control else ():
                _change(session, link, line)
        return 0 if child is None else TIMED_OUT


def _change(session: LinkSession, link: str, line: str) -> None:
    """Change the queue by a line of the control file, `[LINK] SCHEME`.

    An invalid line is reported and has no effect.
    """
    first, _, rest = line.rpartition(" ")
    try:
        session.change(first or link, dict(parse_queue(rest, f'control: "{line}"')))
    except PenstockError as error:
        print(f"{error}; the queue stays as it is", file=sys.stderr, flush=True)


class _Signals:
    """Signals while a link runs.

    If there is a command, Ctrl-C is meant for it, although the terminal sends it to both.
    """

    def __init__(self, command: bool) -> None:
        self._command = command
        self.received: int | None = None
        self.file = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    def __enter__(self) -> _Signals:
        # A handler, not SIG_IGN, which children would inherit.
        self._before = {number: signal.signal(number, self._receive) for number in _ENDING}
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.close(self.file)

    def _receive(self, number: int, frame: FrameType | None) -> None:
        if number != signal.SIGINT or not self._command:
            self.received = number
            os.eventfd_write(self.file, 1)


_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _Waiting:
    """Files and processes to wait for."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._opened: list[int] = []

    def __enter__(self) -> _Waiting:
        return self

    def __exit__(self, *error: object) -> None:
        for file in self._opened:
            os.close(file)

    def add(self, file: int) -> None:
        self._poll.register(file, select.POLLIN)

    def add_process(self, pid: int) -> None:
        file = os.pidfd_open(pid)
        self._opened.append(file)
        self.add(file)

    def wait(self, seconds: float) -> None:
        self._poll.poll(max(0.0, 1000 * seconds))
