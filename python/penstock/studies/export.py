"""Rows of runs as files for other programs: CSV, Parquet, Arrow."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import duckdb

from penstock.errors import PenstockError, toml_type_name
from penstock.files import atomic_replacement, write_text
from penstock.results.latex import latex_query_result
from penstock.results.parts import metrics_by_part
from penstock.studies.database import Database, QueryResult, copy_statement
from penstock.studies.part import sql_literal, sql_name

__all__ = ["export_query_result", "export_run", "export_store"]

ROWS_AT_ONCE = 1000

Copy = Callable[[Path, Literal["csv", "parquet"]], None]


def export_store(folder: str | Path | None, file: Path, study: str | None = None) -> None:
    """Write a row for each run of a store, or of one of its studies, sorted by labels and seed.

    Raises `PenstockError` for a folder that is no store or lacks the study, and `FileError` if the file cannot be
    written.
    """

    def copy(target: Path, kind: Literal["csv", "parquet"]) -> None:
        with Database(folder, output=target) as database:
            if study is not None:
                database.check_study(study)
            condition = "true" if study is None else f"study = {sql_literal(study)}"
            order = ", ".join(map(sql_name, (*database.settings, "seed", "scenario")))
            database.write_rows(f"SELECT * FROM runs WHERE {condition} ORDER BY {order}", kind)

    _write(file, copy)


def export_run(result: Mapping[str, Any], file: Path) -> None:
    """Write the one row of the JSON of `run`.

    Raises `ValueError` or `TypeError` for values that no run has; other errors as in `export_store`.
    """
    columns = {"seed": result.get("seed"), "penstock": result.get("penstock"), "events": result.get("events")}
    columns["cpu_s"] = result.get("cpu_s")
    for part, places in metrics_by_part(result).items():
        for place, numbers in places.items():
            columns |= {f"{part}.{place}.{name}": value for name, value in numbers.items() if name != "flows"}
    columns |= {f"fairness.{name}": value for name, value in (result.get("fairness") or {}).items()}
    row = ", ".join(f"{_typed(value)} AS {sql_name(name)}" for name, value in columns.items())

    def copy(target: Path, kind: Literal["csv", "parquet"]) -> None:
        with duckdb.connect() as database:
            try:
                database.execute(copy_statement(f"SELECT {row}", target, kind))
            except duckdb.IOException as error:
                raise OSError(str(error)) from None
            except duckdb.Error as error:
                raise ValueError(str(error).partition("\n")[0]) from None

    _write(file, copy)


def export_query_result(answer: QueryResult, file: Path) -> None:
    """Write the rows of an answer: as a table in LaTeX for `.tex`, else like `export_store`."""
    if file.suffix.lower() == ".tex":
        write_text(file, latex_query_result(answer.columns, answer.types, answer.rows))
        return

    def copy(target: Path, kind: Literal["csv", "parquet"]) -> None:
        columns = ", ".join(f"{sql_name(name)} {form}" for name, form in zip(answer.columns, answer.types, strict=True))
        places = ", ".join("?" * len(answer.columns))
        with duckdb.connect() as database:
            try:
                database.execute(f"CREATE TABLE answer ({columns})")
                while rows := list(itertools.islice(answer.rows, ROWS_AT_ONCE)):
                    database.executemany(f"INSERT INTO answer VALUES ({places})", rows)
                database.execute(copy_statement("SELECT * FROM answer", target, kind))
            except duckdb.IOException as error:
                raise OSError(str(error)) from None
            except duckdb.Error as error:
                raise PenstockError(f"{file}: {str(error).partition(chr(10))[0]}") from None

    _write(file, copy)


def _write(file: Path, copy: Copy) -> None:
    """Write a file by its ending, whole or not at all; for Arrow, by way of Parquet."""
    ending = file.suffix.lower()
    with atomic_replacement(file) as part:
        if ending != ".arrow":
            copy(part, "csv" if ending == ".csv" else "parquet")
            return
        import pyarrow as pa
        from pyarrow import parquet

        beside = part.with_name(f"{part.name}.parquet")
        try:
            copy(beside, "parquet")
            source = parquet.ParquetFile(beside)
            with pa.OSFile(str(part), "wb") as target, pa.ipc.new_file(target, source.schema_arrow) as writer:
                for batch in source.iter_batches():  # a large file need not fit into memory
                    writer.write_batch(batch)
        finally:
            beside.unlink(missing_ok=True)


def _typed(value: Any) -> str:
    """A value in SQL with the type that it has in a store."""
    match value:
        case None:
            return "NULL::DOUBLE"
        case bool() | str():
            return sql_literal(value) if isinstance(value, str) else str(value)
        case int():
            return f"{value}::BIGINT"
        case float():
            return f"{sql_literal(value)}::DOUBLE"  # from text: exact, as a literal would be a decimal number
        case list():
            return f"[{', '.join(f'{sql_literal(item)}::DOUBLE' for item in value)}]::DOUBLE[]"
    raise TypeError(f"a value is {toml_type_name(value)}")
