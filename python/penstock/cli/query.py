"""`penstock query`: questions in SQL to a store."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from penstock.cli.options import JsonTarget, StoreToRead
from penstock.cli.output import notify, output_file, print_result

if TYPE_CHECKING:
    from penstock.studies.database import Answer

EXAMPLE = "penstock query 'SELECT scheme, avg(delay_mean_s) FROM runs GROUP BY scheme' --store results"

MAX_SHOWN = 1000
"""Rows that are printed; JSON has all."""

MAX_TEXT = 100
"""Characters of a value that are printed; a resolved scenario has thousands."""

MAX_WIDTH = 100_000
"""Characters of a line; a table is as wide as its content."""


def query(
    sql: Annotated[str, typer.Argument(metavar="SQL", help="A SELECT statement over the tables runs and scenarios.")],
    store: StoreToRead = None,
    json_target: JsonTarget = None,
) -> None:
    """Ask a store in SQL. The table runs has a row for each run: axes, scheme, seed, and every metric as a column.

    A column with dots is written in double quotes. The last part of its name is enough if no other column has it.
    """
    from penstock.results.grid import text
    from penstock.studies.database import Database

    file = output_file(json_target, "--json")
    with Database(store) as database:
        answer = database.ask(sql)
        if json_target is not None:
            with _json_output(file) as target:
                _write_json(answer, target)
            return
        shown = list(islice(answer.rows, MAX_SHOWN))
        more = next(answer.rows, None) is not None
    print_result(text([_grid(answer, shown)], width=MAX_WIDTH))
    if more:
        notify(f"only the first {MAX_SHOWN} rows are shown; --json FILE writes all")


def _grid(answer: Answer, rows: list[tuple[Any, ...]]) -> Any:
    """The rows as a table; columns of text come first only if they do so in the query."""
    from penstock.results.display import short
    from penstock.results.grid import Grid

    numbers = [kind.startswith(("DOUBLE", "FLOAT", "DECIMAL")) or kind.endswith("INT") for kind in answer.types]
    numbers = [number or kind == "INTEGER" for number, kind in zip(numbers, answer.types, strict=True)]
    labels = next((place for place, number in enumerate(numbers) if number), len(numbers))
    lines = tuple(tuple(_cut(short(value)) for value in row) for row in rows)
    return Grid("", tuple(answer.columns), lines, labels)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


@contextmanager
def _json_output(file: Path | None) -> Iterator[TextIO]:
    """The file, written whole or not at all, or standard output in UTF-8."""
    import io
    import sys

    from penstock.files import whole

    if file is not None:
        with whole(file) as part, part.open("w", encoding="utf-8") as target:
            yield target
        return
    sys.stdout.flush()
    target = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", write_through=True)
    try:
        yield target
    finally:
        target.detach()


def _write_json(answer: Answer, target: TextIO) -> None:
    """Write the rows as a list of objects, one a line."""
    target.write("[")
    for number, row in enumerate(answer.rows):
        values = {
            name: _plain(value, kind) for name, kind, value in zip(answer.columns, answer.types, row, strict=True)
        }
        target.write((",\n " if number else "\n ") + json.dumps(values, ensure_ascii=False))
    target.write("\n]\n")


def _plain(value: Any, kind: str = "") -> Any:
    """A value of SQL in JSON; numbers that JSON lacks, such as infinity, are null."""
    if kind == "JSON" and isinstance(value, str):
        return json.loads(value)
    match value:
        case float():
            return value if math.isfinite(value) else None
        case None | bool() | int() | str():
            return value
        case list() | tuple():
            return [_plain(item) for item in value]
        case dict():
            return {str(key): _plain(item) for key, item in value.items()}
    return float(value) if type(value).__name__ == "Decimal" else str(value)
