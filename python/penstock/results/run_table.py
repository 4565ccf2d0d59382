"""The base class of `Runs`: its schemes and swept values, selection of runs, and numbers as arrays."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from penstock.errors import PenstockError, UnknownNameError
from penstock.results.columns import ResultColumn, result_columns, varchar_text
from penstock.results.conclusion import MARGIN, check_margin
from penstock.results.display import setting_text
from penstock.results.distribution import is_distribution
from penstock.results.estimate import ALPHA
from penstock.results.metrics import in_catalogue_order
from penstock.results.schemes import ComparedScheme, compared_schemes
from penstock.results.short_names import full_name
from penstock.results.sweep import SweepPoint

__all__ = ["RunTable", "StudyDesign"]

CONCLUDED = ("delay_p99_s", "utilization")
"""The metrics from which conclusions are drawn."""

Json = Mapping[str, Any]
Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class StudyDesign:
    """The design of the runs in a table: scenario, schemes and swept values.

    Attributes:
        scenario: the resolved scenario of the first run.
        schemes: the schemes, each a name with its given parameters, in order.
        points: the combinations of swept values, in order; a single empty combination without a sweep.
        replaced_links: the links whose queue was replaced.
        version: version of penstock.
        aqms: keys of the code of AQMs in Python, by name.
        precision: the goal that ended the runs: `metric`, `rel_error`, `looks` and the `level` of each interval.
        warnings: settings that do not suit their link.
        scenarios: the resolved scenario of each run, by address.
        margin: see `penstock.results.conclusion.MARGIN`.
        written_scenario: the scenario as written, without defaults; None if it is unknown.

    """

    scenario: Json
    schemes: Sequence[tuple[str, Json]]
    points: Sequence[Json]
    replaced_links: Sequence[str]
    version: str
    aqms: Json = field(default_factory=dict)
    precision: Json | None = None
    warnings: Sequence[Json] = ()
    scenarios: Mapping[str, Json] = field(default_factory=dict)
    margin: float = MARGIN
    written_scenario: Json | None = field(default=None, compare=False)

    @property
    def axes(self) -> dict[str, list[Any]]:
        """The swept keys with their values."""
        axes: dict[str, list[Any]] = {}
        for path, value in (item for point in self.points for item in point.items()):
            if value not in axes.setdefault(path, []):
                axes[path].append(value)
        return axes


class RunTable:
    """The results of runs, a row per run.

    Attributes:
        table: the `pyarrow.Table`.
        design: schemes, swept values and scenario.

    """

    def __init__(self, table: pa.Table, design: StudyDesign) -> None:
        self.table, self.design = table, design

    # ---- contents ----------------------------------------------------------------------------------------------

    @cached_property
    def schemes(self) -> list[ComparedScheme]:
        """The schemes, in the order in which they were named."""
        return compared_schemes(self.design.schemes)

    @cached_property
    def points(self) -> list[SweepPoint]:
        """The combinations of swept values; a single empty combination without a sweep."""
        return [SweepPoint(point) for point in self.design.points]

    @property
    def axes(self) -> dict[str, list[Any]]:
        """The swept keys with their values."""
        return self.design.axes

    @cached_property
    def columns(self) -> list[ResultColumn]:
        """The columns with the results of a link, of traffic or of a codepoint."""
        return result_columns(self.table.column_names)

    @cached_property
    def places(self) -> list[str]:
        """The measured links and groups of traffic."""
        return list(dict.fromkeys(column.place for column in self.columns))

    @property
    def replaced_links(self) -> list[str]:
        """The links whose queue was replaced."""
        return [place for place in self.places if place in self.design.replaced_links] or self.places[:1]

    @cached_property
    def metrics(self) -> dict[str, list[str]]:
        """The metrics of each place that any run has, without distributions, in the order of the catalogue."""
        return {
            place: in_catalogue_order({c.metric for c in self._numbers if c.place == place}) for place in self.places
        }

    @cached_property
    def _numbers(self) -> list[ResultColumn]:
        """The columns with a number of any run."""
        return [c for c in self.columns if not is_distribution(c.metric) and self.table[c.name].null_count < len(self)]

    @cached_property
    def seeds(self) -> list[int]:
        """The seeds of the runs, ascending."""
        return sorted(set(self.table["seed"].to_pylist()))

    @property
    def alpha(self) -> float:
        """The probability that an interval does not cover the true value."""
        return ALPHA if self.design.precision is None else 1 - float(self.design.precision["level"])

    def __len__(self) -> int:
        return int(self.table.num_rows)

    # ---- parts of the table ------------------------------------------------------------------------------------

    def __getitem__(self, scheme: str) -> Self:
        return self.where(scheme=scheme)

    def _ipython_key_completions_(self) -> list[str]:
        return [scheme.argument for scheme in self.schemes]

    def where(self, **labels: Any) -> Self:
        """The runs with these labels: `scheme="red"`, or a swept key by its path or its last part, as in `count=20`.

        Raises `UnknownNameError` for a name or a value that the runs do not have, and `AmbiguousNameError` if
        several swept keys have this last part.
        """
        schemes, points = list(self.design.schemes), list(self.design.points)
        for name, value in labels.items():
            path = full_name("swept key", name, ["scheme", *self.axes])
            if path == "scheme":
                schemes = [self._scheme(str(value))]
                continue
            if value not in self.axes[path]:
                raise UnknownNameError(
                    f"value of {name}", setting_text(value), [setting_text(v) for v in self.axes[path]]
                )
            points = [point for point in points if point[path] == value]
        if not points:
            condition = ", ".join(f"{name} = {setting_text(value)}" for name, value in labels.items())
            raise PenstockError(f"no runs have {condition}")
        return self._part(schemes, points)

    def select(self, metrics: Collection[str]) -> Self:
        """The same runs with only `CONCLUDED` and these metrics: `METRIC` of all places, `PLACE.METRIC` of one."""
        kept = {*metrics, *CONCLUDED}
        dropped = {c.name for c in self.columns if c.metric not in kept and f"{c.place}.{c.metric}" not in kept}
        names = [name for name in self.table.column_names if name not in dropped or name in self.axes]
        return type(self)(self.table.select(names), self.design)

    def _scheme(self, name: str) -> tuple[str, Json]:
        """The scheme with this argument of `--scheme` or this label in tables."""
        labels = {key: i for i, s in enumerate(self.schemes) for key in (s.label, s.argument)}
        if name not in labels:
            raise UnknownNameError("scheme", name, [scheme.argument for scheme in self.schemes])
        return self.design.schemes[labels[name]]

    def _part(self, schemes: Sequence[tuple[str, Json]], points: Sequence[Json]) -> Self:
        """The runs of these schemes at these points."""
        scheme_at = [i for i, scheme in enumerate(self.design.schemes) if scheme in schemes]
        point_at = [i for i, point in enumerate(self.design.points) if point in points]
        rows = np.concatenate([self._rows[p, s] for p in point_at for s in scheme_at])
        design = replace(self.design, schemes=list(schemes), points=list(points))
        return type(self)(self.table.take(pa.array(rows)), design)

    # ---- numbers -----------------------------------------------------------------------------------------------

    @cached_property
    def _rows(self) -> dict[tuple[int, int], npt.NDArray[np.int64]]:
        """The row numbers by index of point and scheme, in the order of the seeds."""
        paths = list(self.design.points[0]) if self.design.points else []
        texts = {path for path in paths if pa.types.is_string(self.table.schema.field(path).type)}

        def as_stored(path: str, value: Any) -> Any:
            return varchar_text(value) if path in texts and value is not None else value

        points = {
            tuple(as_stored(path, point[path]) for path in paths): i for i, point in enumerate(self.design.points)
        }
        schemes = {scheme.argument: i for i, scheme in enumerate(self.schemes)}
        columns = [self.table[path].to_pylist() for path in paths]
        rows: dict[tuple[int, int], list[int]] = {(p, s): [] for p in points.values() for s in schemes.values()}
        for number, (scheme, *values) in enumerate(zip(self.table["scheme"].to_pylist(), *columns, strict=True)):
            rows[points[tuple(values)], schemes[scheme]].append(number)
        seeds = self.table["seed"].to_numpy()
        arrays = {at: np.array(numbers, dtype=np.int64) for at, numbers in rows.items()}
        return {at: numbers[np.argsort(seeds[numbers], kind="stable")] for at, numbers in arrays.items()}

    @cached_property
    def _cells(self) -> tuple[npt.NDArray[np.int64], ...]:
        """For each row, the index of its point, scheme and seed."""
        seed_at = {seed: i for i, seed in enumerate(self.seeds)}
        seeds = np.array([seed_at[seed] for seed in self.table["seed"].to_pylist()], dtype=np.int64)
        points, schemes = np.zeros(len(self), dtype=np.int64), np.zeros(len(self), dtype=np.int64)
        for (point, scheme), rows in self._rows.items():
            points[rows], schemes[rows] = point, scheme
        return points, schemes, seeds

    def array(self, metric: str, place: str | None = None) -> Array:
        """A metric of all runs, with the dimensions points, schemes, seeds; NaN where a run or its metric is missing.

        Without `place`, it is taken at the first place that has the metric. Raises `UnknownNameError`.
        """
        return self.column_array(self.column(metric, place).name)

    def column_array(self, column: str) -> Array:
        """The numbers of a column, in the form of `array`."""
        values = np.full((len(self.design.points), len(self.design.schemes), len(self.seeds)), np.nan)
        values[self._cells] = self.table[column].to_numpy(zero_copy_only=False).astype(float)
        return values

    def identical_schemes(self) -> list[list[ComparedScheme]]:
        """The groups of schemes that have the same number for each metric of each run, in order."""
        arrays = [self.column_array(column.name) for column in self._numbers]
        groups: dict[tuple[bytes, ...], list[ComparedScheme]] = {}
        for at, scheme in enumerate(self.schemes):
            groups.setdefault(tuple(array[:, at].tobytes() for array in arrays), []).append(scheme)
        return [group for group in groups.values() if len(group) > 1]

    def column(self, metric: str, place: str | None = None) -> ResultColumn:
        """The column of a metric; without `place`, at the first place that has it. Raises `UnknownNameError`."""
        if place is not None and place not in self.places:
            raise UnknownNameError("place", place, self.places)
        first = [*self.replaced_links, *self.places] if place is None else [place]
        for name in first:
            for column in self._numbers:
                if (column.place, column.metric) == (name, metric):
                    return column
        names = dict.fromkeys(name for where in first for name in self.metrics[where])
        raise UnknownNameError("metric", metric, names)

    def distributions(self, column: ResultColumn) -> Iterator[tuple[int, int, list[list[float]]]]:
        """The distributions of a column: point, scheme, and one list for each run that has it."""
        values = self.table[column.name]
        for (point, scheme), rows in self._rows.items():
            yield point, scheme, [shares for shares in values.take(pa.array(rows)).to_pylist() if shares]

    def cases(self) -> Iterator[tuple[int, int, str]]:
        """For each point and scheme with runs: their indices and the content address of the scenario."""
        scenarios = self.table["scenario"]
        for (point, scheme), rows in self._rows.items():
            if len(rows):
                yield point, scheme, scenarios[int(rows[0])].as_py()

    def with_margin(self, margin: float) -> Self:
        """These runs, with another margin for the conclusions about the best scheme.

        A scheme can be the best if its mean utilization is within `margin` (a fraction, from 0 to 1) of the highest.
        """
        check_margin(margin)
        return type(self)(self.table, replace(self.design, margin=margin))

    def with_warnings(self, warnings: Sequence[Json]) -> Self:
        """The same runs with warnings about their settings, which JSON and page show."""
        return type(self)(self.table, replace(self.design, warnings=list(warnings)))
