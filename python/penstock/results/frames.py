"""Rows of plain values as tables of Arrow and data frames of pandas, which is optional."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from penstock.errors import MissingPackageError

__all__ = ["Rows", "import_optional_package", "to_arrow", "to_pandas"]

Rows = Sequence[Mapping[str, Any]]


def to_pandas(rows: Rows) -> Any:
    """A `pandas.DataFrame` with a column for each key. Raises `MissingPackageError` without pandas."""
    return import_optional_package("pandas", "a data frame").DataFrame(_uniform(rows))


def to_arrow(rows: Rows) -> Any:
    """A `pyarrow.Table` with a column for each key."""
    import pyarrow as pa

    return pa.table(_uniform(rows))


def import_optional_package(name: str, use: str) -> Any:
    """An optional package. Raises `MissingPackageError`, with its use, if it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        raise MissingPackageError(name, use) from None


def _uniform(rows: Rows) -> dict[str, list[Any]]:
    """Columns with one type each: tables become JSON and mixed columns text; missing keys become None."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: _column([row.get(name) for row in rows]) for name in names}


def _column(values: list[Any]) -> list[Any]:
    plain = [json.dumps(value) if isinstance(value, (Mapping, list, tuple)) else value for value in values]
    kinds = {type(value) for value in plain if value is not None}
    if kinds <= {int, float} and float in kinds:
        return [None if value is None else float(value) for value in plain]
    return plain if len(kinds) <= 1 else [None if value is None else str(value) for value in plain]
