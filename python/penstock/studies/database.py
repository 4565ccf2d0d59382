"""A store as tables of SQL: `runs`, with a row for each run, and `scenarios`. It can read nothing except the store."""

from __future__ import annotations

import re
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import duckdb

from penstock.errors import PenstockError, UnknownNameError, did_you_mean
from penstock.files import parse_json, read_json
from penstock.results.columns import RESERVED, is_result_column, sorted_columns
from penstock.results.short_names import AmbiguousNameError, paths_ending_with
from penstock.studies import checksum_files
from penstock.studies.part import sql_literal, sql_name
from penstock.studies.store import FORMAT, OLD_FILE, store_folder

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Database", "QueryResult", "copy_statement"]

MAX_MEMORY = "2GiB"
"""Memory that a query may use; a larger intermediate result goes to a temporary file."""

ROWS_AT_ONCE = 1000


@dataclass(frozen=True)
class QueryResult:
    """The answer to a query: the names of its columns, their types in SQL, and its rows, read once."""

    columns: Sequence[str]
    types: Sequence[str]
    rows: Iterator[tuple[Any, ...]]


class Database:
    """A store, opened for reading; use it in a `with` statement. `output` is the only file that `write_rows` may write.

    Attributes:
        folder: of the store.
        columns: of the table `runs`, with their types in SQL: labels first, metrics last.

    Raises `PenstockError` if the folder is missing, is not a store, or has no runs.

    """

    def __init__(self, folder: str | Path | None = None, output: Path | None = None) -> None:
        self.folder = store_folder(folder)
        self._output = output
        self._defined: dict[str, str] | None = None
        self._relabelled: list[str] = []
        self._repeated = False
        _check_head(self.folder)
        files, defects = checksum_files.intact_files(self.folder, ("runs", "scenarios", "labels"))
        self._parts, self._scenarios, self._labels = files["runs"], files["scenarios"], files["labels"]
        if not self._parts:
            reason = f"cannot be read: {checksum_files.defect_list(defects)}" if defects else "has no runs yet"
            raise PenstockError(f"the store {self.folder} {reason}")
        checksum_files.warn_of_defects(self.folder, defects, "so the answer lacks their rows")
        self._database = self._open()
        kinds = {
            str(name): str(kind) for name, kind, *_ in self._tell(f"DESCRIBE SELECT * FROM {self._all_runs}").fetchall()
        }
        if self._labels:
            label_columns = self._tell(
                f"DESCRIBE SELECT * EXCLUDE (first_seed, last_seed) FROM {self._all_labels}"
            ).fetchall()
            self._relabelled = [
                str(name) for name, *_ in label_columns if name not in RESERVED and not is_result_column(name)
            ]
            kinds = {str(name): str(kind) for name, kind, *_ in label_columns if name in self._relabelled} | kinds
        order = sorted(kinds, key=lambda name: (is_result_column(name), name in RESERVED))
        self.columns = {name: kinds[name] for name in order}

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; it cannot be used afterwards."""
        self._database.close()

    @property
    def _all_runs(self) -> str:
        return f"read_parquet({_list(self._parts)}, union_by_name = true)"

    @property
    def _all_labels(self) -> str:
        return f"read_parquet({_list(self._labels)}, union_by_name = true)"

    def _numbered(self, more: str = "") -> str:
        """The rows of the parts with the file and the number of each."""
        return f"read_parquet({_list(self._parts)}, filename = true, file_row_number = true{more})"

    def _open(self) -> duckdb.DuckDBPyConnection:
        """A database in memory that may read the files of the store, and no other."""
        database = duckdb.connect(
            config={
                "memory_limit": MAX_MEMORY,
                "threads": 1,  # with several threads, the order of a sum and thus its last digits vary
                "temp_directory": str(Path(tempfile.gettempdir()) / f"penstock-{uuid.uuid4().hex}"),
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            }
        )
        source = f"read_parquet({_list(self._scenarios)}, union_by_name = true)"
        outputs = [self._output] if self._output is not None else []
        empty = "SELECT NULL::VARCHAR AS scenario, NULL::JSON AS resolved WHERE false"
        database.execute("SET parquet_metadata_cache = true")
        database.execute("SET enable_progress_bar = false")
        database.execute(f"SET allowed_paths = {_list([*self._parts, *self._scenarios, *self._labels, *outputs])}")
        database.execute("SET enable_external_access = false")
        database.execute("SET lock_configuration = true")
        # Several processes may write the same scenario.
        distinct = f"SELECT DISTINCT ON (scenario) * FROM {source}"
        self._run(database, f"CREATE VIEW scenarios AS {distinct if self._scenarios else empty}")
        return database

    def _run(self, database: duckdb.DuckDBPyConnection, sql: str) -> duckdb.DuckDBPyConnection:
        """Run a statement of this module, whose only errors are damaged files."""
        try:
            with _interruptible():
                return database.execute(sql)
        except duckdb.Error as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: duckdb.Error) -> PenstockError:
        if not all(file.exists() for file in self._parts):
            return PenstockError(f"parts of the store {self.folder} were merged meanwhile; run the same command again")
        reason = _first_line(error).replace(f"{self.folder}/", "")
        return PenstockError(f"the store {self.folder} cannot be read: {reason}")

    def _tell(self, sql: str) -> duckdb.DuckDBPyConnection:
        return self._run(self._database, sql)

    @property
    def labels(self) -> list[str]:
        """The columns that place a run in its study: the axes, and `scheme`."""
        return [name for name in self.columns if name not in RESERVED and not is_result_column(name)]

    @property
    def settings(self) -> list[str]:
        """The labels, and `traffic.NAME.count`, which is both a setting and a result."""
        return [*self.labels, *(name for name in self.metrics if re.fullmatch(r"traffic\..+\.count", name))]

    @property
    def results(self) -> list[str]:
        """The columns that hold results of a run."""
        return [name for name in self.columns if is_result_column(name)]

    @property
    def metrics(self) -> list[str]:
        """The columns of results that hold a number."""
        return [name for name in self.results if self.columns[name] in ("DOUBLE", "BIGINT", "UBIGINT", "INTEGER")]

    def scenario(self, key: str) -> dict[str, Any]:
        """The resolved scenario with this content address."""
        row = self._tell(f"SELECT resolved FROM scenarios WHERE scenario = {sql_literal(key)} LIMIT 1").fetchone()
        if row is None:
            raise PenstockError(f"the store {self.folder} lacks the scenario {key} of its runs")
        return dict(parse_json(row[0]))

    def select(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of an internal SQL statement, in which columns have their full names."""
        self._define_runs({})
        return self._tell(sql).fetchall()

    def select_arrow(self, sql: str) -> pa.Table:
        """The rows of an internal SQL statement as a `pyarrow.Table`, without empty columns."""
        self._define_runs({})
        try:
            with _interruptible():
                table = self._database.sql(sql).to_arrow_table()
        except duckdb.Error as error:
            raise self._unreadable(error) from None
        return table.select(sorted_columns(name for name in table.column_names if table[name].null_count < len(table)))

    def studies(self) -> list[str]:
        """The names of the studies, in order."""
        return [str(name) for (name,) in self.select("SELECT DISTINCT study FROM runs ORDER BY study")]

    def check_study(self, name: str) -> None:
        """Raise `UnknownNameError` unless the store has this study."""
        if name not in (studies := self.studies()):
            raise UnknownNameError("study", name, studies)

    def write_rows(self, sql: str, kind: Literal["csv", "parquet"]) -> None:
        """Write the rows of an internal SQL statement to the output. Raises `OSError` if it cannot be written."""
        self._define_runs({})
        try:
            with _interruptible():
                self._database.execute(copy_statement(sql, self._output, kind))
        except duckdb.IOException as error:
            if not all(file.exists() for file in self._parts):
                raise self._unreadable(error) from None
            raise OSError(_first_line(error)) from None
        except duckdb.Error as error:
            raise self._unreadable(error) from None

    def ask(self, sql: str) -> QueryResult:
        """The answer to a SELECT statement of the user.

        A metric may be named by the last part of its path if no other column ends with it.
        Raises `PenstockError` with the nearest name for a mistake.
        """
        try:
            statements = self._database.extract_statements(sql)
            if len(statements) != 1 or statements[0].type is not duckdb.StatementType.SELECT:
                raise PenstockError("a query is one SELECT statement; it cannot change the store")
            self._define_runs(self._short_names(sql))
            with _interruptible():
                cursor = self._database.execute(statements[0])
            described = cursor.description or []
            columns, types = ([str(entry[part]) for entry in described] for part in (0, 1))
            return QueryResult(columns, types, self._rows(cursor, sql))
        except duckdb.Error as error:
            raise self._explained(error, sql) from None

    def _rows(self, cursor: duckdb.DuckDBPyConnection, sql: str) -> Iterator[tuple[Any, ...]]:
        try:
            while True:
                with _interruptible():
                    rows = cursor.fetchmany(ROWS_AT_ONCE)
                if not rows:
                    return
                yield from rows
        except duckdb.Error as error:
            raise self._explained(error, sql) from None

    def _define_runs(self, short: dict[str, str]) -> None:
        """Define the view `runs`, with further names for some of its columns."""
        if short == self._defined:
            return
        if self._defined is None:
            self._repeated = self._find_repeated()
        self._defined = short
        names = [sql_name(name) for name in self.columns]
        names += [f"{sql_name(path)} AS {sql_name(name)}" for name, path in short.items()]
        source = self._all_runs
        if self._repeated:
            numbered = self._numbered(", union_by_name = true")
            source = f"(SELECT * FROM {numbered} ANTI JOIN repeated USING (filename, file_row_number))"
        if self._labels:
            source = f"({self._with_labels(source)})"
        self._tell(f"CREATE OR REPLACE VIEW runs AS SELECT {', '.join(names)} FROM {source}")

    def _with_labels(self, source: str) -> str:
        """The rows of the parts, and the rows of shared runs again for each further study, with its labels."""
        own = [name for name in self.columns if is_result_column(name) or (name in RESERVED and name != "study")]
        columns = [f"run.{sql_name(name)}" for name in own] + [f"cell.{sql_name(name)}" for name in self._relabelled]
        return (
            f"SELECT * FROM {source} UNION ALL BY NAME SELECT {', '.join(columns)}, cell.study"
            f" FROM {source} AS run JOIN (SELECT DISTINCT ON (scenario, study) * FROM {self._all_labels}"
            " ORDER BY last_seed DESC) AS cell"
            " ON run.scenario = cell.scenario AND run.seed BETWEEN cell.first_seed AND cell.last_seed"
            " AND run.study IS DISTINCT FROM cell.study"
        )

    def _find_repeated(self) -> bool:
        """Fill the table `repeated` with rows of runs that another part also has. Returns whether there are any.

        Two processes that complete overlapping studies at the same time may execute a run twice. Only scenarios in more
        than one part can have such runs; they are found first, as that is much faster.
        """
        shared = (
            f"SELECT scenario FROM (SELECT DISTINCT scenario, filename FROM {self._numbered()})"
            " GROUP BY scenario HAVING count(*) > 1"
        )
        if self._tell(f"SELECT 1 FROM ({shared}) LIMIT 1").fetchone() is None:
            return False
        self._tell(
            f"CREATE TABLE repeated AS SELECT filename, file_row_number FROM {self._numbered()}"
            f" WHERE scenario IN ({shared})"
            " QUALIFY row_number() OVER (PARTITION BY scenario, seed ORDER BY filename, file_row_number) > 1"
        )
        return self._tell("SELECT 1 FROM repeated LIMIT 1").fetchone() is not None

    def _short_names(self, sql: str) -> dict[str, str]:
        """The names in a query that are not columns but the end of a column's path, with this path."""
        column_names = {name.lower() for name in self.columns}
        paths_of = {}
        for name in _names(sql):
            if name.lower() not in column_names and len(paths := self._candidates(name)) == 1:
                paths_of[name] = paths[0]
        return paths_of

    def _candidates(self, name: str) -> list[str]:
        """The columns that a short name may stand for: metrics, or else labels."""
        return paths_ending_with(name, self.results) or paths_ending_with(name, self.labels)

    def _explained(self, error: duckdb.Error, sql: str) -> PenstockError:
        """The error of a query in a line, with the nearest name."""
        text = str(error)
        if isinstance(error, duckdb.PermissionException):
            return PenstockError("a query may read the tables runs and scenarios only, no other files")
        if isinstance(error, duckdb.IOException):
            return self._unreadable(error)
        if isinstance(error, duckdb.OutOfMemoryException):
            return PenstockError(f"the query needs more than {MAX_MEMORY} of memory; select fewer columns or rows")
        unknown = r'(?:Referenced column|Column) "(.+?)" (?:not found|referenced)|does not have a column named "(.+?)"'
        if missing := re.search(unknown, text):
            return self._unknown_column(missing[1] or missing[2])
        if missing := re.search(r'Referenced table "(.+?)" not found', text):
            return self._unquoted(missing[1], sql)
        if missing := re.search(r"Table with name (.+?) does not exist", text):
            tables = ("runs", "scenarios")
            return UnknownNameError("table", missing[1], tables)
        return PenstockError(f"the query cannot be answered: {_first_line(error)}")

    def _unknown_column(self, name: str) -> PenstockError:
        candidates = self._candidates(name)
        if len(candidates) > 1:
            return AmbiguousNameError(name, list(map(sql_name, candidates)))
        names = [*self.columns, *(path.rpartition(".")[2] for path in self.results)]
        hint = did_you_mean(name, names)
        advice = f"{'All' if hint else '; all'} columns: penstock results --sql 'DESCRIBE runs'"
        return PenstockError(f'no column "{name}"{hint}{" " if hint else ""}{advice}')

    def _unquoted(self, table: str, sql: str) -> PenstockError:
        """The error of a name with dots that SQL takes for the column of a table."""
        match = re.search(re.escape(table) + r"((?:\.\w+)+)", sql)
        path = f"{table}{match[1]}" if match else table
        if self._candidates(path):
            return PenstockError(f'put a name with dots in double quotes: "{path}"')
        return self._unknown_column(path)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Turns the error by which DuckDB reports Ctrl-C into Python's `KeyboardInterrupt`."""
    try:
        yield
    except (RuntimeError, duckdb.InterruptException) as error:
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        raise


def copy_statement(sql: str, file: Path | None, kind: Literal["csv", "parquet"]) -> str:
    """The statement that writes the rows of another one to a file."""
    form = "FORMAT csv, HEADER" if kind == "csv" else "FORMAT parquet, COMPRESSION zstd"
    return f"COPY ({sql}) TO {sql_literal(file)} ({form}, USE_TMP_FILE false)"


def _list(files: Sequence[Path]) -> str:
    return f"[{', '.join(map(sql_literal, files))}]"


def _check_head(folder: Path) -> None:
    """Raise `PenstockError` if the folder is not a store, or a store that this version cannot read."""
    if not folder.is_dir():
        siblings = [item.name for item in folder.parent.iterdir() if item.is_dir()] if folder.parent.is_dir() else []
        raise PenstockError(f"no store {folder}: there is no such folder{did_you_mean(folder.name, siblings)}")
    if (folder / OLD_FILE).exists() and not (folder / "store.json").exists():
        raise PenstockError(f"the store {folder} is of an earlier version of penstock ({OLD_FILE}) and cannot be read")
    try:
        head = read_json(folder / "store.json")
    except FileNotFoundError:
        raise PenstockError(f"the folder {folder} is not a store of penstock: it has no store.json") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise PenstockError(f"the store {folder} cannot be read: store.json: {reason}") from None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise PenstockError(f"the store {folder} has a format that this version of penstock does not read")


def _names(sql: str) -> list[str]:
    """The names of columns, tables and functions in a query."""
    tokens = duckdb.tokenize(sql)
    ends = [start for start, _ in tokens[1:]] + [len(sql.encode())]
    names = []
    for (start, kind), end in zip(tokens, ends, strict=True):
        if kind == duckdb.token_type.identifier:
            text = sql.encode()[start:end].decode().strip()
            names.append(text[1:-1].replace('""', '"') if text.startswith('"') else text)
    return list(dict.fromkeys(names))


def _first_line(error: duckdb.Error) -> str:
    """The reason of an error, without its kind and the excerpt of the query."""
    text = str(error).strip().partition("\n")[0]
    return re.sub(r"^[A-Z][A-Za-z ]* Error: ", "", text)
