"""Pages of large results: how much detail fits, and the note on what is left out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Any, Final

from penstock.report.chart_data import SERIES_POINTS, decimated_series
from penstock.report.courses import course_panels, course_scales
from penstock.results.distribution import parse_bin
from penstock.results.metrics import find_metric
from penstock.results.sweep import SweepPoint

__all__ = [
    "LARGEST",
    "ComparedSettings",
    "add_series",
    "cut_distributions",
    "evenly_spread_indices",
    "json_size_bytes",
    "json_text",
]

LARGEST: Final = 2_900_000
"""Maximum number of bytes of a page; the documentation promises 3 MB."""

SERIES_OF_PAGE: Final = 40_000
"""Maximum number of points of all series of a page together; beyond it, series are coarser than `SERIES_POINTS`."""

FEWEST_POINTS: Final = 150
"""Minimum number of points of a series; below it, series are left out."""

Json = Mapping[str, Any]

BySetting = dict[str, list[tuple[int, Json]]]
"""The rows of each setting, each with its index in the result."""

_ENCODED = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def json_text(data: Any) -> str:
    """The data as JSON text without spaces."""
    return _ENCODED(data)


def json_size_bytes(data: Any) -> int:
    """Bytes of the JSON text of `data`."""
    return len(json_text(data).encode())


def evenly_spread_indices(count: int, chosen_count: int) -> list[int]:
    """`chosen_count` of the indices below `count`, evenly spread, both ends among them.

    >>> evenly_spread_indices(9, 3), evenly_spread_indices(4, 9), evenly_spread_indices(5, 0)
    ([0, 4, 8], [0, 1, 2, 3], [])
    """
    if chosen_count >= count:
        return list(range(count))
    if chosen_count < 2:
        return [0][:chosen_count]
    return [round(i * (count - 1) / (chosen_count - 1)) for i in range(chosen_count)]


class ComparedSettings:
    """A result of `compare` by the points of its sweep, to leave out some of them where a page would be too large."""

    def __init__(self, result: Json) -> None:
        self._result = result
        self._rows = _by_setting(result["rows"])
        self._differences = _by_setting(result.get("differences") or ())
        self._best = [_by_setting(entry["best"]) for entry in result.get("leaders", ())]
        self._concluded = [_by_setting(entry["points"]) for entry in result.get("conclusions", ())]

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def points(self) -> list[SweepPoint]:
        """The swept values of each setting."""
        return [SweepPoint(rows[0][1].get("vary") or {}) for rows in self._rows.values()]

    def reduced_result(self, count: int, only_key: bool = False) -> dict[str, Any]:
        """The result reduced to `count` evenly spread settings, with all metrics or only the key ones."""
        settings = list(self._rows)
        names = [settings[i] for i in evenly_spread_indices(len(settings), count)]

        @cache
        def keeps_metric(metric: str) -> bool:
            """Whether rows of this metric stay: all metrics unless `only_key`; else key metrics and bins."""
            return not only_key or parse_bin(metric) is not None or find_metric(metric).key

        def at(rows: BySetting) -> list[Json]:
            entries = (entry for name in names for entry in rows.get(name, ()))
            return [
                row
                for _, row in sorted(entries, key=itemgetter(0))
                if "metric" not in row or keeps_metric(row["metric"])
            ]

        reduced = {**self._result, "rows": at(self._rows), "differences": at(self._differences)}
        if "leaders" in self._result:
            parts = zip(self._result["leaders"], self._best, strict=True)
            reduced["leaders"] = [{**entry, "best": at(best)} for entry, best in parts if keeps_metric(entry["metric"])]
        if "conclusions" in self._result:
            links = zip(self._result["conclusions"], self._concluded, strict=True)
            reduced["conclusions"] = [{**entry, "points": at(points)} for entry, points in links]
        return reduced


def cut_distributions(data: dict[str, Any], room: int) -> int:
    """Leave out distributions that do not fit. Returns the number of settings that keep theirs."""
    points = len(data["points"])
    distributions = [distribution for place in data["places"] for distribution in place["distributions"]]
    columns = [
        row for distribution in distributions for name in ("mean", "low", "high", "runs") for row in distribution[name]
    ]
    sizes = [sum(json_size_bytes(row[point]) + 1 for row in columns) for point in range(points)]
    fitting = set(
        _fitting(sizes, room - (sum(map(json_size_bytes, distributions)) - sum(sizes)) - 5 * len(columns) * points)
    )
    for row in columns:
        row[:] = [values if point in fitting else None for point, values in enumerate(row)]
    return len(fitting)


def add_series(data: dict[str, Any], series: Sequence[Json], room: int, groups: Sequence[str] = ()) -> int:
    """Add the series and courses of the settings that fit. Returns the number of these settings.

    `series` has entries of `scheme`, `point`, the `links` and the `course` of one run. If there are many, they get
    coarser. `groups` are the names of all traffic groups.
    """
    scales = course_scales(entry["course"] for entry in series if entry.get("course"))
    count = sum(len(entry["links"]) for entry in series)
    points = max(FEWEST_POINTS, min(SERIES_POINTS, SERIES_OF_PAGE // max(count, 1)))
    times: dict[str, int] = {}
    entries = []
    for entry in series:
        links = {name: decimated_series(link, points) for name, link in entry["links"].items()}
        for link in links.values():
            link["t"] = times.setdefault(json_text(link["t"]), len(times))
        reduced: dict[str, Any] = {"scheme": entry["scheme"], "point": entry["point"], "links": links}
        if course := entry.get("course"):
            ends = json_text([nanoseconds / 1e9 for nanoseconds in course["t_ns"]])
            reduced["course"] = {
                "t": times.setdefault(ends, len(times)), "panels": course_panels(course, scales, groups)
            }  # fmt: skip
        entries.append(reduced)
    at = sorted({entry["point"] for entry in entries})
    sizes = [sum(json_size_bytes(entry) + 1 for entry in entries if entry["point"] == point) for point in at]
    fitting = {at[i] for i in _fitting(sizes, room - sum(map(len, times)))}
    data["series"] = [entry for entry in entries if entry["point"] in fitting]
    data["times"] = [json.loads(text) for text in times] if fitting else []
    return len(fitting)


def _fitting(sizes: Sequence[int], room: int) -> list[int]:
    """The largest evenly spread selection of the indices whose sizes fit into `room` together."""
    chosen_count = len(sizes)
    while chosen_count and sum(sizes[i] for i in evenly_spread_indices(len(sizes), chosen_count)) > room:
        chosen_count -= 1
    return evenly_spread_indices(len(sizes), chosen_count)


def _by_setting(rows: Iterable[Json]) -> BySetting:
    settings: BySetting = {}
    for place, row in enumerate(rows):
        settings.setdefault(repr(row.get("vary") or {}), []).append((place, row))
    return settings
