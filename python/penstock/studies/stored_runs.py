"""The runs of a study as `Runs`: of a study in a store, or of cells that have been run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from penstock import _native
from penstock.errors import PenstockError, ScenarioError
from penstock.results.columns import varchar_text
from penstock.results.display import scheme_argument
from penstock.scenario.scheme_text import parse_scheme
from penstock.studies.database import Database
from penstock.studies.part import CellRuns
from penstock.studies.run_rows import run_rows
from penstock.studies.runs import Runs, StudyDesign
from penstock.studies.store import RunResults
from penstock.studies.store_table import Choice, StoreTable

__all__ = ["MAX_CELLS", "read_runs", "stored_runs", "study_runs"]

MAX_CELLS = 500
"""Maximum number of cells of a table of runs; a page or summary of more cells is unreadable."""

SCHEME = "scheme"

Json = Mapping[str, Any]


def read_runs(folder: Any = None, study: str | None = None, where: Choice | None = None) -> Runs:
    """The runs of a study in a store, or only those that `where` selects; see `StoreTable`.

    Raises `PenstockError` for a folder that is not a store, and the errors of `stored_runs`.
    """
    with Database(folder) as database:
        return stored_runs(StoreTable(database, study, where))


def stored_runs(study: StoreTable) -> Runs:
    """The selected runs of a study in a store.

    Raises `PenstockError` if they have more than `MAX_CELLS` cells, or if runs with the same labels belong to different
    scenarios.
    """
    _check_size(study.study, study.cells(), study.axes)
    cells = study.labels()
    table = study.table()
    if SCHEME not in table.column_names:
        own = _own_scheme(study.scenario())
        table = table.add_column(0, SCHEME, pa.array([own] * len(table), pa.string()))
        cells = [{SCHEME: own, **labels} for labels in cells]
    scenario = {**study.scenario(), "seed": study.first_seed()}
    return Runs(table, _design(cells, scenario, study.version(), study.scenarios()))


def study_runs(cells: Sequence[CellRuns], results: RunResults) -> Runs:
    """The runs of the cells of a study, which `results` has. A label that only other cells have is None."""
    scenarios = results.scenarios({cell.scenario_key for cell in cells})
    names = dict.fromkeys(name for cell in cells for name in cell.labels if name != SCHEME)
    schemes = (varchar_text(cell.labels.get(SCHEME) or _own_scheme(scenarios[cell.scenario_key])) for cell in cells)
    labels = [
        {SCHEME: scheme, **{name: cell.labels.get(name) for name in names}}
        for cell, scheme in zip(cells, schemes, strict=True)
    ]
    places = [replace(cell, labels=each) for cell, each in zip(cells, labels, strict=True)]
    scenario = {**scenarios[cells[0].scenario_key], "seed": cells[0].seeds[0]}
    return Runs(run_rows(places, results.tables(scenarios)), _design(labels, scenario, _native.version, scenarios))


def _check_size(study: str, cells: int, axes: Sequence[str]) -> None:
    if cells > MAX_CELLS:
        raise PenstockError(
            f'the study "{study}" has {cells} cells; a page has at most {MAX_CELLS}. Select some with --where, '
            f"such as --where {axes[-1]}=VALUE; the axes are {', '.join(axes)}"
        )


def _design(cells: Sequence[Json], scenario: Json, version: str, scenarios: Mapping[str, Json]) -> StudyDesign:
    """The design of the runs of cells with these labels, in this order."""
    points = {
        varchar_text({**labels, SCHEME: ""}): {k: v for k, v in labels.items() if k != SCHEME} for labels in cells
    }
    schemes = list(dict.fromkeys(str(labels[SCHEME]) for labels in cells))
    return StudyDesign(
        scenario=scenario,
        schemes=list(map(_scheme, schemes)),
        points=list(points.values()),
        replaced_links=list(_measured_links(scenario)),
        version=version,
        scenarios=scenarios,
    )


def _scheme(label: str) -> tuple[str, Json]:
    """The name and the given parameters of a scheme, from its label."""
    try:
        name, params = parse_scheme(label, SCHEME)
    except ScenarioError:  # an AQM in Python that is not loaded here, or a label that is no scheme
        return label, {}
    return (name, params) if scheme_argument(name, params) == label else (label, {})


def _own_scheme(scenario: Json) -> str:
    """The scheme of the first watched link."""
    for link in (scenario.get("links") or {}).values():
        if link.get("watch"):
            return str((link.get("queue") or {}).get("scheme", "droptail"))
    return "droptail"


def _measured_links(scenario: Json) -> Iterable[str]:
    for name in scenario.get("links") or {}:
        yield from (name, f"{name}.reverse")
