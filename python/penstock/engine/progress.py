"""Progress of runs on standard error: a bar on a terminal, else a line every ten seconds, both with the time left."""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

# Seconds between plain lines if standard error is no terminal.
EVERY = 10.0


class RunProgress:
    """A context that shows progress and counts finished runs."""

    def __init__(self, planned: int) -> None:
        self.planned = planned
        self.finished = 0
        self._begun = self._batch_begun = self._reported = time.monotonic()
        self._first_report: tuple[float, int] | None = None
        self._bar: Progress | None = None

    def __enter__(self) -> RunProgress:
        console = Console(stderr=True)
        if console.is_terminal:
            columns = (TextColumn("runs"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=console, transient=True)
            self._task = self._bar.add_task("runs", total=self.planned)
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, finished: int, planned: int) -> None:
        """Report `finished` of `planned` runs. Fewer finished runs than before are those of a new batch."""
        now = time.monotonic()
        if finished < self.finished:
            self._batch_begun, self._first_report = now, None
        self.finished, self.planned = finished, planned
        self._first_report = self._first_report or (now, finished)
        if self._bar is not None:
            self._bar.update(self._task, completed=finished, total=planned)
        elif now - self._reported >= EVERY:
            self._reported = now
            spent = f"{finished} of {planned} runs in {_in_words(now - self._batch_begun)}"
            print(f"{spent}{self._time_left(now)}", file=sys.stderr, flush=True)

    def _time_left(self, now: float) -> str:
        """The time left, from the runs since the first report. Stored runs take no time and are finished before it."""
        begun, already = self._first_report or (now, self.finished)
        if self.finished <= already:
            return ""
        seconds = (now - begun) / (self.finished - already) * (self.planned - self.finished)
        return f", about {_in_words(seconds)} left"

    def summary(self) -> str:
        """The number of finished runs and the elapsed time, as one line."""
        return f"{self.finished} runs in {time.monotonic() - self._begun:.1f} s"


def _in_words(seconds: float) -> str:
    """A duration with a unit that suits it.

    >>> _in_words(59.4), _in_words(600), _in_words(9000)
    ('59 s', '10 min', '2.5 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
