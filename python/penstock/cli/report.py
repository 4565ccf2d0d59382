"""`penstock report`: the page of a stored result or of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.output import output_file, write_page
from penstock.cli.source import Source, StudyName, Where, is_study, not_a_result, read_result, result_file
from penstock.errors import PenstockError

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLE = "penstock report result.json -o result.html"


def report(
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE.html", help="The page to write.", show_default=False)
    ],
    source: Source = None,
    study: StudyName = None,
    where: Where = [],  # noqa: B006
) -> None:
    """Make a self-contained HTML page from a store, or from the JSON of run, compare or study."""
    file = output_file(output, "--output")
    if file is None:
        raise PenstockError("--output -: a page goes to a file, not to standard output")
    result = result_file(source)
    if result is None:
        write_page(_from_store(source, study, where), file)
        return
    if study is not None or where:
        raise PenstockError("--study and --where choose runs of a store, not of a result")
    answer = read_result(result)
    try:
        write_page(_from_study(answer, result) if is_study(answer) else answer, file)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError, ArithmeticError) as error:
        raise not_a_result(result, f"{type(error).__name__}: {error}") from None


def _from_study(answer: dict[str, Any], file: Path) -> dict[str, Any]:
    """The JSON of a study as that of compare."""
    from penstock.cli.output import command_line
    from penstock.studies.store_comparison import comparison_of_summary

    if "scenario" not in answer or not answer["rows"]:
        lacks = "rows, as of a study with many runs" if "scenario" in answer else "scenario, as from an earlier version"
        raise PenstockError(f"{file}: has no {lacks}; make the page of its store")
    return {**comparison_of_summary(answer), "command": command_line()}


def _from_store(folder: str | None, study: str | None, where: list[str]) -> dict[str, Any]:
    """The runs of a store as the JSON of compare."""
    from penstock.cli.output import command_line
    from penstock.studies.database import Database
    from penstock.studies.store_comparison import comparison
    from penstock.studies.store_table import StoreTable, parse_choices

    with Database(folder) as database:
        found = comparison(StoreTable(database, study, parse_choices(where)))
    return {**found, "command": command_line()}
