"""The exit codes of the command. The manual page and the reference are generated from this list."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["MEANINGS", "ExitCode"]


class ExitCode(IntEnum):
    """The exit code of a command."""

    DONE = 0
    FAILED = 1
    INVALID = 2
    REFUTED = 3
    MISSING = 4
    INCOMPLETE = 5
    INTERRUPTED = 130


MEANINGS = {
    ExitCode.DONE: "Done.",
    ExitCode.FAILED: "A run failed, or a result could not be written.",
    ExitCode.INVALID: "The request is invalid. Standard error lists the errors.",
    ExitCode.REFUTED: (
        "A required claim was not confirmed, an aim was missed, or a --fail-if condition was met. The results have "
        "been written."
    ),
    ExitCode.MISSING: "A requirement is missing. Standard error explains how to install it.",
    ExitCode.INCOMPLETE: "A study is incomplete (results --status).",
    ExitCode.INTERRUPTED: "Interrupted by Ctrl-C. Commands with a store keep their finished runs.",
}
