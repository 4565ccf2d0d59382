"""What a page shows, taken from a result: schemes, swept points, cells, and which scheme leads where."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from penstock.results.distribution import Bin, parse_bin
from penstock.results.metrics import Better, order

Json = Mapping[str, Any]
Lead = Literal["best", "shared", ""]


@dataclass(frozen=True)
class Scheme:
    """One contender: a scheme with the parameters that were given for it."""

    name: str
    params: Mapping[str, Any]
    suffix: str
    title: str

    @property
    def label(self) -> str:
        """For people: the name, and what tells it from others of that name."""
        return f"{self.name} {self.suffix}".strip()

    @property
    def given(self) -> str:
        """The parameters that were given: ``max_p=0.2, gentle=true``."""
        return ", ".join(f"{k}={_plain(v)}" for k, v in self.params.items())

    @property
    def argument(self) -> str:
        """As it stands after ``--scheme``."""
        settings = self.given.replace(", ", ",")
        return f"{self.name}:{settings}" if settings else self.name


@dataclass(frozen=True)
class Cell:
    """One number of a comparison; ``low`` and ``high`` are None for a single run."""

    mean: float
    low: float | None
    high: float | None
    runs: int

    @property
    def half(self) -> float | None:
        """Half the width of the 95 % interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


@dataclass(frozen=True)
class Point:
    """One combination of the swept values."""

    vary: Mapping[str, Any]

    @property
    def label(self) -> str:
        """For people: ``extra.count = 25``."""
        return ", ".join(f"{short_path(path)} = {_plain(value)}" for path, value in self.vary.items())


@dataclass
class Comparison:
    """The rows of ``compare``, addressable."""

    schemes: list[Scheme]
    points: list[Point]
    places: list[str]
    metrics: dict[str, list[str]]
    cells: dict[tuple[int, int, str, str], Cell] = field(repr=False)
    # (point, place, metric) -> {(scheme, other): interval of the paired difference}
    paired: dict[tuple[int, str, str], dict[tuple[int, int], tuple[float, float]]] = field(repr=False)
    # (scheme, point, place, name) -> {value or bin: its share}: `length_pmf[3]` and its like, taken together
    distributions: dict[tuple[int, int, str, str], dict[Bin, Cell]] = field(repr=False)
    runs: int

    def cell(self, scheme: int, point: int, place: str, metric: str) -> Cell | None:
        """The number at one place of the table."""
        return self.cells.get((scheme, point, place, metric))

    def row(self, point: int, place: str, metric: str) -> list[Cell | None]:
        """One metric for all schemes."""
        return [self.cell(s, point, place, metric) for s in range(len(self.schemes))]

    def repeated(self) -> list[tuple[int, list[int]]]:
        """Schemes whose runs are all the same, with the points where they are: nothing there is random."""
        if self.runs < 2:
            return []
        loose = {(s, p) for (s, p, _, _), cell in self.cells.items() if cell.half != 0}
        every = [[p for p in range(len(self.points)) if (s, p) not in loose] for s in range(len(self.schemes))]
        return [(s, points) for s, points in enumerate(every) if points]

    def leads(self, point: int, place: str, metric: str, better: Better) -> list[Lead]:
        """Which scheme is best, and which cannot be told from it: see `leaders`."""
        return leaders(self.row(point, place, metric), better, self.paired.get((point, place, metric), {}))


def leaders(
    cells: Sequence[Cell | None], better: Better, paired: Mapping[tuple[int, int], tuple[float, float]]
) -> list[Lead]:
    """``best`` for the one scheme that the evidence separates from every other; else ``shared`` for those in front.

    Two schemes are separated by the 95 % interval of their paired difference where it is known, else by intervals that
    do not overlap. Nobody leads where there is no interval, no direction, or nothing but the whole field in front.
    """
    none: list[Lead] = [""] * len(cells)
    known = [i for i, c in enumerate(cells) if c is not None]
    if not better or len(known) < 2 or any(cells[i].half is None for i in known):  # type: ignore[union-attr]
        return none
    sign = 1.0 if better == "lower" else -1.0
    first = min(known, key=lambda i: sign * cells[i].mean)  # type: ignore[union-attr]
    front = [first] + [i for i in known if i != first and not _separated(first, i, cells, paired)]
    if len(front) == len(known):
        return none
    mark: Lead = "best" if len(front) == 1 else "shared"
    return [mark if i in front else "" for i in range(len(cells))]


def comparison(result: Json, titles: Mapping[str, str]) -> Comparison:
    """Read the rows of a ``compare`` result; ``titles`` are the schemes' names for people."""
    rows: list[Json] = list(result["rows"])
    contenders = _unique((row["scheme"], row.get("params") or {}) for row in rows)
    points = [Point(p) for p in _unique(row.get("vary") or {} for row in rows)]
    places = [str(p) for p in _unique(row["place"] for row in rows)]
    scheme_at = {_key(c): i for i, c in enumerate(contenders)}
    point_at = {_key(p.vary): i for i, p in enumerate(points)}
    cells: dict[tuple[int, int, str, str], Cell] = {}
    distributions: dict[tuple[int, int, str, str], dict[Bin, Cell]] = {}
    for row in rows:
        low, high = row["ci95"] or (None, None)
        where = (scheme_at[_key((row["scheme"], row.get("params") or {}))], point_at[_key(row.get("vary") or {})])
        cell = Cell(_float(row["mean"]), low, high, row["runs"])
        share = parse_bin(row["metric"])
        if share is not None:
            distributions.setdefault((*where, str(row["place"]), share.name), {})[share] = cell
        else:
            cells[(*where, str(row["place"]), str(row["metric"]))] = cell
    names = {place: order({m for _, _, p, m in cells if p == place}) for place in places}
    return Comparison(
        schemes=_labelled(contenders, titles),
        points=points,
        places=places,
        metrics=names,
        cells=cells,
        paired=_paired(result, scheme_at, point_at),
        distributions=distributions,
        runs=max((c.runs for c in cells.values()), default=0),
    )


def axis(points: Sequence[Point]) -> tuple[str | None, list[tuple[str, list[int]]]]:
    """The swept path that makes the horizontal axis, and one line of points for each setting of the other paths."""
    values: dict[str, list[Any]] = {}
    for point in points:
        for path, value in point.vary.items():
            if value not in values.setdefault(path, []):
                values[path].append(value)
    swept = [path for path, seen in values.items() if len(seen) > 1]
    if not swept:
        return None, [("", list(range(len(points))))]
    path = max(swept, key=lambda p: (all(_is_number(v) for v in values[p]), len(values[p]) > 2, -swept.index(p)))
    lines: dict[str, list[int]] = {}
    for i, point in enumerate(points):
        lines.setdefault(Point({k: v for k, v in point.vary.items() if k != path}).label, []).append(i)
    return path, list(lines.items())


def axis_title(path: str) -> str:
    """For people: ``number of extra flows (extra.count)``."""
    short = short_path(path)
    if path.startswith("traffic.") and path.endswith(".count"):
        return f"{short.removesuffix('.count')} flows ({short})"
    return short


def short_path(path: str) -> str:
    """``links.bottleneck.queue.max_p`` without its table's name: what a reader needs."""
    head, _, rest = path.partition(".")
    return rest if head in {"links", "traffic"} and rest else path


def _labelled(contenders: Sequence[tuple[str, Json]], titles: Mapping[str, str]) -> list[Scheme]:
    schemes = []
    for name, params in contenders:
        rivals = [p for n, p in contenders if n == name]
        telling = [k for k in params if any(rival.get(k) != params[k] for rival in rivals)]
        suffix = ", ".join(k if params[k] is True else f"{k}={_plain(params[k])}" for k in telling)
        title = titles.get(name, name)
        schemes.append(Scheme(name, params, suffix, f"{title}, {suffix}" if suffix else title))
    return schemes


def _paired(
    result: Json, scheme_at: Mapping[str, int], point_at: Mapping[str, int]
) -> dict[tuple[int, str, str], dict[tuple[int, int], tuple[float, float]]]:
    """The optional ``differences``: rows with ``scheme``, ``params``, ``against``, ``against_params`` and ``ci95``."""
    found: dict[tuple[int, str, str], dict[tuple[int, int], tuple[float, float]]] = {}
    for row in result.get("differences", ()):
        if row["ci95"] is None:
            continue
        one = scheme_at[_key((row["scheme"], row.get("params") or {}))]
        other = scheme_at[_key((row["against"], row.get("against_params") or {}))]
        low, high = row["ci95"]
        pairs = found.setdefault((point_at[_key(row.get("vary") or {})], row["place"], row["metric"]), {})
        pairs[one, other] = (low, high)
        pairs[other, one] = (-high, -low)
    return found


def _separated(
    one: int, other: int, cells: Sequence[Cell | None], paired: Mapping[tuple[int, int], tuple[float, float]]
) -> bool:
    if (one, other) in paired:
        low, high = paired[one, other]
        return low > 0 or high < 0
    a, b = cells[one], cells[other]
    if a is None or b is None or a.low is None or a.high is None or b.low is None or b.high is None:
        return False
    return a.high < b.low or b.high < a.low


def _unique(items: Iterable[Any]) -> list[Any]:
    return list({_key(item): item for item in items}.values())


def _key(item: Any) -> str:
    return json.dumps(item, sort_keys=True, default=str)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _float(value: Any) -> float:
    return float("nan") if value is None else float(value)
