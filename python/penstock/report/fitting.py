"""Pages of large results: how much detail fits, and what the page says of the rest."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from penstock.report.chart_data import SERIES_POINTS, decimated
from penstock.results.distribution import parse_bin
from penstock.results.metrics import metric

__all__ = ["LARGEST", "add_series", "cut_distributions", "json_text", "key_metrics", "size", "some_settings", "spread"]

LARGEST: Final = 2_900_000
"""Bytes of a page, at most: the promise is 3 MB."""

SERIES_OF_PAGE: Final = 40_000
"""Points of all series of a page together, before they get coarser than `SERIES_POINTS`."""

FEWEST_POINTS: Final = 150
"""Points of a series, at least: below it, series are left out."""

Json = Mapping[str, Any]


def json_text(data: Any) -> str:
    """Compact JSON text."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


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


def key_metrics(result: Json) -> dict[str, Any]:
    """A result of `compare` with its key metrics and distributions alone."""
    return _filtered(result, lambda row: parse_bin(row["metric"]) is not None or metric(row["metric"]).key)


def some_settings(result: Json, kept: Sequence[Json]) -> dict[str, Any]:
    """A result of `compare` at some of its settings alone."""
    keys = {json_text(vary) for vary in kept}
    return _filtered(result, lambda row: json_text(dict(row.get("vary") or {})) in keys)


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


def _filtered(result: Json, keep: Callable[[Json], bool]) -> dict[str, Any]:
    def kept(rows: Iterable[Json]) -> list[Json]:
        return [row for row in rows if keep(row)]

    found = {**result, "rows": kept(result["rows"]), "differences": kept(result.get("differences") or ())}
    if "leaders" in result:
        found["leaders"] = [{**place, "best": kept(place["best"])} for place in result["leaders"]]
    return found
