"""The measured numbers of a study: for each cell its labels, and a sample of each number over the runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from penstock.errors import UnknownNameError
from penstock.results.frames import to_arrow, to_pandas
from penstock.results.grid import MEAN, STYLE, TextTable, format_tables, html_table
from penstock.results.sample import RunSample

__all__ = ["CellTable", "Labels", "Rows", "Table"]

T = TypeVar("T")

Labels = Mapping[str, Any]
"""The coordinates of a cell on the axes of a study."""
Rows = Iterable[tuple[Labels, Mapping[str, float]]]
"""Labels and exact numbers of the cells of a table."""


MAX_SHOWN = 30
"""Cells that a printed table shows."""


class CellTable(Generic[T]):
    """Cells with labels, each with values by name.

    Attributes:
        cells: labels and values.

    """

    def __init__(self, cells: Iterable[tuple[Labels, Mapping[str, T]]]) -> None:
        self.cells = tuple(cells)
        self._index: dict[str, dict[Any, set[int]]] = {}

    def axis(self, name: str) -> list[Any]:
        """The values on an axis, in their order."""
        return list(dict.fromkeys(labels[name] for labels, _ in self.cells if labels.get(name) is not None))

    def axes(self) -> dict[str, list[Any]]:
        """All axes with their values."""
        names = dict.fromkeys(name for labels, _ in self.cells for name in labels)
        return {name: self.axis(name) for name in names}

    def cells_with(self, labels: Labels) -> list[tuple[Labels, Mapping[str, T]]]:
        """The cells with these labels."""
        positions = [self._positions(name).get(value, set()) for name, value in labels.items()]
        if not positions:
            return list(self.cells)
        return [self.cells[position] for position in sorted(set.intersection(*positions))]

    def _positions(self, name: str) -> dict[Any, set[int]]:
        """The positions of the cells by their value on an axis; None for cells without the axis."""
        if name not in self._index:
            by_value: dict[Any, set[int]] = {}
            for position, (labels, _) in enumerate(self.cells):
                by_value.setdefault(labels.get(name), set()).add(position)
            self._index[name] = by_value
        return self._index[name]

    def has(self, **labels: Any) -> bool:
        """Whether a cell has these labels."""
        return bool(self.cells_with(labels))

    def __call__(self, metric: str, **labels: Any) -> T:
        """The value of a number in the cell with these labels. Raises `KeyError` unless exactly one cell fits."""
        cells = self.cells_with(labels)
        if len(cells) != 1:
            raise KeyError(f"{len(cells)} cells have {labels}; the axes are {self.axes()}")
        values = cells[0][1]
        if metric not in values:
            raise UnknownNameError("measured number", metric, values)
        return values[metric]


class Table(CellTable[RunSample]):
    """The result of a study: for each cell its labels, and a sample of each measured number.

    Attributes:
        cells: labels and samples.
        runs: number of runs.
        seeds: the runs of a cell have the seeds 1 to this number.
        cpu_s: processor time of the runs in seconds.

    """

    def __init__(
        self,
        cells: Sequence[tuple[Labels, Mapping[str, RunSample]]],
        *,
        runs: int = 0,
        seeds: int = 0,
        cpu_s: float = 0.0,
    ) -> None:
        super().__init__(cells)
        self.runs, self.seeds, self.cpu_s = runs, seeds, cpu_s

    def where(self, **labels: Any) -> Table:
        """The cells with these labels."""
        cells = self.cells_with(labels)
        if not cells:
            raise KeyError(f"no cell has {labels}; the axes are {self.axes()}")
        return Table(cells, runs=self.runs, seeds=self.seeds, cpu_s=self.cpu_s)

    def along(self, name: str, metric: str, **labels: Any) -> list[tuple[Any, RunSample]]:
        """The values on an axis with the sample of a number at each, among the cells with these labels."""
        part = self.where(**labels)
        return [(value, part(metric, **{name: value})) for value in part.axis(name)]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each cell and number: labels, `metric`, `mean`, `sd`, `ci95_low`, `ci95_high`, `runs`."""
        rows = []
        for labels, samples in self.cells:
            for name, sample in samples.items():
                estimate = sample.summary
                if estimate is not None:
                    low, high = estimate.ci95 or (None, None)
                    numbers = {"mean": estimate.mean, "sd": estimate.sd, "ci95_low": low, "ci95_high": high}
                    rows.append({**labels, "metric": name, **numbers, "runs": estimate.runs})
        return rows

    def run_rows(self) -> list[dict[str, Any]]:
        """A row for each run: labels, `seed` (None for formulas), and a column for each number."""
        rows = []
        for labels, samples in self.cells:
            random = [sample for sample in samples.values() if sample.random]
            for run in range(max((len(sample.values) for sample in random), default=1)):
                values = {name: float(s.values[run if s.random else 0]) for name, s in samples.items()}
                finite = {name: None if math.isnan(value) else value for name, value in values.items()}
                rows.append({**labels, "seed": run + 1 if random else None, **finite})
        return rows

    def to_pandas(self, *, per_run: bool = False) -> Any:
        """`rows`, or `run_rows` with `per_run`, as a `pandas.DataFrame`. Raises `MissingPackageError`."""
        return to_pandas(self.run_rows() if per_run else self.rows())

    def to_arrow(self, *, per_run: bool = False) -> Any:
        """`rows`, or `run_rows` with `per_run`, as a `pyarrow.Table`."""
        return to_arrow(self.run_rows() if per_run else self.rows())

    def _grid(self) -> TextTable:
        axes = list(self.axes())
        names = list(dict.fromkeys(name for _, samples in self.cells for name in samples))
        lines = [
            (*(str(labels.get(axis, "")) for axis in axes), *(_text(samples.get(name)) for name in names))
            for labels, samples in self.cells[:MAX_SHOWN]
        ]
        more = f", the first {MAX_SHOWN} shown" if len(self.cells) > MAX_SHOWN else ""
        title = f"{len(self.cells)} cells, {self.runs} runs: {MEAN}{more}"
        return TextTable(title, (*axes, *names), tuple(lines), len(axes))

    def __repr__(self) -> str:
        return format_tables([self._grid()])

    def _repr_html_(self) -> str:
        return f'{STYLE}<div class="penstock">{html_table(self._grid())}</div>'

    def __add__(self, other: Table) -> Table:
        """A table with the cells of both."""
        return Table(
            (*self.cells, *other.cells),
            runs=self.runs + other.runs,
            seeds=max(self.seeds, other.seeds),
            cpu_s=self.cpu_s + other.cpu_s,
        )

    @classmethod
    def from_formulas(cls, rows: Rows) -> Table:
        """A table of formulas: numbers that need no run."""
        return cls([(labels, {name: RunSample(value) for name, value in values.items()}) for labels, values in rows])


def _text(sample: RunSample | None) -> str:
    estimate = None if sample is None else sample.summary
    if estimate is None:
        return "–"
    return f"{estimate.mean:.4g} ± {estimate.half_width:.2g}" if estimate.half_width else f"{estimate.mean:.4g}"
