"""How far a batch of runs is: a bar on a terminal, else a plain line every ten seconds; always on standard error."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

# Seconds between plain lines where there is no terminal.
EVERY = 10.0


class Watch:
    """Shows progress while it is entered; knows how many runs are finished."""

    def __init__(self, planned: int) -> None:
        self.planned = planned
        self.finished = 0
        self._begun = self._told = time.monotonic()
        self._bar: Progress | None = None

    def __enter__(self) -> Watch:
        console = Console(stderr=True)
        if console.is_terminal:
            columns = (TextColumn("runs"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=console, transient=True)
            self._task = self._bar.add_task("runs", total=self.planned)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, finished: int, planned: int) -> None:
        """So many runs of so many are finished."""
        self.finished, self.planned = finished, planned
        if self._bar is not None:
            self._bar.update(self._task, completed=finished, total=planned)
        elif (now := time.monotonic()) - self._told >= EVERY:
            self._told = now
            print(f"{finished} of {planned} runs, {now - self._begun:.0f} s", file=sys.stderr, flush=True)

    def summary(self) -> str:
        """What was done in which time."""
        return f"{self.finished} runs in {time.monotonic() - self._begun:.1f} s"
