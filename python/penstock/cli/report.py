"""`penstock report`: the page of a stored result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from penstock.cli.output import output_file, write_page
from penstock.errors import PenstockError

EXAMPLE = "penstock report result.json -o result.html"


def report(
    result: Annotated[
        str, typer.Argument(metavar="RESULT.json", help="Result written by run --json or compare --json.")
    ],
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE.html", help="The page to write.", show_default=False)
    ],
) -> None:
    """Make a self-contained HTML page from a stored result of run or compare."""
    file = output_file(output, "--output")
    if file is None:
        raise PenstockError("--output -: a page goes to a file, not to standard output")
    answer = _read(result)
    try:
        write_page(answer, file)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError, ArithmeticError) as error:
        raise _not_a_result(result, f"{type(error).__name__}: {error}") from None


def _read(result: str) -> dict[str, Any]:
    try:
        answer = json.loads(Path(result).read_text(encoding="utf-8"))
    except OSError as error:
        raise PenstockError(f"{result}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise _not_a_result(result, "it is not JSON") from None
    parts = ("rows",) if isinstance(answer, dict) and "rows" in answer else ("links", "traffic")
    missing = [key for key in ("scenario", *parts) if not isinstance(answer, dict) or key not in answer]
    if missing:
        raise _not_a_result(result, f"it has no {', '.join(missing)}")
    return dict(answer)


def _not_a_result(result: str, reason: str) -> PenstockError:
    return PenstockError(f"{result}: not the JSON that run or compare writes with --json ({reason})")
