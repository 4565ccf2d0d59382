"""Parts of a store: results of runs as a Parquet file, a row a run, and back."""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from penstock import _native

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "IDENTITY",
    "RESERVED",
    "Labelled",
    "Row",
    "columns",
    "connection",
    "labelled",
    "literal",
    "merge",
    "quoted",
    "read",
    "read_scenarios",
    "runs",
    "write",
    "write_labels",
    "write_scenarios",
]

IDENTITY = ("seed", "scenario", "meaning", "penstock", "study")
"""Columns that identify a run, after its labels."""

RESERVED = (*IDENTITY, "events", "cpu_s")
"""Names that a label cannot have."""

DEPTH = {"links": 3, "traffic": 3, "fairness": 2, "kept": 2}
"""Keys that lead to a value of a result, by the first of them."""

KEPT_AS_JSON = "kept"
"""Values below this key are JSON texts unless they are numbers."""


@dataclass(frozen=True)
class Row:
    """The result of a run, and its place in a study.

    Attributes:
        scenario: the content address of the scenario.
        seed: of the run.
        text: the result as JSON.
        labels: of the cell, by name.
        study: the name of the study.

    """

    scenario: str
    seed: int
    text: str
    labels: Mapping[str, Any] = field(default_factory=dict)
    study: str = ""


@dataclass(frozen=True)
class Labelled:
    """A scenario whose runs another study has made, with the labels that this study gives them."""

    scenario: str
    study: str
    seeds: range
    labels: Mapping[str, Any]


_local = threading.local()


def connection() -> duckdb.DuckDBPyConnection:
    """The database in memory of the calling thread, with one thread of its own."""
    import duckdb

    if not hasattr(_local, "connection"):
        _local.connection = duckdb.connect(config={"threads": 1})
    found: duckdb.DuckDBPyConnection = _local.connection
    return found


def write(rows: Sequence[Row], file: Path) -> None:
    """Write rows as a Parquet file. Raises `duckdb.Error`, such as on a full disk."""
    found = _native.columns([row.text for row in rows], DEPTH)
    # A label of the name of a result, such as `traffic.bulk.count`, has its values.
    results = {".".join(path) for path, _ in found}
    labels = [(name, column) for name, column in _labels(rows) if name not in results]
    runs = {
        "text": np.array([row.text for row in rows], dtype=object),
        "scenario": np.array([row.scenario for row in rows], dtype=object),
        "study": np.array([row.study for row in rows], dtype=object),
        **{f"label {number}": column for number, (_, column) in enumerate(labels)},
    }
    shown = [f'"label {number}" AS {quoted(name)}' for number, (name, _) in enumerate(labels)]
    shown += [
        "r.seed AS seed",
        "scenario",
        f"{getattr(_native, 'meaning', 1)}::INTEGER AS meaning",
        f"'{_native.version}' AS penstock",
    ]
    shown += ["study", *(f"r.{'.'.join(map(quoted, path))} AS {quoted('.'.join(path))}" for path, _ in _ordered(found))]
    database = connection()
    database.register("runs_to_write", runs)
    try:
        database.execute(
            f"COPY (SELECT {', '.join(shown)} FROM (SELECT *, from_json(text, {literal(_structure(found))}) AS r"
            f" FROM runs_to_write)) TO {literal(file)} (FORMAT parquet, COMPRESSION zstd,"
            f" KV_METADATA {{labels: {literal(json.dumps([name for name, _ in labels]))}}})"
        )
    finally:
        database.unregister("runs_to_write")


def write_scenarios(texts: Mapping[str, str], file: Path) -> None:
    """Write resolved scenarios as JSON texts by their content addresses."""
    scenarios = {"scenario": np.array([*texts], dtype=object), "resolved": np.array([*texts.values()], dtype=object)}
    database = connection()
    database.register("scenarios_to_write", scenarios)
    try:
        target = f"{literal(file)} (FORMAT parquet, COMPRESSION zstd)"
        database.execute(f"COPY (SELECT scenario, resolved::JSON AS resolved FROM scenarios_to_write) TO {target}")
    finally:
        database.unregister("scenarios_to_write")


def read_scenarios(folder: Path, wanted: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The resolved scenarios of these content addresses in the files of a folder."""
    if not any(folder.glob("*.parquet")):
        return {}
    rows = connection().execute(
        f"SELECT scenario, resolved FROM read_parquet({literal(folder / '*.parquet')})"
        " WHERE scenario IN (SELECT unnest(?))",
        [list(wanted)],
    )
    return {scenario: json.loads(text) for scenario, text in rows.fetchall()}


def read(
    file: Path, scenarios: Iterable[str], metrics: Collection[str] | None = None
) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """The runs of these scenarios in a part: scenario, seed and result, of which only `metrics` if some are given.

    Raises `duckdb.Error` for a damaged part.
    """
    database = connection()
    source = f"read_parquet({literal(file)})"
    wanted = [
        (name, _path(name), kind) for name, (kind, is_label) in columns(file).items() if _path(name) and not is_label
    ]
    if metrics is not None:
        wanted = [entry for entry in wanted if _path(entry[0])[-1] in (*metrics, "cpu_s")]
    names = ", ".join(quoted(name) for name, _, _ in wanted)
    rows = database.execute(
        f"SELECT scenario, seed, {names} FROM {source} WHERE scenario IN (SELECT unnest(?))", [list(scenarios)]
    )
    while part := rows.fetchmany(1000):
        for scenario, seed, *values in part:
            yield scenario, seed, _result(seed, wanted, values)


def runs(file: Path) -> list[tuple[str, int, str]]:
    """The scenario, seed and study of each run in a part. Raises `duckdb.Error` for a damaged part."""
    return connection().execute(f"SELECT scenario, seed, study FROM read_parquet({literal(file)})").fetchall()


def write_labels(cells: Sequence[Labelled], file: Path) -> None:
    """Write the labels that a study gives to runs of another one."""
    table: dict[str, np.ndarray] = {
        "scenario": np.array([cell.scenario for cell in cells], dtype=object),
        "study": np.array([cell.study for cell in cells], dtype=object),
        "first_seed": np.array([cell.seeds[0] for cell in cells]),
        "last_seed": np.array([cell.seeds[-1] for cell in cells]),
    }
    labels = _labels(cells)
    named = ", ".join(f'"label {number}" AS {quoted(name)}' for number, (name, _) in enumerate(labels))
    table |= {f"label {number}": column for number, (_, column) in enumerate(labels)}
    database = connection()
    database.register("labels_to_write", table)
    try:
        target = f"{literal(file)} (FORMAT parquet, COMPRESSION zstd)"
        listed = ", ".join(filter(None, ("scenario, study, first_seed, last_seed", named)))
        database.execute(f"COPY (SELECT {listed} FROM labels_to_write) TO {target}")
    finally:
        database.unregister("labels_to_write")


def labelled(file: Path) -> list[tuple[str, str, int]]:
    """The scenarios of a file of labels, study and last seed. Raises `duckdb.Error` for a damaged file."""
    source = f"read_parquet({literal(file)})"
    return connection().execute(f"SELECT scenario, study, last_seed FROM {source}").fetchall()


def columns(file: Path) -> dict[str, tuple[str, bool]]:
    """The columns of a part: the type of each, and whether it is a label. Raises `duckdb.Error` for a damaged part."""
    described = connection().execute(f"DESCRIBE SELECT * FROM read_parquet({literal(file)})").fetchall()
    labels = _labels_of(file)
    return {name: (kind, name in labels) for name, kind, *_ in described}


def merge(files: Sequence[Path], target: Path) -> None:
    """Write the rows of parts as one part, each run once. Raises `duckdb.Error`."""
    labels = dict.fromkeys(name for file in files for name in _labels_of(file))
    listed = ", ".join(literal(file) for file in files)
    connection().execute(
        f"COPY (SELECT DISTINCT ON (scenario, seed) * FROM read_parquet([{listed}], union_by_name = true)"
        f" ORDER BY scenario, seed) TO {literal(target)} (FORMAT parquet, COMPRESSION zstd,"
        f" KV_METADATA {{labels: {literal(json.dumps([*labels]))}}})"
    )


def _labels_of(file: Path) -> list[str]:
    """The columns of a part that are labels."""
    found = (
        connection().execute(f"SELECT value FROM parquet_kv_metadata({literal(file)}) WHERE key = 'labels'").fetchone()
    )
    labels: list[str] = json.loads(found[0]) if found else []
    return labels


def _result(seed: int, wanted: Sequence[tuple[str, Sequence[str], str]], values: Sequence[Any]) -> dict[str, Any]:
    """The result with these values; one that is NULL is left out, as the engine leaves out what a run does not have."""
    result: dict[str, Any] = {"seed": seed, "links": {}, "traffic": {}, "fairness": {}}
    for (_, path, kind), value in zip(wanted, values, strict=True):
        if value is not None:
            table = result
            for name in path[:-1]:
                table = table.setdefault(name, {})
            table[path[-1]] = json.loads(value) if kind == "JSON" else value
    return result


def _path(column: str) -> Sequence[str]:
    """The keys of a column in a result; empty for one that belongs to no result, such as a label.

    Places may contain a point, as `bottleneck.reverse` does; metrics do not.
    """
    first, _, rest = column.partition(".")
    if not rest:
        return (first,) if first in ("events", "cpu_s") else ()
    if first in ("fairness", "kept"):
        return first, rest
    place, _, metric = rest.rpartition(".")
    return (first, place, metric) if first in ("links", "traffic") and place else ()


def _ordered(found: Sequence[tuple[list[str], str]]) -> list[tuple[list[str], str]]:
    """The columns of results in the order of the table."""
    first = ("events", "cpu_s", "links", "traffic", "fairness", "kept")
    return sorted((entry for entry in found if entry[0][0] in first), key=lambda entry: first.index(entry[0][0]))


def _structure(found: Sequence[tuple[list[str], str]]) -> str:
    """The structure of the texts, as DuckDB's `from_json` takes it."""
    root: dict[str, Any] = {"seed": "BIGINT"}
    for path, kind in _ordered(found):
        table = root
        for name in path[:-1]:
            table = table.setdefault(name, {})
        table[path[-1]] = [kind.removesuffix("[]")] if kind.endswith("[]") else kind
        if path[0] == KEPT_AS_JSON and kind not in ("BIGINT", "DOUBLE"):
            table[path[-1]] = "JSON"
    return json.dumps(root)


def _labels(rows: Sequence[Row | Labelled]) -> list[tuple[str, np.ndarray]]:
    """The columns of the labels: numbers and truth values as such, all others as texts."""
    names = dict.fromkeys(name for row in rows for name in row.labels)
    return [(name, _column([row.labels.get(name) for row in rows])) for name in names]


def _column(values: Sequence[Any]) -> np.ndarray:
    kinds = {type(value) for value in values}
    for kind in (bool, int):
        if kinds == {kind}:
            return np.array(values, dtype=kind)
    if kinds <= {int, float}:
        return np.array(values, dtype=float)
    if kinds <= {int, float, type(None)}:
        return np.array(values, dtype=object)
    texts = [value if isinstance(value, str) or value is None else _text(value) for value in values]
    return np.array(texts, dtype=object)


def _text(value: Any) -> str:
    try:
        return json.dumps(value)
    except TypeError:
        return str(value)


def quoted(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: object) -> str:
    """A text in SQL."""
    return "'" + str(value).replace("'", "''") + "'"
