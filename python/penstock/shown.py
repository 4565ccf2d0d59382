"""What is kept of a table when its runs are gone: a mean and half an interval for each number. Figures draw from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.study import Table

__all__ = ["Point", "Shown"]


@dataclass(frozen=True)
class Point:
    """A mean and half the width of its 95 % interval; `None` where there is no interval, or one without width."""

    mean: float
    half: float | None


class Shown:
    """Labels and points of the cells of a table."""

    def __init__(self, cells: Iterable[tuple[Mapping[str, Any], Mapping[str, Point]]]) -> None:
        self.cells = tuple(cells)

    @classmethod
    def of(cls, table: Table) -> Shown:
        """The summary of a table, rounded as it is written, so that a figure from either is the same."""
        return cls.read(cls(_cells(table)).to_dict())

    @classmethod
    def read(cls, written: Mapping[str, Any]) -> Shown:
        """What `to_dict` has written."""
        metrics = _unpacked(written["metrics"])
        axes = written["axes"]
        return cls(
            (
                {name: axes[name][place] for name, place in zip(axes, row, strict=False)},
                {
                    metrics[index]: Point(mean, half or None)
                    for first, *values in row[len(axes) :]
                    for index, mean, half in _spread(first, *values)
                },
            )
            for row in written["rows"]
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain values: what is on each axis, names of the numbers, and a row a cell: places on the axes, then runs.

        A run is the index of its first name, and the means, and half the intervals, of it and the names that follow.
        A run of one needs no lists.
        """
        names = dict.fromkeys(name for labels, _ in self.cells for name in labels)
        axes = {name: _Places(labels.get(name) for labels, _ in self.cells) for name in names}
        metrics = list(dict.fromkeys(name for _, points in self.cells for name in points))
        index = {name: place for place, name in enumerate(metrics)}
        rows = [
            [axis.of(labels.get(name)) for name, axis in axes.items()]
            + _runs({index[name]: point for name, point in points.items()})
            for labels, points in self.cells
        ]
        return {"axes": {name: axis.values for name, axis in axes.items()}, "metrics": _packed(metrics), "rows": rows}

    def drawn_by(self, draw: Callable[[Shown], object]) -> Shown:
        """What a figure reads of it: all cells, with the numbers that `draw` has looked at."""
        watched = [(labels, _Watched(points)) for labels, points in self.cells]
        draw(Shown(watched))
        return Shown(
            (labels, {name: point for name, point in points.items() if name in points.read})
            for labels, points in watched
        )

    def axis(self, name: str) -> list[Any]:
        """The values on an axis, in their order."""
        return list(dict.fromkeys(labels[name] for labels, _ in self.cells if labels.get(name) is not None))

    def where(self, **labels: Any) -> Shown:
        """The cells with these labels."""
        return Shown(cell for cell in self.cells if all(cell[0].get(key) == value for key, value in labels.items()))

    def along(self, name: str, metric: str, **labels: Any) -> list[tuple[Any, Point]]:
        """The values on an axis with the point of a number at each, where there is one."""
        return [
            (at[name], points[metric])
            for at, points in self.where(**labels).cells
            if at.get(name) is not None and metric in points
        ]

    def __call__(self, metric: str, **labels: Any) -> Point:
        """The point of a number in the one cell with these labels. Raises `KeyError` where that is not one cell."""
        found = self.where(**labels).cells
        if len(found) != 1:
            raise KeyError(f"{len(found)} cells have {labels}")
        return found[0][1][metric]


class _Watched(dict[str, Point]):
    """Points that know which of them were read."""

    def __init__(self, points: Mapping[str, Point]) -> None:
        super().__init__(points)
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> Point:
        self.read.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.read.add(name)
        return super().get(name, default)


class _Places:
    """The different values on an axis, as JSON has them, each with its place."""

    def __init__(self, values: Iterable[Any]) -> None:
        written = dict.fromkeys(map(json.dumps, values))
        self.values = [json.loads(text) for text in written]
        self._places = {text: place for place, text in enumerate(written)}

    def of(self, value: Any) -> int:
        return self._places[json.dumps(value)]


def _cells(table: Table) -> Sequence[tuple[Mapping[str, Any], Mapping[str, Point]]]:
    cells = []
    for labels, samples in table.cells:
        summaries = {name: sample.summary for name, sample in samples.items()}
        cells.append((labels, {name: Point(s.mean, s.half) for name, s in summaries.items() if s is not None}))
    return cells


def _written(point: Point) -> tuple[float, float]:
    """Mean and half an interval with the digits that a figure shows; no width is 0."""
    return _short(point.mean, 5), _short(point.half or 0.0, 3)


def _short(value: float, digits: int) -> float:
    """Rounded; a whole number as one, which is written without a point."""
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 10**digits else rounded


def _runs(points: Mapping[int, Point]) -> list[list[Any]]:
    """Points by their index, those that follow each other together."""
    found: list[list[Any]] = []
    for index in sorted(points):
        mean, half = _written(points[index])
        if found and index == found[-1][0] + len(found[-1][1]):
            found[-1][1].append(mean)
            found[-1][2].append(half)
        else:
            found.append([index, [mean], [half]])
    return [_bare(first, means, halves) for first, means, halves in found]


def _bare(first: int, means: list[float], halves: list[float]) -> list[Any]:
    """A run without what says nothing: widths of 0, lists of one."""
    parts = [means, halves] if any(halves) else [means]
    return [first, *(part[0] if len(means) == 1 else part for part in parts)]


def _spread(first: int, means: Any, halves: Any = None) -> list[tuple[int, float, float]]:
    """The points of a run, each with its index."""
    if not isinstance(means, list):
        return [(first, means, halves or 0.0)]
    widths = halves or [0.0] * len(means)
    return [(first + place, *pair) for place, pair in enumerate(zip(means, widths, strict=True))]


def _packed(names: Sequence[str]) -> list[Any]:
    """Names in their order; several of the same words with numbers that count up are the words and both ends."""
    found: list[Any] = []
    for name in names:
        words, number = _counted(name)
        if number is not None and found and found[-1][0] == words and found[-1][2] + 1 == number:
            found[-1][2] = number
        else:
            found.append([words, number, number] if number is not None else [name, 0, None])
    return [words if end is None else [words, begin, end] for words, begin, end in found]


def _counted(name: str) -> tuple[str, int | None]:
    """The words of a name and the number behind them, if it ends in a plain one."""
    words, space, number = name.rpartition(" ")
    plain = number.isdecimal() and str(int(number)) == number
    return (words + space, int(number)) if plain else (name, None)


def _unpacked(names: Sequence[Any]) -> list[str]:
    """What `_packed` has put together."""
    return [
        name
        for entry in names
        for name in ([entry] if isinstance(entry, str) else [f"{entry[0]}{i}" for i in range(entry[1], entry[2] + 1)])
    ]
