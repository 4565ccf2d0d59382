"""Pages of large results: how much detail fits, and what the page says of the rest."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Any, Final

from penstock.report.chart_data import SERIES_POINTS, decimated
from penstock.results.distribution import parse_bin
from penstock.results.metrics import metric
from penstock.results.sweep import SweepPoint

__all__ = ["LARGEST", "Settings", "add_series", "cut_distributions", "json_text", "size", "spread"]

LARGEST: Final = 2_900_000
"""Bytes of a page, at most: the promise is 3 MB."""

SERIES_OF_PAGE: Final = 40_000
"""Points of all series of a page together, before they get coarser than `SERIES_POINTS`."""

FEWEST_POINTS: Final = 150
"""Points of a series, at least: below it, series are left out."""

Json = Mapping[str, Any]

BySetting = dict[str, list[tuple[int, Json]]]
"""The rows of each setting, with their places."""

_ENCODED = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def json_text(data: Any) -> str:
    """Compact JSON text."""
    return _ENCODED(data)


def size(data: Any) -> int:
    """Bytes of the JSON text of `data`."""
    return len(json_text(data).encode())


def spread(count: int, kept: int) -> list[int]:
    """`kept` of the indices below `count`, evenly spread, both ends among them.

    >>> spread(9, 3), spread(4, 9), spread(5, 0)
    ([0, 4, 8], [0, 1, 2, 3], [])
    """
    if kept >= count:
        return list(range(count))
    if kept < 2:
        return [0][:kept]
    return [round(i * (count - 1) / (kept - 1)) for i in range(kept)]


class Settings:
    """The settings of a result of `compare`, for results with less of it."""

    def __init__(self, result: Json) -> None:
        self._result = result
        self._rows = _by_setting(result["rows"])
        self._differences = _by_setting(result.get("differences") or ())
        self._best = [_by_setting(place["best"]) for place in result.get("leaders", ())]

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def points(self) -> list[SweepPoint]:
        """The swept values of each setting."""
        return [SweepPoint(rows[0][1].get("vary") or {}) for rows in self._rows.values()]

    def some(self, count: int, only_key: bool = False) -> dict[str, Any]:
        """The result at `count` of its settings alone, evenly spread; of its metrics all, or only the key ones."""
        settings = list(self._rows)
        kept = [settings[i] for i in spread(len(settings), count)]

        @cache
        def keep(name: str) -> bool:
            return not only_key or parse_bin(name) is not None or metric(name).key

        def at(rows: BySetting) -> list[Json]:
            found = ((place, row) for name in kept for place, row in rows.get(name, ()) if keep(row["metric"]))
            return [row for _, row in sorted(found, key=itemgetter(0))]

        found = {**self._result, "rows": at(self._rows), "differences": at(self._differences)}
        if "leaders" in self._result:
            parts = zip(self._result["leaders"], self._best, strict=True)
            found["leaders"] = [{**place, "best": at(best)} for place, best in parts]
        return found


def cut_distributions(data: dict[str, Any], room: int) -> int:
    """Leave out distributions that have no room; the number of settings that keep theirs."""
    points = len(data["points"])
    found = [one for place in data["places"] for one in place["distributions"]]
    columns = [row for one in found for name in ("mean", "low", "high", "runs") for row in one[name]]
    sizes = [sum(size(row[point]) + 1 for row in columns) for point in range(points)]
    kept = set(_fitting(sizes, room - (sum(map(size, found)) - sum(sizes)) - 5 * len(columns) * points))
    for row in columns:
        row[:] = [values if point in kept else None for point, values in enumerate(row)]
    return len(kept)


def add_series(data: dict[str, Any], series: Sequence[Json], room: int) -> int:
    """Add the series of the settings that have room; the number of these settings.

    `series` has entries of `scheme`, `point` and the `links` of one run. Many of them get coarser.
    """
    count = sum(len(entry["links"]) for entry in series)
    points = max(FEWEST_POINTS, min(SERIES_POINTS, SERIES_OF_PAGE // max(count, 1)))
    times: dict[str, int] = {}
    entries = []
    for entry in series:
        links = {name: decimated(one, points) for name, one in entry["links"].items()}
        for one in links.values():
            one["t"] = times.setdefault(json_text(one["t"]), len(times))
        entries.append({"scheme": entry["scheme"], "point": entry["point"], "links": links})
    at = sorted({entry["point"] for entry in entries})
    sizes = [sum(size(entry) + 1 for entry in entries if entry["point"] == point) for point in at]
    kept = {at[i] for i in _fitting(sizes, room - sum(map(len, times)))}
    data["series"] = [entry for entry in entries if entry["point"] in kept]
    data["times"] = [json.loads(text) for text in times] if kept else []
    return len(kept)


def _fitting(sizes: Sequence[int], room: int) -> list[int]:
    """The most of the indices, evenly spread, whose sizes fit into `room` together."""
    kept = len(sizes)
    while kept and sum(sizes[i] for i in spread(len(sizes), kept)) > room:
        kept -= 1
    return spread(len(sizes), kept)


def _by_setting(rows: Iterable[Json]) -> BySetting:
    found: BySetting = {}
    for place, row in enumerate(rows):
        found.setdefault(repr(row.get("vary") or {}), []).append((place, row))
    return found
