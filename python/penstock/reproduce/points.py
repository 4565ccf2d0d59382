"""The recorded points of a paper's figures, in `points.parquet`: a row for each point, in the order of the table.

The columns are `experiment`; `labels` of the cell as JSON, which tells 8 from 8.0; `metric`; `mean`; and `half`, the
half-width of the interval. A cell without drawn points has one row without a metric, which keeps its place on the axes.
No two cells of an experiment have the same labels.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from penstock.errors import PenstockError
from penstock.files import atomic_replacement, open_regular
from penstock.results.summary_table import SummaryPoint, SummaryTable

__all__ = ["read_points", "write_points"]

_COLUMNS = {"experiment": "VARCHAR", "labels": "VARCHAR", "metric": "VARCHAR", "mean": "FLOAT", "half": "FLOAT"}
# Version 2 splits floats by their bytes: the zero bytes at the end of rounded floats become adjacent.
_FORMAT = "FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 19, PARQUET_VERSION v2"


def write_points(file: Path, experiments: Mapping[str, SummaryTable]) -> None:
    """Write the points of experiments, by their ids; they replace the content of the file."""
    rows = [row for id_, summary in experiments.items() for row in _rows(id_, summary)]
    columns = zip(*rows, strict=True) if rows else [()] * len(_COLUMNS)
    with atomic_replacement(file) as part, duckdb.connect() as base:
        base.register("points", {name: np.array(own, object) for name, own in zip(_COLUMNS, columns, strict=True)})
        typed = ", ".join(f"{name}::{kind} AS {name}" for name, kind in _COLUMNS.items())
        target = str(part).replace("'", "''")
        base.execute(f"COPY (SELECT {typed} FROM points) TO '{target}' ({_FORMAT})")


def read_points(file: Path) -> dict[str, SummaryTable]:
    """The points of each experiment by its id; none if there is no file. Raises `PenstockError` for a damaged file."""
    if not file.exists():
        return {}
    try:
        open_regular(file).close()
        with duckdb.connect() as base:
            rows = base.execute(f"SELECT {', '.join(_COLUMNS)} FROM read_parquet(?)", [str(file)]).fetchall()
    except (OSError, duckdb.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise PenstockError(f"{file}: cannot be read: {reason}") from None
    return {
        id_: SummaryTable(_cell(list(cell)) for _, cell in groupby(own, itemgetter(1)))
        for id_, own in groupby(rows, itemgetter(0))
    }


def _rows(id_: str, summary: SummaryTable) -> Iterator[tuple[Any, ...]]:
    for labels, points in summary.cells:
        first = (id_, json.dumps(labels, separators=(",", ":"), ensure_ascii=False))
        if not points:
            yield *first, None, None, None
        for metric, point in points.items():
            yield *first, metric, point.mean, point.half_width


def _cell(rows: list[tuple[Any, ...]]) -> tuple[dict[str, Any], dict[str, SummaryPoint]]:
    points = {metric: SummaryPoint(mean, half) for _, _, metric, mean, half in rows if metric is not None}
    return json.loads(rows[0][1]), points
