"""Rows for a store from results that are JSON texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from penstock import _native
from penstock.studies.part import CellRuns, PartColumns, part_content
from penstock.studies.store import RunResults


@dataclass(frozen=True)
class Row:
    """The result of a run as JSON, and its place in a study."""

    scenario: str
    seed: int
    text: str
    labels: Mapping[str, Any] = field(default_factory=dict)
    study: str = ""


def content(rows: Sequence[Row]) -> bytes:
    """The content of the part with these rows."""
    return part_content(PartColumns.from_cells(_runs(rows)), _native.Results([row.text for row in rows]))


def put(store: RunResults, rows: Sequence[Row], scenarios: Mapping[str, str]) -> None:
    """Keep the rows as one part."""
    store.put(_runs(rows), content(rows), scenarios)


def _runs(rows: Sequence[Row]) -> list[CellRuns]:
    return [CellRuns(row.scenario, [row.seed], row.labels, row.study) for row in rows]
