"""Study files: a scenario, axes, schemes and seeds in TOML, as a `Study`.

name = "buffers"
base = "thesis_link.toml"                  # a scenario file beside this one, or a table with the scenario itself
schemes = ["droptail", "red:gentle=true"]  # each in place of the queue at the watched links; default: the scenario's
seeds = 30                                 # runs of each cell, with the seeds 1 to 30
metrics = ["delay_mean_s", "utilization"]  # in the summary; default: utilization, mean delay, loss rate
where = "flows <= 50"                      # cells that are left out make this false

[axes]
"links.bottleneck.rate" = ["2Mbit", "10Mbit"]             # a path of the scenario
flows = { path = "traffic.bulk.count", values = [5, 50] } # a path under a short name
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from penstock.errors import ErrorCollector, PenstockError, ScenarioError, nearest
from penstock.results.display import is_number
from penstock.results.metrics import METRICS, metric
from penstock.results.run import Run
from penstock.scenario.resolve.reader import REQUIRED, Table, text, whole
from penstock.scenario.scenario import Document, read_table
from penstock.studies.candidate import Candidate
from penstock.studies.part import RESERVED
from penstock.studies.plan import check_places, placed
from penstock.studies.study import Study
from penstock.studies.where import condition
from penstock.units import UnitError

__all__ = ["StudyFile"]

KEYS = ("name", "base", "at", "schemes", "seeds", "metrics", "where", "axes")
SUMMARIZED = ("utilization", "delay_mean_s", "loss_rate")
SCHEME = "scheme"
MAX_SEEDS = 10_000_000


@dataclass(frozen=True)
class Axis:
    """An axis: the paths that take each of its values."""

    name: str
    paths: tuple[str, ...]
    values: tuple[Any, ...]


@dataclass(frozen=True)
class StudyFile:
    """A study as its file describes it.

    Attributes:
        study: to be run.
        metrics: names of the metrics of the summary.
        tree: the file as plain values, with the scenario in it, from which the same study is made again.

    """

    study: Study
    metrics: tuple[str, ...]
    tree: Mapping[str, Any]

    @classmethod
    def read(cls, path: str | Path) -> StudyFile:
        """Read a file. Raises `ScenarioError` with every error, each with its line."""
        tree, origins = read_table(path)
        name = Path(path).stem
        return cls.of({"name": name, **tree}, origins, Path(path).parent)

    @classmethod
    def of(cls, tree: Mapping[str, Any], origins: Mapping[str, str], folder: Path = Path()) -> StudyFile:
        """From plain values; `folder` is that of relative paths. Raises `ScenarioError` with every error."""
        errors = ErrorCollector(origins)
        top = Table(errors, "", tree)
        top.known(KEYS)
        name = top.take("name", _name, "study")
        base = _base(top, folder)
        axes = _axes(top)
        candidates = _candidates(top)
        names = [axis.name for axis in axes] + ([SCHEME] if candidates else [])
        where = top.take("where", lambda value: _condition(value, names))
        seeds = top.take("seeds", whole(1, MAX_SEEDS), 5)
        metrics = top.take("metrics", _metrics, SUMMARIZED)
        places = _places(top, base, candidates)
        if errors.found or base is None:
            raise ScenarioError(errors.found)
        made = _Cells(base, axes, {candidate.label: candidate for candidate in candidates}, places)
        vary = {axis.name: axis.values for axis in axes} | ({SCHEME: tuple(made.candidates)} if candidates else {})
        study = Study(made, vary, seeds=seeds, where=where, name=name)
        if where is not None and not any(
            where(**dict(zip(vary, point, strict=True))) for point in product(*vary.values())
        ):
            top.error("where", "leaves no cell")
            raise ScenarioError(errors.found)
        whole_tree = {**tree, "name": name, "base": base.tree}
        file = cls(study, tuple(metrics), whole_tree)
        if not file.cells():
            top.error("where", "leaves no cell")
            raise ScenarioError(errors.found)
        return file

    def cells(self) -> int:
        """Number of cells."""
        study = self.study
        if study.where is None:
            return study.most_runs // study.seeds
        points = product(*study.vary.values())
        return sum(study.where(**dict(zip(study.vary, point, strict=True))) for point in points)

    def measure(self, run: Run) -> dict[str, float | None]:
        """The metrics of the summary as `PLACE.METRIC`; one without a place at the watched links, if these have it."""
        numbers = [entry for entry in run.numbers() if is_number(entry[3])]
        at_links = {name for part, _, name, _ in numbers if part == "links"}
        found: dict[str, float | None] = {}
        for part, place, name, value in numbers:
            own = name in self.metrics and (part == "links" or name not in at_links)
            if (own or f"{place}.{name}" in self.metrics) and not isinstance(value, list):
                found[f"{place}.{name}"] = value
        return found

    def metric_names(self) -> list[str]:
        """The names of the metrics of the summary, without places."""
        return [name.rpartition(".")[2] for name in self.metrics]


@dataclass(frozen=True)
class _Cells:
    """Makes the scenario of a cell from its labels."""

    base: Document
    axes: Sequence[Axis]
    candidates: Mapping[str, Candidate]
    places: Sequence[str]
    _made: list[tuple[Any, Document]] = field(default_factory=list, init=False, repr=False, compare=False)
    """For each axis the value of the last cell, and the scenario so far: in most cells only the last axis changes."""

    def __call__(self, **labels: Any) -> Document:
        document = self.base
        for depth, axis in enumerate(self.axes):
            value = labels[axis.name]
            if depth < len(self._made) and self._made[depth][0] is value:
                document = self._made[depth][1]
                continue
            for path in axis.paths:
                document = document.set(path, value, f"axis {axis.name}")
            self._made[depth:] = [(value, document)]
        if SCHEME in labels and self.candidates:
            document = placed(document, self.candidates[labels[SCHEME]], self.places)
        return document


def _base(top: Table, folder: Path) -> Document | None:
    value = top.values.get("base")
    if isinstance(value, Mapping):
        origins = top.errors.origins.items()
        inside = {path.removeprefix("base."): origin for path, origin in origins if path.startswith("base.")}
        return Document(dict(value), {"": top.errors.origin("base") or "base", **inside})
    path = top.take("base", text, REQUIRED, advice='name a scenario file, such as base = "link.toml"')
    if not path:
        return None
    try:
        return Document.read(folder / path)
    except ScenarioError as error:
        top.errors.found += error.errors
    return None


def _axes(top: Table) -> list[Axis]:
    axes: list[Axis] = []
    table = top.table("axes")
    for name, value in (table.values if table else {}).items():
        assert table is not None
        if isinstance(value, Mapping):
            inner = Table(top.errors, table.at(name), value)
            inner.known(("path", "paths", "values"))
            paths = (inner.take("path", text),) if "path" in value else inner.take("paths", _texts, REQUIRED)
            values = inner.take("values", _values, REQUIRED)
        else:
            paths, values = (name,), table.take(name, _values)
        if name in (*RESERVED, SCHEME):
            table.error(name, "cannot be the name of an axis: a column of every table of results has it")
        axes.append(Axis(name, tuple(paths or ()), tuple(values or ())))
    return axes


def _candidates(top: Table) -> tuple[Candidate, ...]:
    try:
        found = [_candidate(value) for value in top.take("schemes", _values, ())]
        return tuple({candidate.label: candidate for candidate in found}.values())
    except ScenarioError as error:
        top.errors.found += error.errors
    except PenstockError as error:
        top.error("schemes", str(error))
    return ()


def _candidate(value: Any) -> Candidate:
    if isinstance(value, Mapping):
        params = dict(value)
        return Candidate(str(params.pop("scheme", "")), params, "schemes")
    return Candidate.parse(str(value), "schemes")


def _places(top: Table, base: Document | None, candidates: Sequence[Candidate]) -> tuple[str, ...]:
    if base is None or not candidates:
        return ()
    try:
        at = top.values.get("at") or base.resolve().watched
        places = (at,) if isinstance(at, str) else tuple(map(str, at))
        check_places(base, places)
        return places
    except ScenarioError as error:
        top.errors.found += error.errors
    except PenstockError as error:
        top.error("at", str(error))
    return ()


def _condition(value: Any, names: Sequence[str]) -> Any:
    try:
        return condition(text(value), names)
    except ValueError as error:
        raise UnitError(str(error)) from None


def _name(value: Any) -> str:
    if not re.fullmatch(r"[\w.-]{1,100}", text(value), re.ASCII) or value.startswith("."):
        raise UnitError("must be made of letters, digits, _, - and .")
    return str(value)


def _values(value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list) or not value:
        raise UnitError("must be a list of at least one value")
    return tuple(value)


def _metrics(value: Any) -> tuple[str, ...]:
    for name in (found := _texts(value)):
        last = name.rpartition(".")[2]
        if metric(last).group == "Other":
            known = [entry.name for entry in METRICS]
            raise UnitError(f'no metric "{last}"{nearest(last, known)}; penstock list metrics names them')
    return found


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(text(item) for item in _values(value))
