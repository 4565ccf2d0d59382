"""Runs over time on a page: their queues, and panels of rates, windows, delays, drops and marks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from penstock.results.comparison import Comparison
from penstock.results.display import DisplayUnit, display_unit, round_to_digits
from penstock.results.metrics import Quantity

__all__ = ["comparison_series", "course_panels", "course_scales", "traffic_group_names"]

Json = Mapping[str, Any]
Values = Sequence[float | None]

MOST_LINES: Final = 8
"""Maximum number of lines of a panel; the groups with the largest numbers are kept."""

KINDS: Final[Mapping[str, tuple[str, Quantity | None, str]]] = {
    "delay_s": ("Queueing delay", "time", ""),
    "rate_bps": ("Throughput", "rate", ""),
    "cwnd_pkts": ("Congestion window", None, "packets"),
    "drops": ("Drops", None, "packets/s"),
    "marks": ("Marks", None, "packets/s"),
}
"""Title of a panel, its quantity, and its unit if that is always the same."""


def comparison_series(result: Json, comparison: Comparison) -> list[dict[str, Any]]:
    """Each series with the index of its scheme and of its point; series of other schemes are left out."""
    series = []
    for entry in result.get("series") or ():
        scheme = next((i for i, s in enumerate(comparison.schemes) if _same_scheme(s, entry)), None)
        point = next(
            (i for i, p in enumerate(comparison.points) if dict(p.vary) == dict(entry.get("vary") or {})), None
        )
        if scheme is not None and point is not None:
            series.append({"scheme": scheme, "point": point, "links": entry["links"], "course": entry.get("course")})
    return series


def traffic_group_names(result: Json, series: Iterable[Json]) -> list[str]:
    """The names of all traffic groups in the order of the scenario, which determines their colours."""
    courses = [entry["course"] for entry in series if entry.get("course")]
    drawn = [name for course in courses for _, _, lines in _panels(course) for name, _, _ in lines]
    return list(dict.fromkeys([*(result["scenario"].get("traffic") or ()), *drawn]))


def _same_scheme(scheme: Any, entry: Json) -> bool:
    if "params" in entry:
        return bool(scheme.name == entry["scheme"] and dict(scheme.params) == dict(entry["params"] or {}))
    return entry["scheme"] in (scheme.argument, scheme.label, scheme.name)


def course_scales(courses: Iterable[Json]) -> dict[str, DisplayUnit]:
    """The display unit of each kind of panel, the same for all runs of a page."""
    values: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for course in courses:
        for kind, _, lines in _panels(course):
            values[kind] += [value for _, _, line in lines for value in line if value is not None]
    return {
        kind: display_unit(quantity, values[kind]) if quantity else DisplayUnit(1.0, unit)
        for kind, (_, quantity, unit) in KINDS.items()
    }


def course_panels(course: Json, scales: Mapping[str, DisplayUnit], groups: Sequence[str]) -> list[dict[str, Any]]:
    """The panels of a run: kind, link (empty for hosts), title, unit, and lines with the number of a group."""
    panels = []
    for kind, link, lines in _panels(course):
        scale = scales[kind]
        largest = sorted(lines, key=lambda line: -sum(value or 0.0 for value in line[2]))[:MOST_LINES]
        panels.append({
            "kind": kind, "link": link, "title": KINDS[kind][0], "unit": scale.unit,
            "lines": [
                {
                    "label": label, "group": groups.index(name),
                    "values": [value if value is None else _short(value * scale.factor) for value in line],
                }
                for name, label, line in sorted(largest, key=lambda line: groups.index(line[0]))
            ],
        })  # fmt: skip
    return panels


def _panels(course: Json) -> Iterator[tuple[str, str, list[tuple[str, str, Values]]]]:
    """Kind, link and lines of each panel that has any; a line has its group, its label and its values."""
    for kind in KINDS:
        if kind in course:
            lines = [
                (name, name if kind == "rate_bps" else f"{name} {number + 1}", values)
                for name, rows in course[kind].items()
                for number, values in enumerate([rows] if kind == "rate_bps" else rows)
            ]
            if lines:
                yield kind, "", lines
        for link, of_link in course.get("links", {}).items():
            if of_link.get(kind):
                yield kind, link, [(name, name, values) for name, values in of_link[kind].items()]


def _short(value: float) -> float:
    short = round_to_digits(value, 4)
    return int(short) if short == int(short) else short
