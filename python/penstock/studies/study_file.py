"""Study files: a scenario, axes, schemes and seeds in TOML, as a `Study`.

name = "buffers"
base = "thesis_link.toml"                  # scenario file relative to this file; or a list of files; or an inline table
load = ["my_pid.py"]                       # files with AQMs in Python
schemes = ["droptail", "red:gentle=true"]  # each replaces the queue of the watched links; "all": every complete scheme
at = ["bottleneck"]                        # the links whose queue is replaced; default: the watched links
seeds = 30                                 # runs per cell, with consecutive seeds, starting with the scenario's seed
metrics = ["delay_mean_s", "utilization"]  # in the summary; default: utilization, mean delay, loss rate
where = "flows <= 50"                      # cells that are left out make this false

[axes]
"links.bottleneck.rate" = ["2Mbit", "10Mbit"]             # a path of the scenario
flows = { path = "traffic.bulk.count", values = [5, 50] } # a path under a short name
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from penstock.aqms import python_aqm
from penstock.errors import ErrorCollector, PenstockError, ScenarioError, did_you_mean, toml_type_name
from penstock.results.columns import RESERVED
from penstock.results.metrics import METRICS, find_metric
from penstock.scenario.document import Document, read_toml_tree
from penstock.scenario.resolve import resolve
from penstock.scenario.resolve.reader import REQUIRED, Table, parse_string, whole_number_parser
from penstock.scenario.scheme_text import resolve_scheme_alias
from penstock.studies.candidate import ALL, Candidate
from penstock.studies.plan import check_places, with_candidate_queue, with_default_watches
from penstock.studies.study import Study
from penstock.studies.study_bases import BASE, check_seeds, read_base_scenarios
from penstock.studies.where import parse_condition
from penstock.units import UnitError

__all__ = ["StudyFile"]

KEYS = ("name", BASE, "load", "at", "schemes", "seeds", "metrics", "where", "axes")
SUMMARIZED = ("utilization", "delay_mean_s", "loss_rate")
SCHEME = "scheme"
SEEDS = 5
"""Default number of runs of each cell."""
MAX_SEEDS = 10_000_000


@dataclass(frozen=True)
class StudyAxis:
    """An axis: the paths that take each of its values."""

    name: str
    paths: tuple[str, ...]
    values: tuple[Any, ...]


@dataclass(frozen=True)
class StudyFile:
    """A study as its file describes it.

    Attributes:
        study: to be run.
        metrics: the metrics of the summary: `METRIC` of all places, `PLACE.METRIC` of one.
        tree: the file as plain values.
        bases: the base scenarios by label.
        candidates: the schemes; empty if the scenarios keep their own.

    """

    study: Study
    metrics: tuple[str, ...]
    tree: Mapping[str, Any]
    bases: Mapping[str, Document]
    candidates: tuple[Candidate, ...]

    @classmethod
    def read(
        cls, path: str | Path, changes: Mapping[str, Any] | None = None, settings: Iterable[str] = ()
    ) -> StudyFile:
        """Read a file. Raises `ScenarioError` with every error, each with its line.

        `changes` override keys of the file; their axes are added to the axes of the file. `settings` are texts
        `PATH=VALUE`, as after `--set`, and apply to the base scenarios.
        """
        tree, origins = read_toml_tree(path)
        return cls.from_tree(
            {"name": Path(path).stem, **_changed(tree, changes or {})}, origins, Path(path).parent, settings
        )

    @classmethod
    def from_tree(
        cls, tree: Mapping[str, Any], origins: Mapping[str, str], folder: Path = Path(), settings: Iterable[str] = ()
    ) -> StudyFile:
        """From plain values; `folder` is that of relative paths. Raises `ScenarioError` with every error."""
        errors = ErrorCollector(origins)
        top = Table(errors, "", tree)
        top.check_keys(KEYS)
        name = top.parse_key("name", _name, "study")
        _load(top, folder)
        bases = read_base_scenarios(top, folder, settings)
        axes = _axes(top)
        candidates = _candidates(top)
        names = [*([BASE] if len(bases) > 1 else []), *(axis.name for axis in axes), *([SCHEME] if candidates else [])]
        where = top.parse_key("where", lambda value: _condition(value, names))
        seeds = top.parse_key("seeds", whole_number_parser(1, MAX_SEEDS), SEEDS)
        metrics = top.parse_key("metrics", _metrics, SUMMARIZED)
        places = {label: _places(top, base, candidates) for label, base in bases.items()}
        first_seed = check_seeds(top, bases)
        if errors.details:
            raise ScenarioError(errors.details)
        watched = {
            label: with_default_watches(base, resolve(base.tree)) if candidates else base
            for label, base in bases.items()
        }
        cells = _Cells(watched, axes, {candidate.label: candidate for candidate in candidates}, places)
        vary = {BASE: tuple(bases)} if len(bases) > 1 else {}
        vary |= {axis.name: axis.values for axis in axes} | ({SCHEME: tuple(cells.candidates)} if candidates else {})
        study = Study(cells, vary, seeds=seeds, where=where, name=name, first_seed=first_seed)
        if not any(True for _ in study.points_with_studies()):
            top.add_error("where", "leaves no cell")
            raise ScenarioError(errors.details)
        return cls(study, tuple(metrics), tree, bases, candidates)

    def cells(self) -> int:
        """Number of cells."""
        if self.study.where is None:
            return self.study.max_runs // self.study.seeds
        return sum(1 for _ in self.study.points_with_studies())


@dataclass(frozen=True)
class _Cells:
    """Makes the scenario of a cell from its labels."""

    bases: Mapping[str, Document]
    axes: Sequence[StudyAxis]
    candidates: Mapping[str, Candidate]
    replaced_links: Mapping[str, Sequence[str]]
    """The links whose queue a scheme replaces, by the label of the base; none without schemes."""
    _cached: list[tuple[Any, Document]] = field(default_factory=list, init=False, repr=False, compare=False)
    """Cache of partial scenarios: the base of the last cell, then the value of each axis and the scenario with it. From
    cell to cell, usually only the last axis changes."""

    def __call__(self, **labels: Any) -> Document:
        base = labels[BASE] if len(self.bases) > 1 else next(iter(self.bases))
        if not self._cached or self._cached[0][0] is not base:
            self._cached[:] = [(base, self.bases[base])]
        document = self._cached[0][1]
        for depth, axis in enumerate(self.axes, start=1):
            value = labels[axis.name]
            if depth < len(self._cached) and self._cached[depth][0] is value:
                document = self._cached[depth][1]
                continue
            for path in axis.paths:
                document = document.set(path, value, f"axis {axis.name}")
            self._cached[depth:] = [(value, document)]
        if SCHEME in labels and self.candidates:
            document = with_candidate_queue(document, self.candidates[labels[SCHEME]], self.replaced_links[base])
        return document


def _changed(tree: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The tree with some keys overridden and axes added."""
    axes = {**tree.get("axes", {}), **changes.get("axes", {})} if isinstance(tree.get("axes", {}), Mapping) else None
    return {**tree, **changes, **({"axes": axes} if axes else {})}


def _load(top: Table, folder: Path) -> None:
    """Load the files with AQMs in Python, so that their names are known."""
    for file in top.parse_key("load", _text_list, ()) or ():
        try:
            python_aqm.load_aqm_file(folder / file)
        except PenstockError as error:
            top.add_error("load", str(error))


def _axes(top: Table) -> list[StudyAxis]:
    axes: list[StudyAxis] = []
    table = top.inner_table("axes")
    for name, value in (table.values if table else {}).items():
        assert table is not None
        if isinstance(value, Mapping):
            inner = Table(top.errors, table.key_path(name), value)
            inner.check_keys(("path", "paths", "values"))
            paths = (
                (inner.parse_key("path", parse_string),)
                if "path" in value
                else inner.parse_key("paths", _text_list, REQUIRED)
            )
            values = inner.parse_key("values", _values, REQUIRED)
        else:
            paths, values = (name,), table.parse_key(name, _values)
        if name in (*RESERVED, SCHEME, BASE):
            table.add_error(name, "cannot be the name of an axis: a column of every table of results has it")
        axes.append(StudyAxis(name, tuple(paths or ()), tuple(values or ())))
    return axes


def _candidates(top: Table) -> tuple[Candidate, ...]:
    entries = top.parse_key("schemes", _schemes, ())
    try:
        return Candidate.from_schemes(map(_candidate, entries)) if entries else ()
    except ScenarioError as error:
        top.errors.details += (replace(detail, origin=top.errors.origin("schemes")) for detail in error.errors)
    return ()


def _schemes(value: Any) -> tuple[Any, ...]:
    """The entries of `schemes`: texts as after `--scheme`, or tables as for `queue`."""
    if value == ALL:
        return (ALL,)
    if not isinstance(value, list) or not value:
        raise UnitError(f'must be "{ALL}", or a list of schemes such as ["droptail", "red:gentle=true"]')
    for entry in value:
        if not isinstance(entry, (str, Mapping)):
            raise UnitError(f"a scheme must be a string or a table, not {toml_type_name(entry)}")
        if isinstance(entry, Mapping) and not isinstance(entry.get("scheme"), str):
            raise UnitError('the table of a scheme needs a name, such as { scheme = "red", gentle = true }')
    return tuple(value)


def _candidate(entry: Any) -> Candidate | str:
    """A table as a candidate; texts are parsed later, to report the errors of all of them."""
    if not isinstance(entry, Mapping):
        return str(entry)
    params = {key: value for key, value in entry.items() if key != "scheme"}
    return Candidate(resolve_scheme_alias(entry["scheme"], "schemes"), params, "schemes")


def _places(top: Table, base: Document, candidates: Sequence[Candidate]) -> tuple[str, ...]:
    if not candidates:
        return ()
    try:
        at = top.values.get("at") or base.resolve().watched
        places = (at,) if isinstance(at, str) else tuple(map(str, at))
        check_places(base, places)
        return places
    except ScenarioError as error:
        top.errors.details += error.errors
    except PenstockError as error:
        top.add_error("at", str(error))
    return ()


def _condition(value: Any, names: Sequence[str]) -> Any:
    try:
        return parse_condition(parse_string(value), names)
    except ValueError as error:
        raise UnitError(str(error)) from None


def _name(value: Any) -> str:
    if not re.fullmatch(r"[\w.-]{1,100}", parse_string(value), re.ASCII) or value.startswith("."):
        raise UnitError("must be made of letters, digits, _, - and .")
    return str(value)


def _values(value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list) or not value:
        raise UnitError("must be a list of at least one value")
    return tuple(value)


def _metrics(value: Any) -> tuple[str, ...]:
    for name in (metrics := _text_list(value)):
        last = name.rpartition(".")[2]
        if find_metric(last).group == "Other":
            names = [entry.name for entry in METRICS]
            raise UnitError(f'no metric "{last}"{did_you_mean(last, names)}; penstock explain metrics lists them')
    return metrics


def _text_list(value: Any) -> tuple[str, ...]:
    return tuple(parse_string(item) for item in _values(value))
