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
        metrics = written["metrics"]
        return cls(
            (
                dict(zip(written["axes"], row[0], strict=True)),
                {metrics[index]: Point(mean, half[0] if half else None) for index, mean, *half in row[1]},
            )
            for row in written["rows"]
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain values: axes, names of the numbers, and a row a cell: its labels, and (name's index, mean, half)."""
        axes = list(dict.fromkeys(name for labels, _ in self.cells for name in labels))
        metrics = list(dict.fromkeys(name for _, points in self.cells for name in points))
        index = {name: place for place, name in enumerate(metrics)}
        rows = [
            [[labels.get(name) for name in axes], [[index[name], *_written(point)] for name, point in points.items()]]
            for labels, points in self.cells
        ]
        return {"axes": axes, "metrics": metrics, "rows": json.loads(json.dumps(rows))}

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


def _cells(table: Table) -> Sequence[tuple[Mapping[str, Any], Mapping[str, Point]]]:
    cells = []
    for labels, samples in table.cells:
        summaries = {name: sample.summary for name, sample in samples.items()}
        cells.append((labels, {name: Point(s.mean, s.half) for name, s in summaries.items() if s is not None}))
    return cells


def _written(point: Point) -> list[float]:
    """Mean and half an interval, if that is more than nothing, with the digits that a figure shows."""
    mean = float(f"{point.mean:.5g}")
    return [mean, float(f"{point.half:.3g}")] if point.half else [mean]
