"""The measured numbers of a study: for each cell its labels, and a sample of each number over the runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from penstock.results.sample import Sample

__all__ = ["Labels", "Table"]

Labels = Mapping[str, Any]
"""The coordinates of a cell on the axes of a study."""


class Table:
    """What a study found: for each cell its labels, and a sample of each measured number.

    Attributes:
        cells: labels and samples.
        runs: number of runs behind it.
        seeds: the runs of a cell have the seeds 1 to this.
        cpu_s: processor time of the runs.

    """

    def __init__(
        self, cells: Sequence[tuple[Labels, Mapping[str, Sample]]], *, runs: int = 0, seeds: int = 0, cpu_s: float = 0.0
    ) -> None:
        self.cells = tuple(cells)
        self.runs, self.seeds, self.cpu_s = runs, seeds, cpu_s

    def axis(self, name: str) -> list[Any]:
        """The values on an axis, in their order."""
        return list(dict.fromkeys(labels[name] for labels, _ in self.cells if labels.get(name) is not None))

    def where(self, **labels: Any) -> Table:
        """The cells with these labels."""
        cells = [cell for cell in self.cells if _fits(cell[0], labels)]
        if not cells:
            raise KeyError(f"no cell has {labels}; the axes are {self.axes()}")
        return Table(cells, runs=self.runs, seeds=self.seeds, cpu_s=self.cpu_s)

    def has(self, **labels: Any) -> bool:
        """Whether a cell has these labels."""
        return any(_fits(cell[0], labels) for cell in self.cells)

    def axes(self) -> dict[str, list[Any]]:
        """All axes with their values."""
        names = dict.fromkeys(name for labels, _ in self.cells for name in labels)
        return {name: self.axis(name) for name in names}

    def __call__(self, metric: str, **labels: Any) -> Sample:
        """The sample of a number in the one cell with these labels. Raises `KeyError` where that is not one cell."""
        found = [samples for at, samples in self.cells if _fits(at, labels)]
        if len(found) != 1:
            raise KeyError(f"{len(found)} cells have {labels}; the axes are {self.axes()}")
        if metric not in found[0]:
            raise KeyError(f"no {metric} was measured; there are: {', '.join(found[0])}")
        return found[0][metric]

    def along(self, name: str, metric: str, **labels: Any) -> list[tuple[Any, Sample]]:
        """The values on an axis with the sample of a number at each, among the cells with these labels."""
        part = self.where(**labels)
        return [(value, part(metric, **{name: value})) for value in part.axis(name)]

    def __add__(self, other: Table) -> Table:
        """The cells of both."""
        return Table(
            (*self.cells, *other.cells),
            runs=self.runs + other.runs,
            seeds=max(self.seeds, other.seeds),
            cpu_s=self.cpu_s + other.cpu_s,
        )

    @classmethod
    def exact(cls, rows: Sequence[tuple[Labels, Mapping[str, float]]]) -> Table:
        """A table of formulas: numbers that need no run."""
        return cls([(labels, {name: Sample(value) for name, value in values.items()}) for labels, values in rows])


def _fits(labels: Labels, wanted: Labels) -> bool:
    return all(labels.get(name) == value for name, value in wanted.items())
