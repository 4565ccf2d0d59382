"""The settings of a sweep, each a combination of swept values, as given and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.results.display import setting_text, with_spaced_unit
from penstock.results.quantity import as_numbers

__all__ = ["SweepPoint", "axis_title", "horizontal_axis", "short_path", "swept_value_text"]

KEYS = {
    "queue.limit": "buffer",
    "packet": "packet size",
    "rtt": "round-trip time",
    "flavour": "TCP flavour",
    "count": "flows",
}
"""Words for keys of links and traffic whose names are not self-explanatory."""


@dataclass(frozen=True)
class SweepPoint:
    """One combination of the swept values, by path."""

    vary: Mapping[str, Any]

    @property
    def label(self) -> str:
        """The values as they are given: `extra.count = 25`."""
        return ", ".join(f"{short_path(path)} = {setting_text(value)}" for path, value in self.vary.items())

    @property
    def words(self) -> str:
        """The values in words, the name of a link or of traffic once: `bottleneck rate 5 Mbit/s, buffer 40 packets`.

        >>> SweepPoint({"traffic.extra.count": 25}).words
        '25 extra flows'
        """
        words, last = [], None
        for path, value in self.vary.items():
            text, head = swept_value_text(path, value), path.split(".")[:2]
            words.append(text.removeprefix(f"{head[-1]} ") if head == last else text)
            last = head
        return ", ".join(words)


def swept_value_text(path: str, value: Any) -> str:
    """One swept value in words.

    >>> swept_value_text("traffic.extra.count", 1), swept_value_text("links.bottleneck.rate", "5Mbit")
    ('1 extra flow', 'bottleneck rate 5 Mbit/s')
    """
    if _is_of_flows(path):
        return f"{setting_text(value)} {axis_title(path).removesuffix('s') if value == 1 else axis_title(path)}"
    return f"{axis_title(path)} {with_spaced_unit(setting_text(value))}"


def horizontal_axis(points: Sequence[SweepPoint]) -> tuple[str | None, list[tuple[str, list[int]]]]:
    """The swept path on the horizontal axis, and one line of points for each combination of the other paths."""
    values: dict[str, list[Any]] = {}
    for point in points:
        for path, value in point.vary.items():
            if value not in values.setdefault(path, []):
                values[path].append(value)
    swept = [path for path, distinct in values.items() if len(distinct) > 1]
    if not swept:
        return None, [("", list(range(len(points))))]
    path = max(swept, key=lambda p: (as_numbers(values[p]) is not None, len(values[p]) > 2, -swept.index(p)))
    lines: dict[str, list[int]] = {}
    for i, point in enumerate(points):
        lines.setdefault(SweepPoint({k: v for k, v in point.vary.items() if k != path}).label, []).append(i)
    return path, list(lines.items())


def axis_title(path: str) -> str:
    """The words for a swept path.

    >>> axis_title("traffic.extra.count"), axis_title("links.bottleneck.queue.limit"), axis_title("duration")
    ('extra flows', 'bottleneck buffer', 'duration')
    """
    name, _, key = short_path(path).partition(".")
    if short_path(path) == path:
        return path
    return f"{name} {KEYS.get(key, key.removeprefix('queue.').replace('.', ' '))}"


def short_path(path: str) -> str:
    """`links.bottleneck.queue.max_p` without the name of its table, as in messages."""
    head, _, rest = path.partition(".")
    return rest if head in {"links", "traffic"} and rest else path


def _is_of_flows(path: str) -> bool:
    return path.startswith("traffic.") and path.endswith(".count")
