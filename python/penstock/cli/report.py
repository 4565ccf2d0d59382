"""`penstock report`: the page of a stored result or of a store."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from penstock.cli.output import output_file, write_page
from penstock.cli.source import Source, StudyName, Where, is_study, not_a_result, read_result, result_file
from penstock.errors import PenstockError

EXAMPLE = "penstock report result.json -o result.html"


def report(
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE.html", help="The page to write.", show_default=False)
    ],
    source: Source = None,
    study: StudyName = None,
    where: Where = [],  # noqa: B006
) -> None:
    """Make a self-contained HTML page from a store, or from the JSON of run or compare."""
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
    if is_study(answer):
        raise PenstockError(f"{result}: the JSON of a study has no scenario; make the page of its store")
    try:
        write_page(answer, file)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError, ArithmeticError) as error:
        raise not_a_result(result, f"{type(error).__name__}: {error}") from None


def _from_store(folder: str | None, study: str | None, where: list[str]) -> dict[str, Any]:
    """The runs of a store as the JSON of compare."""
    from penstock.cli.output import command_line
    from penstock.studies.database import Database
    from penstock.studies.store_comparison import comparison
    from penstock.studies.store_table import StoreTable, parse_choices

    with Database(folder) as database:
        found = comparison(StoreTable(database, study, parse_choices(where)))
    return {**found, "command": command_line()}
