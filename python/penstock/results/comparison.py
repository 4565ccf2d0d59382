"""The result of `compare`: schemes side by side, addressable by scheme, point of the sweep, place and metric."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypedDict, cast

from penstock.errors import PenstockError, UnknownNameError
from penstock.files import read_json
from penstock.results.best_candidate import Lead
from penstock.results.conclusion import MARGIN, LinkConclusions, PointConclusion
from penstock.results.display import setting_text
from penstock.results.distribution import DistributionBin, parse_bin
from penstock.results.estimate import Estimate
from penstock.results.estimates import difference_estimates, mean_estimates
from penstock.results.grid import STYLE, TextTable, comparison_grids, format_tables, html_table
from penstock.results.metrics import in_catalogue_order
from penstock.results.ranking import Ranking
from penstock.results.run_table import RunTable
from penstock.results.schemes import ComparedScheme, compared_schemes
from penstock.results.sweep import SweepPoint

__all__ = ["Comparison", "EstimateRow"]

Json = Mapping[str, Any]


class EstimateRow(TypedDict):
    """A number with its scheme, swept values, place and metric: mean, standard deviation and 95 % interval.

    `sd` and `ci95` are None for a single run.
    """

    scheme: str
    params: Mapping[str, Any]
    vary: Mapping[str, Any]
    place: str
    metric: str
    mean: float
    sd: float | None
    ci95: list[float] | None
    runs: int


class Comparison:
    """The statistics of runs that texts, JSON and pages show.

    Attributes:
        rows: one row per number, as in the JSON.
        differences: the paired differences to the first scheme, rows with `against` and `against_params`.
        scenario: the resolved scenario.
        measured_links: the measured links, the busiest one first.

    """

    def __init__(
        self,
        result: Json,
        *,
        runs: RunTable | None = None,
    ) -> None:
        self._result, self._runs = result, runs
        self.rows: Sequence[EstimateRow] = result["rows"]
        self.difference_rows: Sequence[Json] = result.get("differences") or ()
        self.scenario: Json = result["scenario"]
        links = set(self.scenario.get("links") or {})
        measured = [name for name in self.places if name.removesuffix(".reverse") in links]
        self.measured_links = measured or self.places[:1]

    @classmethod
    def from_runs(cls, runs: RunTable) -> Comparison:
        """The statistics of these runs."""
        design = runs.design
        result: dict[str, Any] = {
            "penstock": design.version,
            "scenario": design.scenario,
            **({"aqms": design.aqms} if design.aqms else {}),
            **({"precision": design.precision} if design.precision else {}),
            "rows": mean_estimates(runs, runs.columns).rows,
            "differences": difference_estimates(runs, runs.columns, 0).rows,
            "margin": design.margin,
            **({"warnings": list(design.warnings)} if design.warnings else {}),
        }
        return cls(result, runs=runs)

    @classmethod
    def load(cls, file: str | Path) -> Comparison:
        """Read the JSON of `penstock compare --json` or `to_json`."""
        return cls(read_json(file))

    def to_dict(self) -> dict[str, Any]:
        """As `penstock compare --json` writes it."""
        if self._runs is None:
            return dict(self._result)
        return {
            **self._result,
            **self.ranking.to_dict([s.argument for s in self.schemes], [point.vary for point in self.points]),
        }

    @property
    def warnings(self) -> Sequence[Json]:
        """Settings that do not suit their link: `scheme`, `place`, `says`, `advice`, `source`."""
        return self._result.get("warnings") or ()

    @cached_property
    def ranking(self) -> Ranking:
        """The leading schemes in each metric, and the conclusions about each link."""
        if self._runs is not None:
            return Ranking.from_runs(self._runs, self.row)
        scheme_at = {scheme.argument: i for i, scheme in enumerate(self.schemes)}
        return Ranking.from_json(self._result, scheme_at, lambda vary: self._point_at[_key(vary)])

    @property
    def margin(self) -> float:
        """Maximum distance from the highest utilization at which a scheme can be the best."""
        return float(self._result.get("margin", MARGIN))

    @property
    def conclusion(self) -> str:
        """The conclusion about the busiest link: over all settings and at the first one; empty with a single scheme."""
        return self.ranking.conclusion

    def conclusions_at(self, place: str) -> LinkConclusions:
        """The conclusions about a link; empty texts for any other place."""
        return self.ranking.conclusions.get(place) or LinkConclusions("", [PointConclusion()] * len(self.points))

    def to_json(self) -> str:
        """The JSON text: the same bytes for the same scenario, seeds and version, on any number of threads."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n"

    @cached_property
    def runs(self) -> int:
        """The number of runs of each scheme at each point."""
        return max((row["runs"] for row in self.rows if parse_bin(row["metric"]) is None), default=0)

    @property
    def interval_correction(self) -> str:
        """The correction of the intervals, if a precision was requested: `corrected for up to 5 looks`."""
        looks = len((self._result.get("precision") or {}).get("looks", ()))
        return f"corrected for up to {looks} looks" if looks > 1 else ""

    @cached_property
    def schemes(self) -> list[ComparedScheme]:
        """The schemes, in the order in which they were named."""
        return compared_schemes(self._distinct[0].values())

    @cached_property
    def points(self) -> list[SweepPoint]:
        """The combinations of swept values; one without values if nothing was swept."""
        return [SweepPoint(vary) for vary in self._distinct[1].values()]

    @cached_property
    def places(self) -> list[str]:
        """The measured links, the busiest one first, and groups of traffic."""
        places = dict.fromkeys(str(row["place"]) for row in self.rows)
        return [*self.ranking.conclusions, *(place for place in places if place not in self.ranking.conclusions)]

    @cached_property
    def metrics(self) -> dict[str, list[str]]:
        """The metrics of each place, without distributions, in the order of the catalogue."""
        return {place: in_catalogue_order({m for _, _, p, m in self.cells if p == place}) for place in self.places}

    @cached_property
    def cells(self) -> dict[tuple[int, int, str, str], Estimate]:
        """The number for each index of a scheme, index of a point, place and metric."""
        return {(*where, metric): cell for (where, metric), cell in self._numbers if parse_bin(metric) is None}

    @cached_property
    def distributions(self) -> dict[tuple[int, int, str, str], dict[DistributionBin, Estimate]]:
        """The distribution for each index of a scheme, index of a point, place and name."""
        distributions: dict[tuple[int, int, str, str], dict[DistributionBin, Estimate]] = {}
        for (where, name), cell in self._numbers:
            share = parse_bin(name)
            if share is not None:
                distributions.setdefault((*where, share.name), {})[share] = cell
        return distributions

    @cached_property
    def paired_intervals(self) -> dict[tuple[int, str, str], dict[tuple[int, int], tuple[float, float]]]:
        """The interval of the paired difference of two schemes, in both orders, for each point, place and metric."""
        intervals: dict[tuple[int, str, str], dict[tuple[int, int], tuple[float, float]]] = {}
        for row in self.difference_rows:
            if row["ci95"] is None:
                continue
            scheme, point = self._position(row)
            other = self._scheme_at[_key((row["against"], row.get("against_params") or {}))]
            low, high = row["ci95"]
            pairs = intervals.setdefault((point, row["place"], row["metric"]), {})
            pairs[scheme, other] = (low, high)
            pairs[other, scheme] = (-high, -low)
        return intervals

    @cached_property
    def _numbers(self) -> list[tuple[tuple[tuple[int, int, str], str], Estimate]]:
        numbers = []
        for row, (scheme, point) in zip(self.rows, self._distinct[2], strict=True):
            where = (self._scheme_at[scheme], self._point_at[point], str(row["place"]))
            numbers.append(((where, str(row["metric"])), Estimate.from_row(row)))
        return numbers

    @cached_property
    def _distinct(self) -> tuple[dict[str, tuple[str, Json]], dict[str, Json], list[tuple[str, str]]]:
        """The distinct schemes and swept values by key, in the order of the rows; and the two keys of each row."""
        schemes: dict[str, tuple[str, Json]] = {}
        points: dict[str, Json] = {}
        key_of: dict[str, str] = {}  # `repr` is faster than `_key`, which runs once per text
        keys = []
        for row in self.rows:
            scheme, vary = (row["scheme"], row.get("params") or {}), row.get("vary") or {}
            scheme_key, point_key = (
                key_of.get(text := repr(item)) or key_of.setdefault(text, _key(item)) for item in (scheme, vary)
            )
            schemes.setdefault(scheme_key, scheme)
            points.setdefault(point_key, vary)
            keys.append((scheme_key, point_key))
        return schemes, points, keys

    @cached_property
    def _scheme_at(self) -> dict[str, int]:
        return {key: i for i, key in enumerate(self._distinct[0])}

    @cached_property
    def _point_at(self) -> dict[str, int]:
        return {key: i for i, key in enumerate(self._distinct[1])}

    def _position(self, row: EstimateRow | Json) -> tuple[int, int]:
        scheme = self._scheme_at[_key((row["scheme"], row.get("params") or {}))]
        return scheme, self._point_at[_key(row.get("vary") or {})]

    def cell(self, scheme: int, point: int, place: str, metric: str) -> Estimate | None:
        """The number of a scheme at a point, place and metric."""
        return self.cells.get((scheme, point, place, metric))

    def row(self, point: int, place: str, metric: str) -> list[Estimate | None]:
        """One metric for all schemes."""
        return [self.cell(s, point, place, metric) for s in range(len(self.schemes))]

    def leading_schemes(self, point: int, place: str, metric: str) -> list[Lead]:
        """The best scheme, and those that cannot be separated from it.

        All statements about a metric at a place are jointly true with probability 95 %; see `LeadingSchemes`.
        """
        leading = self.ranking.leading.get((place, metric))
        front = () if leading is None else leading.leaders_by_point.get(point, ())
        mark: Lead = "best" if len(front) == 1 else "shared"
        return [mark if scheme in front else "" for scheme in range(len(self.schemes))]

    def point(self, **vary: Any) -> int:
        """The number of the only point of the sweep at these values of swept keys, named by their last part or path.

        Raises `UnknownNameError` for a key or value that was not swept, and `PenstockError` if several points fit.
        """
        if not self.points:
            raise PenstockError("the comparison is empty")
        paths = {name: path for path in self.points[0].vary for name in (path, path.rsplit(".", 1)[-1])}
        for key, value in vary.items():
            if key not in paths:
                raise UnknownNameError("swept key", key, paths)
            values = [point.vary[paths[key]] for point in self.points]
            if value not in values:
                raise UnknownNameError(f"value of {key}", setting_text(value), dict.fromkeys(map(setting_text, values)))
        fitting = [
            i for i, point in enumerate(self.points)
            if all(point.vary[paths[key]] == value for key, value in vary.items())
        ]  # fmt: skip
        if not fitting:
            raise PenstockError(
                f"no point of the sweep has {', '.join(f'{k} = {setting_text(v)}' for k, v in vary.items())}"
            )
        if len(fitting) > 1:
            several = "; ".join(self.points[i].label for i in fitting[:6])
            raise PenstockError(f"{len(fitting)} points of the sweep fit; choose one: {several}")
        return fitting[0]

    def identical_schemes(self) -> list[tuple[int, list[int]]]:
        """The schemes whose runs are all equal, because nothing is random, each with the points where this is so."""
        if self.runs < 2:
            return []
        varied = {(s, p) for (s, p, _, _), cell in self.cells.items() if not cell.is_constant}
        alike = [[p for p in range(len(self.points)) if (s, p) not in varied] for s in range(len(self.schemes))]
        return [(s, points) for s, points in enumerate(alike) if points]

    def _grids(self) -> list[TextTable]:
        return comparison_grids(cast(Sequence[Json], self.rows), self.difference_rows, self.measured_links, self.runs)

    def __repr__(self) -> str:
        return format_tables(self._grids()) + "".join(f"\n{note}\n" for note in self._notes())

    def _repr_html_(self) -> str:
        notes = (f"<p>{html.escape(note)}</p>" for note in self._notes())
        return f'{STYLE}<div class="penstock">{"".join([*map(html_table, self._grids()), *notes])}</div>'

    def _notes(self) -> list[str]:
        """The lines below the tables."""
        corrected = f"95 % intervals, {self.interval_correction}." if self.interval_correction else ""
        return [note for note in (self.conclusion, corrected, self._identical_note()) if note]

    def _identical_note(self) -> str:
        alike = []
        for s, points in self.identical_schemes():
            at = [] if len(points) == len(self.points) else [self.points[p].label for p in points]
            alike.append(self.schemes[s].argument + (f" at {', '.join(at)}" if at else ""))
        return f"All {self.runs} runs are identical, because nothing is random: {'; '.join(alike)}." if alike else ""


_key = json.JSONEncoder(sort_keys=True, default=str).encode
"""A text that is the same for equal values."""
