"""The rows of an SQL query of a store: printed, as JSON, or in a file."""

from __future__ import annotations

import io
import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from penstock.cli.output import Outputs, notify, print_result

if TYPE_CHECKING:
    from penstock.studies.database import QueryResult

__all__ = ["answer_query"]

MAX_SHOWN = 1000
"""Maximum number of printed rows; JSON has all rows."""

MAX_TEXT = 100
"""Maximum number of printed characters of a value; a resolved scenario has thousands."""

MAX_WIDTH = 100_000
"""Maximum number of characters of a line: unlimited in practice, so that a table is as wide as its content."""


def answer_query(store: str | None, sql: str, outputs: Outputs, file: Path | None) -> None:
    """Write the answer to the file of `-o`, else as JSON, else as a table to standard output."""
    from penstock.results.grid import format_tables
    from penstock.studies.database import Database
    from penstock.studies.export import export_query_result

    with Database(store) as database:
        answer = database.ask(sql)
        if file is not None:
            export_query_result(answer, file)
            notify(f"rows: {file}")
            return
        if outputs.has_json:
            with _json_output(outputs.json) as target:
                _write_json(answer, target)
            return
        rows = list(islice(answer.rows, MAX_SHOWN))
        is_cut = next(answer.rows, None) is not None
    print_result(format_tables([_grid(answer, rows)], width=MAX_WIDTH))
    if is_cut:
        notify(f"only the first {MAX_SHOWN} rows are shown; --json FILE writes all")


def _grid(answer: QueryResult, rows: list[tuple[Any, ...]]) -> Any:
    """The rows as a table, with the columns in the order of the query."""
    from penstock.results.display import short_text
    from penstock.results.grid import TextTable

    numbers = [kind.startswith(("DOUBLE", "FLOAT", "DECIMAL")) or kind.endswith("INT") for kind in answer.types]
    numbers = [number or kind == "INTEGER" for number, kind in zip(numbers, answer.types, strict=True)]
    labels = next((place for place, number in enumerate(numbers) if number), len(numbers))
    lines = tuple(tuple(_cut(short_text(value)) for value in row) for row in rows)
    return TextTable("", tuple(answer.columns), lines, labels)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


@contextmanager
def _json_output(file: Path | None) -> Iterator[TextIO]:
    """The file, written whole or not at all, or standard output in UTF-8."""
    from penstock.files import atomic_replacement

    if file is not None:
        with atomic_replacement(file) as part, part.open("w", encoding="utf-8") as target:
            yield target
        return
    sys.stdout.flush()
    target = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", write_through=True)
    try:
        yield target
    finally:
        target.detach()


def _write_json(answer: QueryResult, target: TextIO) -> None:
    """Write the rows as a list of objects, one per line."""
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
