"""Errors of a verb as messages and exit codes."""

from __future__ import annotations

import errno
import functools
import os
import sys
from collections.abc import Callable
from typing import Any

import typer

from penstock.errors import PenstockError, RequirementError, ScenarioError

MAX_SHOWN = 50
"""Maximum number of errors of a scenario that are printed; further ones are only counted."""


def report_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Wrap a verb: print its errors on standard error and exit with their code, without a traceback."""

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
            sys.stdout.flush()
        except PenstockError as error:
            print(error_text(error), file=sys.stderr)
            raise typer.Exit(error.exit_code) from None
        except BrokenPipeError:
            # The reader of the output closed it. Without this, Python would report the error again when it flushes at
            # exit.
            _discard_output()
            raise typer.Exit(0) from None
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                print("too many open files; raise their limit: ulimit -n 1024", file=sys.stderr)
                raise typer.Exit(RequirementError.exit_code) from None
            if error.filename is None:
                _discard_output()
            place = error.filename or "standard output"
            print(f"{place}: {error.strerror or error}", file=sys.stderr)
            raise typer.Exit(1) from None

    return wrapped


def error_text(error: PenstockError) -> str:
    """The message of an error; for a scenario with many errors, the first ones and the number of all."""
    if not isinstance(error, ScenarioError) or len(error.errors) < 2:
        return str(error)
    lines = [str(detail) for detail in error.errors[:MAX_SHOWN]]
    if len(error.errors) > MAX_SHOWN:
        lines.append(f"... and {len(error.errors) - MAX_SHOWN} more")
    return "\n".join([*lines, f"{len(error.errors)} errors; nothing was run"])


def _discard_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
