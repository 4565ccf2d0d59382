"""The result of `compare`: schemes side by side, addressable by scheme, point of the sweep, place and metric."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, TypedDict, cast

from penstock.errors import PenstockError, UnknownNameError
from penstock.laws.catalog import schemes as known_schemes
from penstock.results import svg_chart
from penstock.results.cell import Cell, Lead, drawn
from penstock.results.display import scale_for, scheme_argument, setting
from penstock.results.distribution import Bin, parse_bin
from penstock.results.frames import to_arrow, to_pandas
from penstock.results.grid import COLUMNS, STYLE, comparison_grids, comparison_html, text
from penstock.results.leading import Leading, Values, difference_data, from_means, from_runs, run_values
from penstock.results.metrics import metric, order
from penstock.results.quantity import numeric
from penstock.results.simultaneous import adjusted_alpha
from penstock.results.summary import ALPHA, summarize
from penstock.results.sweep import SweepPoint, axis
from penstock.results.trade_off import Standing, among_the_best, conclusion, over_settings, standings

__all__ = ["ComparedScheme", "Comparison", "Row"]

Json = Mapping[str, Any]


class Row(TypedDict):
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


@dataclass(frozen=True)
class ComparedScheme:
    """A scheme with its given parameters.

    `suffix` distinguishes it from others of its name; `title` is its name in the literature with that suffix.
    """

    name: str
    params: Mapping[str, Any]
    suffix: str
    title: str

    @property
    def label(self) -> str:
        """The name for display, with the parameters that distinguish the scheme from others of the same name."""
        return f"{self.name} {self.suffix}".strip()

    @property
    def given(self) -> str:
        """The given parameters: `max_p=0.2, gentle=true`."""
        return ", ".join(f"{key}={setting(value)}" for key, value in self.params.items())

    @property
    def argument(self) -> str:
        """The scheme as after `--scheme`."""
        return scheme_argument(self.name, self.params)


class Comparison:
    """The result of `compare`.

    Attributes:
        rows: one row per number, as in the JSON.
        differences: the paired differences to the first scheme, rows with `against` and `against_params`.
        scenario: the resolved scenario.
        at: links whose queue was replaced; for a comparison read from JSON, all measured links.

    """

    def __init__(
        self,
        result: Json,
        *,
        at: Sequence[str] = (),
        run_rows: Callable[[], list[dict[str, Any]]] | None = None,
        run_series: Callable[[int | None, int | None], list[dict[str, Any]]] | None = None,
    ) -> None:
        self._result = result
        self._run_rows, self._run_series = run_rows, run_series
        self.rows: Sequence[Row] = result["rows"]
        self.differences: Sequence[Json] = result.get("differences") or ()
        self.scenario: Json = result["scenario"]
        links = {name.removesuffix(".reverse") for name in self.places} & set(self.scenario.get("links") or {})
        measured = [name for name in self.places if name.removesuffix(".reverse") in links]
        self.at = [name for name in self.places if name in at] or measured or self.places[:1]

    @classmethod
    def load(cls, file: str | Path) -> Comparison:
        """Read the JSON of `penstock compare --json` or `to_json`."""
        return cls(json.loads(Path(file).read_text(encoding="utf-8")))

    def to_dict(self) -> dict[str, Any]:
        """As `penstock compare --json` writes it."""
        if self._run_rows is None:
            return dict(self._result)
        return {
            **self._result,
            "conclusion": self.conclusion,
            "leaders": [self._leading_row(leading) for leading in self.leading.values()],
        }

    def with_warnings(self, warnings: Sequence[Json]) -> Comparison:
        """A copy with warnings about the settings, as its JSON and page have them."""
        result = {**self._result, "warnings": list(warnings)}
        return Comparison(result, at=self.at, run_rows=self._run_rows, run_series=self._run_series)

    @property
    def warnings(self) -> Sequence[Json]:
        """Settings that do not suit their link: `scheme`, `place`, `says`, `advice`, `source`."""
        return self._result.get("warnings") or ()

    @cached_property
    def conclusion(self) -> str:
        """The trade-off of delay and utilization at the first link that has them; empty of one scheme.

        Of a sweep, at how many points each scheme is among the best, and the trade-off at the first point, with the
        decimals of a table of all points.
        """
        if not self.points:
            return ""
        all_points = (self._standings(point, self._concluded).values() for point in range(len(self.points)))
        return f"{self.conclusion_over_all} {self._trade_off(0, list(chain.from_iterable(all_points)))}".strip()

    @cached_property
    def conclusion_over_all(self) -> str:
        """At how many points of a sweep each scheme is among the best of the trade-off; empty without a sweep."""
        found = [self.among_the_best(point, self._concluded) for point in range(len(self.points))]
        return over_settings([scheme.label for scheme in self.schemes], found) if len(found) > 1 and any(found) else ""

    def conclusion_at(self, point: int) -> str:
        """The trade-off at the point with this index, with the decimals of a table of this point."""
        return self._trade_off(point)

    def _trade_off(self, point: int, table: Sequence[Standing] | None = None) -> str:
        """The trade-off at a point, with the decimals of a table of these standings, else of the point."""
        place = self._concluded
        at = f" at {self.points[point].words.removeprefix(f'{place} ')}" if len(self.points) > 1 else ""
        delays = [cell.mean for (*_, on, name), cell in self.cells.items() if (on, name) == (place, "delay_mean_s")]
        scale = scale_for("time", delays)
        return conclusion(place + at, self._standings(point, place), scale, table)

    def among_the_best(self, point: int, place: str) -> list[int]:
        """The schemes that keep a link busy and that no other one beats in delay and utilization, by index."""
        return among_the_best(self._standings(point, place))

    @cached_property
    def _concluded(self) -> str:
        """The place that conclusions speak of: the first with the delay and utilization of several schemes."""
        points = range(len(self.points))
        known = (place for place in self.at if any(len(self._standings(point, place)) > 1 for point in points))
        return next(known, self.at[0] if self.at else "")

    def _standings(self, point: int, place: str) -> dict[int, Standing]:
        """Delay and utilization of the schemes that have both, by their index."""
        return standings([s.label for s in self.schemes], lambda s, name: self.cell(s, point, place, name))

    def to_json(self) -> str:
        """The JSON text: the same bytes for the same scenario, seeds and version, on any number of threads."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n"

    @cached_property
    def runs(self) -> int:
        """The number of runs of each scheme at each point."""
        return max((row["runs"] for row in self.rows if parse_bin(row["metric"]) is None), default=0)

    @property
    def correction(self) -> str:
        """What the intervals are corrected for, if a precision was asked for: `corrected for up to 5 looks`."""
        looks = len((self._result.get("precision") or {}).get("looks", ()))
        return f"corrected for up to {looks} looks" if looks > 1 else ""

    @cached_property
    def schemes(self) -> list[ComparedScheme]:
        """The schemes, in the order in which they were named."""
        given = list(self._distinct[0].values())
        titles = {scheme.name: scheme.title for scheme in known_schemes()}
        found = []
        for name, params in given:
            rivals = [other for rival, other in given if rival == name]
            distinct = [key for key in params if any(rival.get(key) != params[key] for rival in rivals)]
            suffix = ", ".join(key if params[key] is True else f"{key}={setting(params[key])}" for key in distinct)
            title = titles.get(name, name)
            found.append(ComparedScheme(name, params, suffix, f"{title}, {suffix}" if suffix else title))
        return found

    @cached_property
    def points(self) -> list[SweepPoint]:
        """The combinations of swept values; one without values if nothing was swept."""
        return [SweepPoint(vary) for vary in self._distinct[1].values()]

    @cached_property
    def places(self) -> list[str]:
        """The measured links and groups of traffic."""
        return list(dict.fromkeys(str(row["place"]) for row in self.rows))

    @cached_property
    def metrics(self) -> dict[str, list[str]]:
        """The metrics of each place, without distributions, in the order of the catalogue."""
        return {place: order({m for _, _, p, m in self.cells if p == place}) for place in self.places}

    @cached_property
    def cells(self) -> dict[tuple[int, int, str, str], Cell]:
        """The number for each index of a scheme, index of a point, place and metric."""
        return {(*where, metric): cell for (where, metric), cell in self._numbers if parse_bin(metric) is None}

    @cached_property
    def distributions(self) -> dict[tuple[int, int, str, str], dict[Bin, Cell]]:
        """The distribution for each index of a scheme, index of a point, place and name."""
        found: dict[tuple[int, int, str, str], dict[Bin, Cell]] = {}
        for (where, name), cell in self._numbers:
            share = parse_bin(name)
            if share is not None:
                found.setdefault((*where, share.name), {})[share] = cell
        return found

    @cached_property
    def paired(self) -> dict[tuple[int, str, str], dict[tuple[int, int], tuple[float, float]]]:
        """The interval of the paired difference of two schemes, in both orders, for each point, place and metric."""
        found: dict[tuple[int, str, str], dict[tuple[int, int], tuple[float, float]]] = {}
        for row in self.differences:
            if row["ci95"] is None:
                continue
            one, point = self._position(row)
            other = self._scheme_at[_key((row["against"], row.get("against_params") or {}))]
            low, high = row["ci95"]
            pairs = found.setdefault((point, row["place"], row["metric"]), {})
            pairs[one, other] = (low, high)
            pairs[other, one] = (-high, -low)
        return found

    @cached_property
    def _numbers(self) -> list[tuple[tuple[tuple[int, int, str], str], Cell]]:
        found = []
        for row, (scheme, point) in zip(self.rows, self._distinct[2], strict=True):
            low, high = row["ci95"] or (None, None)
            mean = float("nan") if row["mean"] is None else float(row["mean"])
            where = (self._scheme_at[scheme], self._point_at[point], str(row["place"]))
            found.append(((where, str(row["metric"])), Cell(mean, low, high, row["runs"])))
        return found

    @cached_property
    def _distinct(self) -> tuple[dict[str, tuple[str, Json]], dict[str, Json], list[tuple[str, str]]]:
        """The schemes and the swept values in the order of the rows, by their keys, and both keys of each row."""
        schemes: dict[str, tuple[str, Json]] = {}
        points: dict[str, Json] = {}
        known: dict[str, str] = {}  # for each text of Python, which is made faster
        keys = []
        for row in self.rows:
            scheme, vary = (row["scheme"], row.get("params") or {}), row.get("vary") or {}
            one, other = (
                known.get(text := repr(item)) or known.setdefault(text, _key(item)) for item in (scheme, vary)
            )
            schemes.setdefault(one, scheme)
            points.setdefault(other, vary)
            keys.append((one, other))
        return schemes, points, keys

    @cached_property
    def _scheme_at(self) -> dict[str, int]:
        return {key: i for i, key in enumerate(self._distinct[0])}

    @cached_property
    def _point_at(self) -> dict[str, int]:
        return {key: i for i, key in enumerate(self._distinct[1])}

    def _position(self, row: Row | Json) -> tuple[int, int]:
        scheme = self._scheme_at[_key((row["scheme"], row.get("params") or {}))]
        return scheme, self._point_at[_key(row.get("vary") or {})]

    def cell(self, scheme: int, point: int, place: str, metric: str) -> Cell | None:
        """The number of a scheme at a point, place and metric."""
        return self.cells.get((scheme, point, place, metric))

    def row(self, point: int, place: str, metric: str) -> list[Cell | None]:
        """One metric for all schemes."""
        return [self.cell(s, point, place, metric) for s in range(len(self.schemes))]

    def leads(self, point: int, place: str, metric: str) -> list[Lead]:
        """The best scheme, and those that cannot be separated from it.

        All statements about a place hold together with probability 95 %; see `penstock.results.leading`.
        """
        leading = self.leading.get(place)
        front = () if leading is None else leading.fronts.get((metric, point), ())
        mark: Lead = "best" if len(front) == 1 else "shared"
        return [mark if scheme in front else "" for scheme in range(len(self.schemes))]

    @cached_property
    def leading(self) -> dict[str, Leading]:
        """The leading schemes of each place, for all metrics with a direction and all points."""
        if self.runs < 2:
            return {}
        if self._run_rows is not None:
            names = [(p, name) for p in self.places for name in self.metrics[p] if metric(name).better]
            found = from_runs(self._values(names), self.row, self._alpha)
        elif "leaders" in self._result:
            found = [self._leading_of(row) for row in self._result["leaders"]]
        else:
            found = from_means(self.cells, self.paired, (len(self.points), len(self.schemes)), self._alpha)
        return {leading.place: leading for leading in found}

    def _leading_row(self, leading: Leading) -> dict[str, Any]:
        best = [
            {
                "metric": name,
                "vary": dict(self.points[point].vary),
                "schemes": [self.schemes[scheme].argument for scheme in front],
            }
            for (name, point), front in leading.fronts.items()
        ]
        return {"place": leading.place, "intervals": leading.intervals, "level": leading.level, "best": best}

    def _leading_of(self, row: Json) -> Leading:
        """The inverse of `_leading_row`."""
        scheme_at = {scheme.argument: i for i, scheme in enumerate(self.schemes)}
        fronts = {
            (entry["metric"], self._point_at[_key(entry["vary"])]): [scheme_at[name] for name in entry["schemes"]]
            for entry in row["best"]
        }
        return Leading(row["place"], row["intervals"], row["level"], True, fronts)

    @property
    def _alpha(self) -> float:
        """The probability that an interval misses."""
        goal = self._result.get("precision")
        return 1 - float(goal["level"]) if goal else ALPHA

    def _values(self, names: Sequence[tuple[str, str]]) -> Values:
        """The numbers of all runs for these places and metrics."""
        scheme_at = {scheme.argument: i for i, scheme in enumerate(self.schemes)}
        paths = list(self.points[0].vary) if self.points else []

        def where(row: Json) -> tuple[int, int]:
            return self._point_at[_key({path: row[path] for path in paths})], scheme_at[row["scheme"]]

        shape = len(self.points), len(self.schemes), self.runs
        return run_values(self.run_rows(), where, shape, names)

    def simultaneous(self, metric: str, place: str | None = None) -> list[dict[str, Any]]:
        """The differences of a metric to the first scheme at all points, with intervals that hold together.

        The rows are those of `differences`, where `simultaneous95` has the ends of the interval: all of them together
        cover the true differences with probability 95 % (max-t, `penstock.results.simultaneous`). Without `place`, the
        first place that has the metric is used. Raises `UnknownNameError` for a name that the comparison does not have,
        and `PenstockError` for a comparison read from JSON, which has no runs.
        """
        known = [name for name in self.places if metric in self.metrics[name]]
        if not known:
            raise UnknownNameError("metric", metric, dict.fromkeys(n for names in self.metrics.values() for n in names))
        if place is not None and place not in known:
            raise UnknownNameError("place", place, known)
        at = place or known[0]
        values = self._values([(at, metric)])[at, metric]
        alpha = adjusted_alpha(difference_data(values, [(s, 0) for s in range(1, len(self.schemes))]), self._alpha)
        rows = []
        for row in self.differences:
            if (row["place"], row["metric"]) == (at, metric):
                scheme, point = self._position(row)
                apart = values[point, scheme] - values[point, 0]
                interval = summarize([float(value) for value in apart if value == value], alpha).ci95
                rows.append({**row, "simultaneous95": None if interval is None else list(interval)})
        return rows

    def value(self, scheme: str, metric: str, place: str | None = None, **vary: Any) -> Row:
        """The row of a scheme (as after `--scheme`, or its label), a metric and a place, at one point of the sweep.

        Without `place`, the first place that has the metric is used. `vary` names swept keys by their last part:
        `count=25`. Raises `UnknownNameError` for a name that the comparison does not have, and `PenstockError` if the
        swept values that are given leave several points open.
        """
        labels = {name: i for i, s in enumerate(self.schemes) for name in (s.label, s.argument)}
        if scheme not in labels:
            raise UnknownNameError("scheme", scheme, [s.argument for s in self.schemes])
        if place is not None and place not in self.places:
            raise UnknownNameError("place", place, self.places)
        at = labels[scheme], self.point(**vary)
        found = [
            row
            for row in self.rows
            if row["metric"] == metric and place in (None, row["place"]) and self._position(row) == at
        ]
        if not found:
            known = [row["metric"] for row in self.rows if place in (None, row["place"]) and self._position(row) == at]
            raise UnknownNameError("metric", metric, dict.fromkeys(name for name in known if parse_bin(name) is None))
        return found[0]

    def point(self, **vary: Any) -> int:
        """The number of the one point of the sweep at these values of swept keys, named by their last part or path.

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
                raise UnknownNameError(f"value of {key}", setting(value), dict.fromkeys(map(setting, values)))
        fitting = [
            i for i, point in enumerate(self.points)
            if all(point.vary[paths[key]] == value for key, value in vary.items())
        ]  # fmt: skip
        if not fitting:
            raise PenstockError(
                f"no point of the sweep has {', '.join(f'{k} = {setting(v)}' for k, v in vary.items())}"
            )
        if len(fitting) > 1:
            several = "; ".join(self.points[i].label for i in fitting[:6])
            raise PenstockError(f"{len(fitting)} points of the sweep fit, name one of: {several}")
        return fitting[0]

    def identical(self) -> list[tuple[int, list[int]]]:
        """Schemes whose runs are all equal, because nothing is random, with the points where that is so."""
        if self.runs < 2:
            return []
        varied = {(s, p) for (s, p, _, _), cell in self.cells.items() if not cell.constant}
        alike = [[p for p in range(len(self.points)) if (s, p) not in varied] for s in range(len(self.schemes))]
        return [(s, points) for s, points in enumerate(alike) if points]

    def series(self, seed: int | None = None, jobs: int | None = None) -> list[dict[str, Any]]:
        """Queue and law over time, for one run of each scheme at each point.

        A comparison read from JSON has only the series stored in the JSON.
        """
        if self._run_series is None:
            return list(self._result.get("series") or ())
        return self._run_series(seed, jobs)

    def run_rows(self) -> list[dict[str, Any]]:
        """A row for each run: `scheme`, the swept paths, `seed`, and a column `PLACE.METRIC` for each number.

        Raises `PenstockError` for a comparison read from JSON, which has means only.
        """
        if self._run_rows is None:
            raise PenstockError("a comparison read from JSON has the means over its runs, not the runs")
        return self._run_rows()

    def to_pandas(self, *, per_run: bool = False) -> Any:
        """`rows`, or `run_rows` with `per_run`, as a `pandas.DataFrame`. Raises `MissingPackageError`."""
        return to_pandas(self.run_rows() if per_run else self._flat_rows())

    def to_arrow(self, *, per_run: bool = False) -> Any:
        """`rows`, or `run_rows` with `per_run`, as a `pyarrow.Table`. Raises `MissingPackageError`."""
        return to_arrow(self.run_rows() if per_run else self._flat_rows())

    def _flat_rows(self) -> list[dict[str, Any]]:
        """The rows with a column for each swept path and each end of the interval."""
        flat = []
        for row in self.rows:
            low, high = row["ci95"] or (None, None)
            labels = {"scheme": scheme_argument(row["scheme"], row["params"]), **row["vary"]}
            numbers = {"mean": row["mean"], "sd": row["sd"], "ci95_low": low, "ci95_high": high, "runs": row["runs"]}
            flat.append({**labels, "place": row["place"], "metric": row["metric"], **numbers})
        return flat

    def __repr__(self) -> str:
        grids = comparison_grids(cast(Sequence[Json], self.rows), self.differences, self.at, self.runs)
        return text(grids) + "".join(f"\n{note}\n" for note in self._notes())

    def _repr_html_(self) -> str:
        parts = [comparison_html(cast(Sequence[Json], self.rows), self.differences, p, self.runs) for p in self.at]
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self._notes())
        return f'{STYLE}<div class="penstock">{"".join(parts)}{notes}{self._charts()}</div>'

    def _notes(self) -> list[str]:
        """The lines below the tables."""
        corrected = f"95 % intervals, {self.correction}." if self.correction else ""
        return [note for note in (self.conclusion, corrected, self._identical_note()) if note]

    def _identical_note(self) -> str:
        alike = []
        for s, points in self.identical():
            at = [] if len(points) == len(self.points) else [self.points[p].label for p in points]
            alike.append(self.schemes[s].argument + (f" at {', '.join(at)}" if at else ""))
        return f"All {self.runs} runs are identical, because nothing is random: {'; '.join(alike)}." if alike else ""

    def _charts(self) -> str:
        """One panel per metric of the table: against a swept number if there is one, else scheme beside scheme."""
        place = self.at[0] if self.at else ""
        path, lines = axis(self.points)
        points = lines[0][1] if lines else []
        values = [self.points[p].vary[path] for p in points] if path is not None else []
        xs, _ = numeric(values) or ([], "")
        swept = len(xs) > 1
        panels = []
        for name in [name for name in COLUMNS if name in self.metrics.get(place, ())]:
            given = [[self.cell(s, p, place, name) for p in points] for s in range(len(self.schemes))]
            rows = [[cell and drawn(cell, metric(name)) for cell in row] for row in given]
            scale = scale_for(metric(name).quantity, [c.mean for row in rows for c in row if c is not None])
            if all(c is None or c.mean == 0 for row in rows for c in row):
                continue
            title = metric(name).title
            first = [row[0] for row in rows]
            panels.append(
                svg_chart.line_panel(title, xs, rows, scale) if swept else svg_chart.interval_panel(title, first, scale)
            )
        legend = svg_chart.legend([scheme.label for scheme in self.schemes])
        return f'{legend}<div class="panels">{"".join(panels)}</div>' if panels else ""


_key = json.JSONEncoder(sort_keys=True, default=str).encode
"""A text that is the same for equal values."""
