"""The cells of a study in a store as a comparison: the JSON of `compare`, which `penstock report` makes a page of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.errors import PenstockError, ScenarioError
from penstock.results.distribution import bin_width, binned, is_distribution
from penstock.results.parts import PARTS, place_name
from penstock.results.sample import Sample
from penstock.results.table import Labels, Table
from penstock.scenario.scheme_text import parse_scheme
from penstock.studies.store_table import StoreTable

__all__ = ["MAX_CELLS", "comparison", "comparison_of_summary"]

SUMMARY = ("metric", "mean", "sd", "ci95", "runs")
"""Keys of a row of a summary beside its labels."""

MAX_CELLS = 500
"""Cells of a comparison: the page of more would be too large for a browser."""


@dataclass(frozen=True)
class _Cell:
    """A cell of the table, with the labels as a comparison has them."""

    labels: Labels
    scheme: str
    params: Mapping[str, Any]
    vary: Mapping[str, Any]

    def row(self, place: str, metric: str, sample: Sample) -> dict[str, Any] | None:
        found = sample.summary
        if found is None:
            return None
        return {
            "scheme": self.scheme, "params": dict(self.params), "vary": dict(self.vary), "place": place,
            "metric": metric, "mean": found.mean, "sd": found.sd, "runs": found.runs,
            "ci95": None if found.ci95 is None else list(found.ci95),
        }  # fmt: skip


def comparison(study: StoreTable) -> dict[str, Any]:
    """The comparison of the chosen runs of a study.

    Raises `PenstockError` if they have more than `MAX_CELLS` cells.
    """
    if (number := study.cells()) > MAX_CELLS:
        raise PenstockError(
            f'the study "{study.study}" has {number} cells, a page at most {MAX_CELLS}; choose some with --where, '
            f"such as --where {study.axes[-1]}=VALUE; the axes are {', '.join(study.axes)}"
        )
    columns = {name: place for name in study.metrics if (place := _place(name)) is not None}
    table = study.read(list(columns))
    scenario = study.scenario()
    cells = [_cell(labels, scenario) for labels, _ in table.cells]
    return {
        "penstock": study.version(),
        "scenario": {**scenario, "seed": study.first_seed()},
        "rows": [*_rows(table, cells, columns), *_distribution_rows(study, cells)],
        "differences": list(_differences(table, cells, columns)),
    }


def comparison_of_summary(result: Mapping[str, Any]) -> dict[str, Any]:
    """The comparison of the JSON of a study: its means, without paired differences, which need the runs.

    Raises `PenstockError` if it has more than `MAX_CELLS` cells.
    """
    scenario, rows = result["scenario"], []
    for row in result["rows"]:
        cell = _cell({name: value for name, value in row.items() if name not in SUMMARY}, scenario)
        place, _, metric = row["metric"].rpartition(".")
        about = {"scheme": cell.scheme, "params": dict(cell.params), "vary": dict(cell.vary)}
        rows.append({**about, "place": place, **{name: row[name] for name in SUMMARY}, "metric": metric})
    if (number := len({repr(row["vary"]) + repr(row["params"]) + row["scheme"] for row in rows})) > MAX_CELLS:
        raise PenstockError(
            f'the study "{result["study"]}" has {number} cells, a page at most {MAX_CELLS}; make the page of its store'
            " and choose some with --where"
        )
    return {"penstock": result["penstock"], "scenario": scenario, "rows": rows, "differences": []}


def _place(column: str) -> tuple[str, str] | None:
    """The place and the metric of a column, as a comparison names them; None for one that it does not show."""
    part, _, rest = column.partition(".")
    if part == "kept":
        return part, rest
    place, _, metric = rest.rpartition(".")
    return (place_name(part, place), metric) if part in PARTS else None


def _cell(labels: Labels, scenario: Mapping[str, Any]) -> _Cell:
    vary = {name: value for name, value in labels.items() if name != "scheme"}
    given = labels.get("scheme")
    if given is None:
        return _Cell(labels, _own_scheme(scenario), {}, vary)
    try:
        scheme, params = parse_scheme(str(given), "scheme")
    except ScenarioError:  # a law in Python that is not loaded here, or a label that is no scheme
        return _Cell(labels, str(given), {}, vary)
    return _Cell(labels, scheme, params, vary)


def _own_scheme(scenario: Mapping[str, Any]) -> str:
    """The scheme of the first watched link."""
    for link in (scenario.get("links") or {}).values():
        if link.get("watch"):
            return str((link.get("queue") or {}).get("scheme", "droptail"))
    return "droptail"


def _rows(table: Table, cells: Sequence[_Cell], columns: Mapping[str, tuple[str, str]]) -> Iterator[dict[str, Any]]:
    for cell, (_, samples) in zip(cells, table.cells, strict=True):
        for column, where in columns.items():
            row = cell.row(*where, samples[column])
            if row is not None:
                yield row


def _differences(
    table: Table, cells: Sequence[_Cell], columns: Mapping[str, tuple[str, str]]
) -> Iterator[dict[str, Any]]:
    """The differences of each scheme to the first at the same values of the axes, paired by seed."""
    first: dict[str, tuple[_Cell, Mapping[str, Sample]]] = {}
    for cell, (_, samples) in zip(cells, table.cells, strict=True):
        against, others = first.setdefault(repr(sorted(cell.vary.items(), key=repr)), (cell, samples))
        if against is cell:
            continue
        for column, where in columns.items():
            row = cell.row(*where, samples[column] - others[column])
            if row is not None:
                yield row | {"against": against.scheme, "against_params": dict(against.params)}


def _distribution_rows(study: StoreTable, cells: Sequence[_Cell]) -> Iterator[dict[str, Any]]:
    """A row for each value or bin of a distribution, over the runs that have it."""
    by_labels = {repr(cell.labels): cell for cell in cells}
    for column in study.database.results:
        where = _place(column)
        if where is None or not is_distribution(column):
            continue
        place, name = where
        found = study.distribution(column)
        width = bin_width(max((len(run) for _, runs in found for run in runs), default=0))
        for labels, runs in found:
            bins = -(-max(map(len, runs), default=0) // width)
            parts = [binned(name, shares, width, bins) for shares in runs]
            for values in zip(*parts, strict=True):
                sample = Sample([share for _, share in values])
                row = by_labels[repr(labels)].row(place, str(values[0][0]), sample)
                if row is not None:
                    yield row
