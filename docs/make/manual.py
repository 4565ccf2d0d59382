"""The manual page penstock(1), made from the command line; `python docs/make/manual.py` writes it for the wheels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import typer
from penstock import _native
from penstock.cli import app as cli
from penstock.cli.command import option_text
from penstock.cli.exit_codes import MEANINGS
from penstock.files import write_text

__all__ = ["manual"]

TARGET = Path(__file__).resolve().parents[2] / "package" / "data" / "share" / "man" / "man1" / "penstock.1"


def manual() -> str:
    """The page in the language of man(7)."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    group = typer.main.get_group(cli.app)
    yield f'.TH PENSTOCK 1 "" "penstock {_native.version}" "User Commands"'
    yield from (".SH NAME", "penstock \\- a laboratory for router queue management")
    yield from (".SH SYNOPSIS", ".B penstock", ".I VERB", "[options] ...")
    yield from (".SH DESCRIPTION", _text(group.help or ""))
    for name, verb in group.commands.items():
        if verb.hidden:
            continue
        yield from (f".SS penstock {name}", _text(verb.help or ""))
        for param in verb.params:
            if not getattr(param, "hidden", False):
                yield from (".TP", f"\\fB{_text(option_text(param))}\\fR", _text(getattr(param, "help", None) or ""))
        example = (verb.epilog or "").removeprefix("Example: ")
        if example:
            yield from (".PP", "Example:", ".PP", ".nf", _text(example), ".fi")
    yield ".SH EXIT STATUS"
    for code, meaning in MEANINGS.items():
        yield from (".TP", f"\\fB{code.value}\\fR", _text(meaning))
    yield from (".SH SEE ALSO", ".BR tc (8)")


def _text(text: str) -> str:
    """The text with the special characters of roff escaped."""
    plain = re.sub(r"\[/?[a-z ]+\]", "", " ".join(text.split())).replace("\\", "\\e").replace("-", "\\-")
    return plain.replace("'", "\\(aq") if not plain.startswith((".", "'")) else "\\&" + plain.replace("'", "\\(aq")


if __name__ == "__main__":
    write_text(TARGET, manual())
