"""Errors of a verb as messages and exit codes."""

from __future__ import annotations

import errno
import functools
import os
import resource
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

from penstock.errors import PenstockError, PenstockWarning, RequirementError, ScenarioError

MAX_SHOWN = 50
"""Maximum number of errors of a scenario that are printed; further ones are only counted."""

EXHAUSTED = (
    "Cannot allocate memory",
    "Failed to launch worker thread",
    "can't start new thread",
    "failed to map segment",
)
"""Words in the messages of libraries when memory has run out."""


def report_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a verb: print its errors on standard error and exit with their code, without a traceback."""

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> None:
        try:
            _check_encoding([*args, *kwargs.values()])
            with _warnings_as_messages():
                command(*args, **kwargs)
            sys.stdout.flush()
        except PenstockError as error:
            print(error_message(error), file=sys.stderr)
            raise typer.Exit(error.exit_code) from None
        except BrokenPipeError:
            # The reader of the output closed it. If output were not discarded, the flush at exit would fail again.
            _discard_output()
            raise typer.Exit(0) from None
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                print("too many open files; raise the limit with ulimit -n 1024", file=sys.stderr)
                raise typer.Exit(RequirementError.exit_code) from None
            if error.filename is None:
                _discard_output()
            place = error.filename or "standard output"
            print(f"{place}: {error.strerror or error}", file=sys.stderr)
            raise typer.Exit(1) from None
        except Exception as error:
            if not _is_out_of_memory(error):
                raise
            print("out of memory; reduce the input, or raise the memory limit (ulimit -v)", file=sys.stderr, flush=True)
            os._exit(1)  # a regular exit without memory may end in a segmentation fault of a library

    return wrapped


def _is_out_of_memory(error: Exception) -> bool:
    """Whether memory ran out. Under a limit, Python and libraries also raise errors of other types."""
    if isinstance(error, MemoryError):
        return True
    is_limited = resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY
    return is_limited and (isinstance(error, SystemError) or any(words in str(error) for words in EXHAUSTED))


def error_message(error: PenstockError) -> str:
    """The message of an error; for a scenario with many errors, the first ones and the number of all."""
    if not isinstance(error, ScenarioError):
        return str(error)
    lines = [detail.on_command_line() for detail in error.errors[:MAX_SHOWN]]
    if len(error.errors) > MAX_SHOWN:
        lines.append(f"... and {len(error.errors) - MAX_SHOWN} more")
    if len(error.errors) > 1:
        lines.append(f"{len(error.errors)} errors; nothing was run")
    return "\n".join(lines)


def _check_encoding(values: Iterable[Any]) -> None:
    """Raise `PenstockError` for an argument that is not UTF-8, since the UTF-8 results contain the arguments."""
    for value in values:
        for text in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(text, str) and not text.isascii():
                try:
                    text.encode("utf-8")
                except UnicodeEncodeError as error:
                    escaped = text.encode("utf-8", errors="backslashreplace").decode("utf-8")
                    raise PenstockError(
                        f"argument {escaped}: byte {error.start} is not UTF-8; rename the file, or correct the text"
                    ) from None


@contextmanager
def _warnings_as_messages() -> Iterator[None]:
    """Print warnings of penstock as messages on standard error, without the source location."""
    with warnings.catch_warnings():
        default = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, PenstockWarning):
                print(f"warning: {message}", file=sys.stderr, flush=True)
            else:
                default(message, category, *place, **more)

        warnings.simplefilter("default", PenstockWarning)
        warnings.showwarning = show
        yield


def _discard_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
