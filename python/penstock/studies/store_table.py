"""The runs of a study in a store as a table: a cell for each combination of axes, with a sample for each metric."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from penstock.errors import PenstockError, UnknownNameError
from penstock.results.columns import RESERVED
from penstock.results.quantity import axis_sort_key
from penstock.results.sample import RunSample
from penstock.results.short_names import full_name, paths_ending_with
from penstock.results.table import Labels, Table
from penstock.studies.database import Database
from penstock.studies.order import read_order
from penstock.studies.part import sql_literal, sql_name

__all__ = ["Choice", "StoreTable", "parse_choices"]

Choice = Mapping[str, Sequence[str]]
"""Labels, facts of runs or keys of the scenario, each with the accepted values as text."""

MAX_LISTED = 12
"""Values that a message lists."""


def parse_choices(texts: Iterable[str]) -> dict[str, list[str]]:
    """Texts such as `flows=25`, as in `--where`; several values of one path are alternatives."""
    choices: dict[str, list[str]] = {}
    for text in texts:
        path, sign, value = (part.strip() for part in text.partition("="))
        if not sign or not path:
            raise PenstockError(f"--where {text}: is not PATH=VALUE, such as scheme=red")
        choices.setdefault(path, []).append(value)
    return choices


class StoreTable:
    """The runs of one study in a store, or those of them that are chosen.

    Attributes:
        study: its name.
        axes: the labels that differ between these runs, and `scheme` if they have it.
        metrics: the columns that hold a number.

    Raises `PenstockError` if the store has several studies and none is named, or no run is left.

    """

    def __init__(self, database: Database, study: str | None = None, where: Choice | None = None) -> None:
        self.database = database
        self.study = self._study(study)
        self._names = read_order(database.folder, self.study)
        self._runs = f"runs WHERE (study IS NOT DISTINCT FROM {sql_literal(self.study)})"
        self.metrics = database.metrics
        self.axes = self._differing()
        for path, values in (where or {}).items():
            self._choose(path, values)

    def _study(self, study: str | None) -> str:
        """The named study, or the only one."""
        if study is not None:
            self.database.check_study(study)
            return study
        studies = self.database.studies()
        if len(studies) > 1:
            raise PenstockError(
                f"the store {self.database.folder} has {len(studies)} studies; "
                f"choose one with --study: {_listed(studies)}"
            )
        return studies[0]

    def _choose(self, path: str, values: Sequence[str]) -> None:
        """Keep the runs in which a label, a fact of the run or a key of the scenario has one of these values."""
        names = self.axes if paths_ending_with(path, self.axes) else [*self.database.settings, *RESERVED]
        name = full_name("label", path, names) if paths_ending_with(path, names) else None
        condition = _key_is(path, values) if name is None else self._column_is(name, values)
        before, self._runs = self._runs, f"{self._runs} AND ({condition})"
        if not self.database.select(f"SELECT 1 FROM {self._runs} LIMIT 1"):
            self._runs = before
            raise self._nothing(name, path, values)
        self.axes = self._differing()

    def _column_is(self, name: str, values: Sequence[str]) -> str:
        if self.database.columns[name] in ("VARCHAR", "BOOLEAN"):
            return f"CAST({sql_name(name)} AS VARCHAR) IN ({', '.join(map(sql_literal, values))})"
        try:
            return f"{sql_name(name)} IN ({', '.join(repr(float(value)) for value in values)})"
        except ValueError:
            raise PenstockError(f"--where {name}={values[0]}: the values of {name} are numbers") from None

    def _nothing(self, name: str | None, path: str, values: Sequence[str]) -> PenstockError:
        """The error of values that no run has."""
        alternatives = " or ".join(values)
        if name is not None:
            rows = self.database.select(f"SELECT DISTINCT {sql_name(name)} FROM {self._runs}")
            present = sorted((value for (value,) in rows), key=axis_sort_key)
            return PenstockError(f"--where {path}: no run has {name} = {alternatives}; available: {_listed(present)}")
        keys = dict(_flat(self.scenario()))
        if path in keys:
            return PenstockError(f"--where {path}: no run has {path} = {alternatives}; one has {keys[path]}")
        return UnknownNameError("label or key of the scenario", path, self.axes, keys)

    def _differing(self) -> list[str]:
        """The axes of the chosen runs."""
        names = self.database.settings
        counts = "".join(f", count(DISTINCT {sql_name(name)}), count({sql_name(name)})" for name in names)
        ((runs, *counts_of),) = self.database.select(f"SELECT count(*){counts} FROM {self._runs}")
        differing = [
            name
            for name, values, present in zip(names, counts_of[::2], counts_of[1::2], strict=True)
            if values > 1 or (values == 1 and present < runs) or (name == "scheme" and present)
        ]
        labels = [name for name in differing if name in self.database.labels]
        return labels + self._independent([name for name in differing if name not in labels], labels)

    def _independent(self, names: Sequence[str], labels: Sequence[str]) -> list[str]:
        """The settings that differ between runs with the same labels; an axis may set one under another name."""
        if not names or not labels:
            return list(names)
        counts = ", ".join(f"count(DISTINCT {sql_name(name)}) AS {sql_name(name)}" for name in names)
        largest = ", ".join(f"max({sql_name(name)})" for name in names)
        group = ", ".join(map(sql_name, labels))
        (most_values,) = self.database.select(
            f"SELECT {largest} FROM (SELECT {counts} FROM {self._runs} GROUP BY {group})"
        )
        return [name for name, values in zip(names, most_values, strict=True) if values > 1]

    def cells(self) -> int:
        """The number of combinations of the axes that have runs."""
        axes = ", ".join(map(sql_name, self.axes)) or "1"
        return int(self.database.select(f"SELECT count(*) FROM (SELECT DISTINCT {axes} FROM {self._runs})")[0][0])

    def scenario(self) -> dict[str, Any]:
        """The resolved scenario of the first of the runs."""
        return self.database.scenario(self.database.select(f"SELECT min(scenario) FROM {self._runs}")[0][0])

    def first_seed(self) -> int:
        """The smallest seed of the runs."""
        return int(self.database.select(f"SELECT min(seed) FROM {self._runs}")[0][0])

    def version(self) -> str:
        """The version of penstock that made the runs; the latest of several."""
        return str(
            self.database.select(f"SELECT max_by(penstock, string_split(penstock, '.')::INT[]) FROM {self._runs}")[0][0]
        )

    def labels(self) -> list[Labels]:
        """The labels of each cell, in the order of the axes.

        Raises `PenstockError` if runs with the same labels belong to different scenarios.
        """
        return self._grouped([])[2]

    def table(self) -> pa.Table:
        """The runs with all their columns, by cell and seed."""
        cells = {repr(list(labels.values())): number for number, labels in enumerate(self.labels())}
        rows = self.database.select_arrow(f"SELECT * FROM {self._runs} ORDER BY seed")
        axes = [rows[name].to_pylist() for name in self.axes]
        order = [cells[repr(list(values))] for values in zip(*axes, strict=True)] if axes else [0] * len(rows)
        return rows.take(pa.array(np.argsort(np.array(order, dtype=np.int64), kind="stable")))

    def scenarios(self) -> dict[str, dict[str, Any]]:
        """The resolved scenarios of the runs, by their addresses."""
        rows = self.database.select(
            f"SELECT scenario, resolved FROM scenarios WHERE scenario IN (SELECT scenario FROM {self._runs})"
        )
        return {key: json.loads(text) for key, text in rows}

    def read(self, metrics: Sequence[str]) -> Table:
        """The table with these metrics, which are columns.

        Raises `PenstockError` if runs with the same labels belong to different scenarios.
        """
        seeds, lists, cells = self._grouped(metrics)
        place = {seed: at for at, seed in enumerate(seeds)}
        rows: list[tuple[Labels, dict[str, RunSample]]] = []
        for labels, (own, *columns) in zip(cells, lists, strict=True):
            at = [place[seed] for seed in own]
            samples = {}
            for name, values in zip(metrics, columns, strict=True):
                sample = np.full(len(seeds), np.nan)
                sample[at] = [np.nan if value is None else value for value in values]
                samples[name] = RunSample(sample)
            rows.append((labels, samples))
        runs = sum(len(own) for own, *_ in lists)
        return Table(rows, runs=runs, seeds=max((len(set(own)) for own, *_ in lists), default=0))

    def _grouped(self, columns: Sequence[str]) -> tuple[list[int], list[list[list[Any]]], list[Labels]]:
        """All seeds; the seeds and the values of each cell; its labels. Cells are in the order of their labels."""
        axes = "".join(f"{sql_name(name)}, " for name in self.axes)
        lists = ", ".join(f"list({sql_name(name)} ORDER BY seed)" for name in ("seed", *columns))
        rows = self.database.select(
            f"SELECT {axes}count(DISTINCT scenario), any_value(scenario), {lists} FROM {self._runs} GROUP BY ALL"
        )
        width = len(self.axes)
        cells = [dict(zip(self.axes, row, strict=False)) for row in rows]
        mixed = next((cell for cell, row in zip(cells, rows, strict=True) if row[width] > 1), None)
        if mixed is not None:
            raise self._mixed(mixed)
        order = sorted(range(len(rows)), key=lambda at: [self._in_order(name, cells[at][name]) for name in self.axes])
        seeds = sorted({seed for row in rows for seed in row[width + 2]})
        return seeds, [list(rows[at][width + 2 :]) for at in order], [cells[at] for at in order]

    def _in_order(self, axis: str, value: Any) -> tuple[int, str, float, str]:
        """The key that sorts values of an axis: names as the study lists them, before others; the rest by size."""
        listed = self._names.get(axis, ())
        return (2, "", listed.index(value) - len(listed), "") if value in listed else axis_sort_key(value)

    def _mixed(self, labels: Labels) -> PenstockError:
        """The error of runs with the same labels that differ otherwise, with the keys that differ."""
        same = "".join(f" AND {sql_name(name)} IS NOT DISTINCT FROM {_sql(value)}" for name, value in labels.items())
        keys = [key for (key,) in self.database.select(f"SELECT DISTINCT scenario FROM {self._runs}{same} ORDER BY 1")]
        flat = [dict(_flat(self.database.scenario(key))) for key in keys[:MAX_LISTED]]
        paths = dict.fromkeys(path for tree in flat for path in tree)
        values = {path: list(dict.fromkeys(str(tree.get(path, "absent")) for tree in flat)) for path in paths}
        differing = [f"{path} ({_listed(texts)})" for path, texts in values.items() if len(texts) > 1]
        advice = "; ".join(differing[:4]) or f"scenario ({_listed(keys)})"
        return PenstockError(
            f'the study "{self.study}" has runs with the same labels that differ in other settings; '
            f"choose with --where, or keep studies in stores of their own: {advice}"
        )


def _key_is(path: str, values: Sequence[str]) -> str:
    """The condition in SQL that a key of the scenario has one of these values."""
    accepted = ", ".join(map(sql_literal, values))
    return f"scenario IN (SELECT scenario FROM scenarios WHERE resolved->>{_json_path(path)} IN ({accepted}))"


def _json_path(path: str) -> str:
    """The path of a key of the scenario in SQL."""
    return sql_literal(f"$.{'.'.join(sql_name(name) for name in path.split('.'))}")


def _flat(tree: Any, path: str = "") -> Iterable[tuple[str, Any]]:
    """The values of a scenario by their paths."""
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            yield from _flat(value, f"{path}.{key}" if path else str(key))
    else:
        yield path, tree


def _sql(value: Any) -> str:
    return "NULL" if value is None else sql_literal(value) if isinstance(value, str) else repr(value)


def _listed(values: Sequence[Any]) -> str:
    text = ", ".join(str(value) for value in values[:MAX_LISTED])
    return text + (", ..." if len(values) > MAX_LISTED else "")
