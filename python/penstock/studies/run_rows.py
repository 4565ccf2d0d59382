"""The table of the runs of a plan: rows in the order of the plan, with its labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from penstock.errors import PenstockError
from penstock.results.columns import RESERVED, is_result_column, sorted_columns, typed_label_values
from penstock.studies.part import CellRuns

__all__ = ["run_rows", "with_labels"]

TYPES = {"BOOLEAN": pa.bool_(), "BIGINT": pa.int64(), "DOUBLE": pa.float64(), "VARCHAR": pa.string()}
"""The types of labels in a table, by their types in SQL."""


def run_rows(cells: Sequence[CellRuns], parts: Iterable[pa.Table]) -> pa.Table:
    """The rows of these runs from the parts, by cell and seed, with the labels of the cells.

    Raises `PenstockError` if a run is in no part.
    """
    table = pa.concat_tables(list(parts), promote_options="permissive")
    row_of = {
        run: row for row, run in enumerate(zip(table["scenario"].to_pylist(), table["seed"].to_pylist(), strict=True))
    }
    runs = [(cell.scenario_key, seed) for cell in cells for seed in cell.seeds]
    if any(run not in row_of for run in runs):
        raise PenstockError("results of runs are missing; another process has removed them from the store")
    rows = table.take(pa.array([row_of[run] for run in runs]))
    return with_labels(rows, [cell.labels for cell in cells for _ in cell.seeds])


def with_labels(rows: pa.Table, labels: Sequence[Mapping[str, Any]]) -> pa.Table:
    """The table with its labels replaced by `labels`, one mapping per row."""
    run_columns = {name: rows[name] for name in rows.column_names if name in RESERVED or is_result_column(name)}
    names = dict.fromkeys(name for each in labels for name in each)
    columns = {}
    for name in names:
        kind, values = typed_label_values([each.get(name) for each in labels])
        columns[name] = pa.array(values, TYPES[kind])
    together = {**columns, **{name: column for name, column in run_columns.items() if name not in columns}}
    return pa.table({name: together[name] for name in sorted_columns(together)})
