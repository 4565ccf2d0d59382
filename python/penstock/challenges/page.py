"""The page of `penstock challenge --html`: the conclusion, the rule, the confirmation, and the network to paste."""

from __future__ import annotations

from pathlib import Path

from penstock.challenges import display
from penstock.challenges.challenge import Challenge
from penstock.files import write_text
from penstock.report.templating import render_document

__all__ = ["write"]


def write(challenge: Challenge, file: Path, repeat: str, script: str = "") -> None:
    """Write the page, with the command that repeats the confirmation and the shell script that repeats the challenge.

    Raises `FileError` if it cannot be written.
    """
    heads, *rows = display.confirmation_table(challenge)
    page = render_document(
        "challenge.html.jinja",
        title=f"Challenge of {challenge.schemes[0].label}",
        shell=script,
        challenge=challenge,
        heads=heads,
        rows=rows,
        scenario=display.scenario_file_text(challenge, repeat),
    )
    write_text(file, page)
