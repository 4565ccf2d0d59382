"""Progress of a batch of runs on standard error: a bar on a terminal, else a line every ten seconds."""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

# Seconds between plain lines if standard error is no terminal.
EVERY = 10.0


class Watch:
    """A context that shows progress and counts finished runs."""

    def __init__(self, planned: int) -> None:
        self.planned = planned
        self.finished = 0
        self._begun = self._reported = time.monotonic()
        self._bar: Progress | None = None

    def __enter__(self) -> Watch:
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
        """Report `finished` of `planned` runs."""
        self.finished, self.planned = finished, planned
        if self._bar is not None:
            self._bar.update(self._task, completed=finished, total=planned)
        elif (now := time.monotonic()) - self._reported >= EVERY:
            self._reported = now
            print(f"{finished} of {planned} runs, {now - self._begun:.0f} s", file=sys.stderr, flush=True)

    def summary(self) -> str:
        """The number of finished runs and the elapsed time, as one line."""
        return f"{self.finished} runs in {time.monotonic() - self._begun:.1f} s"
