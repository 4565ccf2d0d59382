"""Parts of a store: results of runs as a Parquet file with one row per run, and back."""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock import _native
from penstock.results.columns import typed_label_values
from penstock.results.parts import PARTS

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "CellRuns",
    "PartColumns",
    "column_types",
    "labelled_scenarios",
    "labels_content",
    "merge_parts",
    "part_content",
    "read_runs",
    "read_scenarios",
    "read_table",
    "run_count",
    "scenarios_content",
    "seed_ranges",
    "sql_literal",
    "sql_name",
]


@dataclass(frozen=True)
class CellRuns:
    """Runs of a scenario, and their place in a study.

    Attributes:
        scenario_key: the content address of the scenario.
        seeds: of the runs.
        labels: of the cell, by name.
        study: the name of the study.

    """

    scenario_key: str
    seeds: Sequence[int]
    labels: Mapping[str, Any] = field(default_factory=dict)
    study: str = ""


Column = tuple[str, str, Sequence[Any]]
"""Name, type in SQL, and values: one for each row, or one for the runs of each scenario."""


@dataclass(frozen=True)
class PartColumns:
    """The columns of a part that are known before its runs are executed, as plain values.

    Attributes:
        labels: the columns of the labels.
        identity: the columns that identify a run.
        counts: numbers of runs of the scenarios.

    """

    labels: Sequence[Column]
    identity: Sequence[Column]
    counts: Sequence[int]

    @classmethod
    def from_cells(cls, cells: Sequence[CellRuns]) -> PartColumns:
        """The columns of the runs of a part, in the order of its rows."""
        each = len(cells)
        identity: list[Column] = [
            ("seed", "BIGINT", [seed for cell in cells for seed in cell.seeds]),
            ("scenario", "VARCHAR", [cell.scenario_key for cell in cells]),
            ("meaning", "INTEGER NOT NULL", [_native.meaning] * each),
            ("penstock", "VARCHAR NOT NULL", [_native.version] * each),
            ("study", "VARCHAR", [cell.study for cell in cells]),
        ]
        return cls(_labels(cells), identity, [len(cell.seeds) for cell in cells])


def part_content(head: PartColumns, results: _native.Results) -> bytes:
    """The content of the Parquet file of a part, with the results of its runs."""
    # A label with the name of a result, such as `traffic.bulk.count`, has the values of the result.
    result_names = set(results.names())
    labels = [column for column in head.labels if column[0] not in result_names]
    named = json.dumps([name for name, *_ in labels])
    return _native.write_parquet([*labels, *head.identity], head.counts, results, named)


def scenarios_content(texts: Mapping[str, str]) -> bytes:
    """The content of a Parquet file with resolved scenarios as JSON texts, by their content addresses."""
    columns: list[Column] = [("scenario", "VARCHAR", [*texts]), ("resolved", "JSON", [*texts.values()])]
    return _native.write_parquet(columns, [1] * len(texts))


def read_scenarios(files: Sequence[Path], addresses: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The resolved scenarios of these content addresses in files."""
    if not files:
        return {}
    import duckdb

    rows = duckdb.connect(config={"threads": 1}).execute(
        f"SELECT scenario, resolved FROM read_parquet([{', '.join(map(sql_literal, files))}])"
        " WHERE scenario IN (SELECT unnest(?))",
        [list(addresses)],
    )
    return {scenario: json.loads(text) for scenario, text in rows.fetchall()}


def read_runs(
    source: Path | bytes, scenarios: Iterable[str], metrics: Collection[str] | None = None
) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """The runs of these scenarios in a part, a file or its content: scenario, seed and result.

    Of the results only `metrics` are read if some are given. Raises `OSError` for a damaged part.
    """
    file = _native.Parquet(source)
    labels = _labels_of(file)
    result_columns = [
        (name, _path(name), is_json) for name, _, is_json in file.columns if _path(name) and name not in labels
    ]
    if metrics is not None:
        result_columns = [entry for entry in result_columns if _path(entry[0])[-1] in (*metrics, "cpu_s")]
    for rows in file.rows(["scenario", "seed", *(name for name, *_ in result_columns)], set(scenarios)):
        for scenario, seed, *values in rows:
            yield scenario, seed, _result(seed, result_columns, values)


def read_table(source: Path | bytes, scenarios: Collection[str]) -> pa.Table:
    """The rows of these scenarios in a part, given as a file or as its content. Raises `OSError` for a damaged part."""
    import pyarrow as pa
    from pyarrow import compute, parquet

    try:
        table = parquet.ParquetFile(source if isinstance(source, Path) else io.BytesIO(source)).read()
    except pa.ArrowInvalid as error:
        raise OSError(str(error)) from None
    return table.filter(compute.is_in(table["scenario"], pa.array(list(scenarios))))


def seed_ranges(file: Path) -> list[tuple[str, str, range]]:
    """The runs in a part: scenario, study, and consecutive seeds. Raises `OSError` for a damaged part."""
    return [(scenario, study, range(first, stop)) for scenario, study, first, stop in _native.Parquet(file).runs()]


def run_count(file: Path) -> int:
    """The number of runs in a part. Raises `OSError` for a damaged part."""
    return _native.Parquet(file).count


def labels_content(cells: Sequence[CellRuns]) -> bytes:
    """The content of a Parquet file with the labels that a study gives to runs of another study."""
    columns: list[Column] = [
        ("scenario", "VARCHAR", [cell.scenario_key for cell in cells]),
        ("study", "VARCHAR", [cell.study for cell in cells]),
        ("first_seed", "BIGINT", [cell.seeds[0] for cell in cells]),
        ("last_seed", "BIGINT", [cell.seeds[-1] for cell in cells]),
        *_labels(cells),
    ]
    return _native.write_parquet(columns, [1] * len(cells))


def labelled_scenarios(file: Path) -> list[tuple[str, str, int]]:
    """The scenarios of a file of labels, study and last seed. Raises `OSError` for a damaged file."""
    return [row for rows in _native.Parquet(file).rows(["scenario", "study", "last_seed"]) for row in rows]


def column_types(file: Path) -> dict[str, tuple[str, bool]]:
    """The columns of a part: the type of each, and whether it is a label. Raises `OSError` for a damaged part."""
    table = _native.Parquet(file)
    labels = _labels_of(table)
    return {name: (kind, name in labels) for name, kind, _ in table.columns}


def merge_parts(files: Sequence[Path], target: Path) -> None:
    """Write the rows of parts, which must have no run in common, as one part. Raises `OSError`."""
    labels = dict.fromkeys(name for file in files for name in _labels_of(_native.Parquet(file)))
    _native.merge_parquet(files, target, json.dumps([*labels]))


def _labels_of(file: _native.Parquet) -> list[str]:
    """The columns of a part that are labels."""
    labels: list[str] = json.loads(file.labels) if file.labels else []
    return labels


def _result(seed: int, columns: Sequence[tuple[str, Sequence[str], bool]], values: Sequence[Any]) -> dict[str, Any]:
    """The result with these values, without those that are None, as the engine leaves out missing values."""
    result: dict[str, Any] = {"seed": seed, "links": {}, "traffic": {}, "fairness": {}}
    for (_, path, is_json), value in zip(columns, values, strict=True):
        if value is not None:
            table = result
            for name in path[:-1]:
                table = table.setdefault(name, {})
            table[path[-1]] = json.loads(value) if is_json else value
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
    return (first, place, metric) if first in PARTS and place else ()


def _labels(cells: Sequence[CellRuns]) -> list[Column]:
    """The columns of the labels: numbers and truth values as such, all others as texts."""
    names = dict.fromkeys(name for cell in cells for name in cell.labels)
    return [(name, *typed_label_values([cell.labels.get(name) for cell in cells])) for name in names]


def sql_name(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def sql_literal(value: object) -> str:
    """A text in SQL."""
    return "'" + str(value).replace("'", "''") + "'"
