"""Means and half-widths kept after the raw runs are discarded; figures are drawn from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from penstock.results.display import scheme_argument
from penstock.results.estimate import Estimate
from penstock.results.sample import RunSample
from penstock.results.table import CellTable, Table

__all__ = ["SummaryPoint", "SummaryTable"]

# Significant bits: a mean is stored to one part in 65 000, a half-width to one in 100; no figure resolves more.
MEAN_BITS, HALF_BITS = 16, 7


@dataclass(frozen=True)
class SummaryPoint:
    """A mean and the half-width of its 95 % interval; None without an interval, or if its width is zero."""

    mean: float
    half_width: float | None


class SummaryTable(CellTable[SummaryPoint]):
    """The labels of each cell of a table, and a mean with its half-width for each number."""

    @classmethod
    def from_table(cls, table: Table) -> SummaryTable:
        """The summary of a table, rounded as it is stored, so that both give the same figure."""
        return cls((labels, _points(samples)) for labels, samples in table.cells)

    @classmethod
    def from_rows(cls, rows: Iterable[Mapping[str, Any]], name: str) -> SummaryTable:
        """The points of one metric, as `name`, from rows of `Estimates` or of the JSON of `compare`."""
        return cls(
            (
                {"scheme": scheme_argument(row["scheme"], row.get("params") or {}), **(row.get("vary") or {})},
                {name: SummaryPoint(estimate.mean, estimate.half_width)},
            )
            for row in rows
            for estimate in [Estimate.from_row(row)]
        )

    def restricted_to_figure(self, draw: Callable[[SummaryTable], object]) -> SummaryTable:
        """All cells, with only the numbers that the figure `draw` reads."""
        watched = [(labels, _Watched(points)) for labels, points in self.cells]
        draw(SummaryTable(watched))
        return SummaryTable(
            (labels, {name: point for name, point in points.items() if name in record.read})
            for (labels, points), (_, record) in zip(self.cells, watched, strict=True)
        )

    def where(self, **labels: Any) -> SummaryTable:
        """The cells with these labels."""
        return SummaryTable(self.cells_with(labels))

    def along(self, name: str, metric: str, **labels: Any) -> list[tuple[Any, SummaryPoint]]:
        """The values on an axis that have a point of this number, each with its point."""
        return [
            (at[name], points[metric])
            for at, points in self.cells_with(labels)
            if at.get(name) is not None and metric in points
        ]


class _Watched(Mapping[str, SummaryPoint]):
    """Points that record which of them have been read."""

    def __init__(self, points: Mapping[str, SummaryPoint]) -> None:
        self._points = points
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> SummaryPoint:
        self.read.add(name)
        return self._points[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._points)

    def __len__(self) -> int:
        return len(self._points)


def _points(samples: Mapping[str, RunSample]) -> dict[str, SummaryPoint]:
    summaries = ((name, sample.summary) for name, sample in samples.items())
    return {
        name: SummaryPoint(_short(summary.mean, MEAN_BITS), _short(summary.half_width or 0.0, HALF_BITS) or None)
        for name, summary in summaries
        if summary is not None
    }


def _short(value: float, bits: int) -> float:
    """A number rounded to `bits` significant bits, few enough for single precision."""
    fraction, exponent = math.frexp(value)
    return math.ldexp(round(math.ldexp(fraction, bits)), exponent - bits)
