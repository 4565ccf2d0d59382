"""The figure of `penstock results`: a metric plotted against an axis, in the width of a journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.cli.result_source import ResultSource, not_a_result_error
from penstock.errors import PenstockError

if TYPE_CHECKING:
    from penstock.results.summary_table import SummaryTable

__all__ = ["AxisOptions", "JournalWidth", "draw_figure"]


class JournalWidth(StrEnum):
    """Width of a figure in a journal."""

    single = "single"
    double = "double"


@dataclass(frozen=True)
class AxisOptions:
    """The values of `--x`, `--y`, `--by` and `--panel`; None for options that are not given."""

    x: str | None
    y: str | None
    by: str | None
    panel: str | None

    @property
    def options(self) -> list[str]:
        """The options that are given."""
        options = {"--x": self.x, "--y": self.y, "--by": self.by, "--panel": self.panel}
        return [option for option, value in options.items() if value is not None]


def draw_figure(source: ResultSource, axes: AxisOptions, width: JournalWidth, file: Path) -> None:
    """Draw means with 95 % intervals and write the picture."""
    if axes.x is None or axes.y is None:
        missing = " and ".join(option for option, value in (("--x", axes.x), ("--y", axes.y)) if value is None)
        raise PenstockError(f"-o {file}: a figure requires --x PATH and --y METRIC; missing: {missing}")
    from penstock.plots import metric_by_axis, save
    from penstock.results.short_names import full_name

    table, metric, runs = _from_store(source, axes.y) if source.file is None else _from_result(source, axes.y)
    axis_names = list(dict.fromkeys(name for labels, _ in table.cells for name in labels))
    by = axes.by or ("scheme" if "scheme" in axis_names and "scheme" not in (axes.x, axes.panel) else None)
    named = {"--x": axes.x, "--by": by, "--panel": axes.panel}
    paths = {option: full_name("axis", name, axis_names) for option, name in named.items() if name is not None}
    if len(set(paths.values())) < len(paths):
        raise PenstockError(f"{' and '.join(paths)}: must name different axes")
    drawn = metric_by_axis.draw(
        table, paths["--x"], metric, paths.get("--by"), paths.get("--panel"), width=width.value, note=_note(runs)
    )
    save(drawn, file)


def _from_store(source: ResultSource, y: str) -> tuple[SummaryTable, str, Sequence[int]]:
    """The cells, the path of the metric, and the minimum and maximum number of runs of a cell."""
    from penstock.results.short_names import full_name
    from penstock.results.summary_table import SummaryPoint, SummaryTable
    from penstock.studies.database import Database
    from penstock.studies.store_table import StoreTable, parse_choices

    with Database(source.name) as database:
        metric = full_name("metric", y, database.metrics)
        table = StoreTable(database, source.study, parse_choices(source.where)).read([metric])
    cells = [(labels, summary) for labels, samples in table.cells if (summary := samples[metric].summary) is not None]
    runs = [summary.runs for _, summary in cells]
    points = SummaryTable(
        (labels, {metric: SummaryPoint(summary.mean, summary.half_width)}) for labels, summary in cells
    )
    return points, metric, (min(runs, default=0), max(runs, default=0))


def _from_result(source: ResultSource, y: str) -> tuple[SummaryTable, str, Sequence[int]]:
    from penstock.results.distribution import parse_bin
    from penstock.results.parts import part_and_place
    from penstock.results.short_names import full_name
    from penstock.results.summary_table import SummaryTable

    result = source.read()
    if "rows" not in result:
        raise PenstockError(f"{source.file}: a single run has no axis to plot; use a result of compare --vary")
    rows_of: dict[str, list[Mapping[str, Any]]] = {}
    try:
        links = result["scenario"].get("links") or {}
        for row in result["rows"]:
            if parse_bin(row["metric"]) is None:
                rows_of.setdefault(".".join((*part_and_place(row["place"], links), row["metric"])), []).append(row)
        tables = {name: SummaryTable.from_rows(rows, name) for name, rows in rows_of.items()}
        runs = {name: [row["runs"] for row in rows] for name, rows in rows_of.items()}
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise not_a_result_error(source.file, f"{type(error).__name__}: {error}") from None
    metric = full_name("metric", y, rows_of)
    return tables[metric], metric, (min(runs[metric], default=0), max(runs[metric], default=0))


def _note(runs: Sequence[int]) -> str:
    fewest, most = runs
    if most < 2:
        return "n = 1: no interval"
    return f"95 % intervals, n = {most}" if fewest == most else f"95 % intervals, n = {fewest} to {most}"
