"""Output of a verb: results to standard output, files and pages; notices to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from penstock.cli.exit_codes import ExitCode
from penstock.cli.output_files import STANDARD_OUTPUT, output_file, output_file_except_stdout
from penstock.errors import PenstockError
from penstock.files import write_text

if TYPE_CHECKING:
    from penstock.engine.progress import RunProgress
    from penstock.studies.store import Store


@dataclass(frozen=True)
class Outputs:
    """The files that a verb writes in addition to its text output.

    Attributes:
        json: file of `--json`; None for standard output, or without the option.
        html: file of `--html`; None without the option.
        json_on_stdout: whether JSON, and nothing else, goes to standard output.

    """

    json: Path | None = None
    html: Path | None = None
    json_on_stdout: bool = False

    @classmethod
    def from_options(cls, json: str | None, html: str | None = None) -> Outputs:
        """The outputs that `--json` and `--html` name. Raises `PenstockError` if a file cannot be written."""
        on_stdout = json == STANDARD_OUTPUT
        return cls(
            output_file(json, "--json") if json is not None and not on_stdout else None,
            output_file_except_stdout(html, "--html") if html is not None else None,
            on_stdout,
        )

    @property
    def has_json(self) -> bool:
        """Whether JSON is requested."""
        return self.json_on_stdout or self.json is not None

    def show(self, text: str) -> None:
        """Print the result as text, unless JSON goes to standard output."""
        if not self.json_on_stdout:
            print_result(text)

    def write_json(self, value: Any) -> None:
        """Write plain values as JSON, if requested."""
        if self.has_json:
            self.write_json_text(json_text(value))

    def write_json_text(self, text: str) -> None:
        """Write JSON text to its file, or to standard output in UTF-8 regardless of the locale."""
        if self.json is not None:
            write_text(self.json, text)
            return
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()


def print_result(text: str) -> None:
    """Write text to standard output; it ends with a newline."""
    sys.stdout.write(text if text.endswith("\n") or not text else f"{text}\n")
    sys.stdout.flush()


def notify(message: str) -> None:
    """Write a line to standard error."""
    print(message, file=sys.stderr, flush=True)


def notify_all(messages: Iterable[str]) -> None:
    """Write these lines to standard error, without repetitions."""
    for message in dict.fromkeys(messages):
        notify(message)


def json_text(value: Any) -> str:
    """Plain values as indented JSON, in UTF-8 without escapes."""
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def write_page(result: dict[str, Any], file: Path) -> None:
    """Write the page of a result, with the machine and the command that made it."""
    from penstock.engine.environment import provenance
    from penstock.report import page

    page.write({**result, "provenance": provenance()}, file)
    notify(f"page: {file}")


def open_store(folder: str | None) -> Store | None:
    """The store in a folder, by default in the user's cache; None, with a notice, if that cannot be used."""
    from penstock.studies.store import Store

    try:
        return Store(folder)
    except PenstockError as error:
        if folder is not None:
            raise
        notify(f"{error}; finished runs are not kept")
        return None


@contextmanager
def show_progress(store: Store | None, planned: int = 0) -> Iterator[RunProgress]:
    """Show the progress of runs, then any problem of their store. Ctrl-C exits with the code of an interruption."""
    from penstock.engine.progress import RunProgress

    watch = RunProgress(planned)
    try:
        with watch:
            yield watch
    except KeyboardInterrupt:
        if store is None:
            notify(f"interrupted: {watch.finished} of {watch.planned} runs had finished; their results are not kept")
        else:
            notify(f"interrupted; finished runs are kept in {store.folder}; rerun the same command to resume")
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    if store is not None and store.problem:
        notify(store.problem)


def terminal_width() -> int:
    """Columns for text: those of the terminal, from 40 to 100."""
    import shutil

    return max(40, min(shutil.get_terminal_size((100, 24)).columns, 100))


def load_aqms(files: list[str]) -> None:
    """Register the AQMs of Python files."""
    if files:
        from penstock.aqms import python_aqm

        for file in files:
            python_aqm.load_aqm_file(file)
