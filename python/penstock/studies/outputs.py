"""The output of a table of runs: files, figures, labelled arrays."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from penstock.errors import PenstockError, did_you_mean
from penstock.files import atomic_replacement, write_text
from penstock.report import page
from penstock.results.columns import varchar_text
from penstock.results.comparison import Comparison
from penstock.results.distribution import is_distribution
from penstock.results.estimates import mean_estimates
from penstock.results.frames import import_optional_package
from penstock.results.latex import latex_link_means
from penstock.results.metrics import find_metric
from penstock.results.run_table import RunTable
from penstock.results.short_names import full_name
from penstock.results.summary_table import SummaryTable
from penstock.results.sweep import horizontal_axis
from penstock.studies.over_time import record_over_time
from penstock.studies.repeat import comparison_script

__all__ = ["KINDS", "chart_images", "plot", "save", "to_xarray", "write_table"]


FIGURE = "delay_p99_s"
"""The metric of a saved figure; `Runs.plot` draws any metric."""

CHARTS = ("length_mean_pkts", FIGURE, "loss_rate", "utilization")
"""The metrics that a notebook shows as charts."""


def save(runs: RunTable, file: Path) -> None:
    """Write runs to a file in the format of its suffix; see `Runs.save`."""
    ending = file.suffix.lower()
    if ending not in KINDS:
        endings = ", ".join(KINDS)
        raise PenstockError(f"{file}: the file must end in one of {endings}{did_you_mean(ending, KINDS)}")
    KINDS[ending](runs, file)


def write_table(table: pa.Table, file: Path) -> None:
    """Write a table as `.csv`, `.parquet` or `.arrow`, whole or not at all. Raises `FileError`."""
    from pyarrow import csv, parquet

    with atomic_replacement(file) as part:
        match file.suffix.lower():
            case ".csv":
                csv.write_csv(_plain(table), part)
            case ".parquet":
                parquet.write_table(table, part, compression="zstd")
            case _:
                with pa.OSFile(str(part), "wb") as target, pa.ipc.new_file(target, table.schema) as writer:
                    writer.write_table(table)


def _plain(table: pa.Table) -> pa.Table:
    """The table with its lists as text, for CSV."""
    for index, column in enumerate(table.schema):
        if pa.types.is_list(column.type):
            texts = [None if value is None else str(value) for value in table[column.name].to_pylist()]
            table = table.set_column(index, column.name, pa.array(texts, pa.string()))
    return table


def _page(runs: RunTable, file: Path) -> None:
    try:
        script = comparison_script(runs.design, len(runs.seeds))
    except PenstockError:  # an AQM in Python that is not in a file
        script = ""
    result = {**Comparison.from_runs(runs).to_dict(), "series": record_over_time(runs), "script": script}
    page.write(result, file)


def _figure(runs: RunTable, file: Path) -> None:
    from penstock import plots

    plots.save(plot(runs, FIGURE, None, "scheme", None, None), file)


def _latex(runs: RunTable, file: Path) -> None:
    write_text(file, latex_link_means(Comparison.from_runs(runs).to_dict()))


def _json(runs: RunTable, file: Path) -> None:
    write_text(file, Comparison.from_runs(runs).to_json())


def _table(runs: RunTable, file: Path) -> None:
    write_table(runs.table, file)


KINDS: dict[str, Callable[[RunTable, Path], None]] = {
    ".csv": _table,
    ".parquet": _table,
    ".arrow": _table,
    ".json": _json,
    ".tex": _latex,
    ".html": _page,
    ".pdf": _figure,
    ".svg": _figure,
    ".png": _figure,
}
"""The writer for each suffix."""


def plot(runs: RunTable, metric: str, x: str | None, by: str, panel: str | None, place: str | None) -> Any:
    """A figure of a metric; see `Runs.plot`."""
    from penstock.plots import metric_by_axis

    names = ["scheme", *runs.axes]
    across = full_name("swept key", x, names) if x else next(iter(runs.axes), "scheme")
    curve = full_name("swept key", by, names)
    column = runs.column(metric, place)
    split = full_name("swept key", panel, names) if panel else None
    note = f"95 % intervals, n = {len(runs.seeds)}" if len(runs.seeds) > 1 else "n = 1: no interval"
    summary = SummaryTable.from_rows(mean_estimates(runs, [column]), column.name)
    return metric_by_axis.draw(summary, across, column.name, None if curve == across else curve, split, note=note)


def chart_images(runs: RunTable) -> str:
    """The metrics `CHARTS` at the first place as images, at the first values of all swept keys except one."""
    from penstock.plots import style

    path, lines = horizontal_axis(runs.points)
    part = runs._part(runs.design.schemes, [runs.design.points[i] for i in lines[0][1]])
    place = runs.replaced_links[0]
    images = []
    for name in CHARTS:
        if name not in runs.metrics[place] or not np.nansum(part.array(name, place)):
            continue
        try:
            figure = plot(part, name, path, "scheme", None, place)
        except PenstockError:  # too many schemes for one figure
            continue
        drawn = io.BytesIO()
        with style.figure_style():
            figure.savefig(drawn, format="svg", metadata={"Date": None})
        source = base64.b64encode(drawn.getvalue()).decode()
        images.append(f'<img alt="{find_metric(name).title}" src="data:image/svg+xml;base64,{source}">')
    return "".join(images)


def to_xarray(runs: RunTable) -> Any:
    """The labelled arrays of runs; see `Runs.to_xarray`."""
    xarray = import_optional_package("xarray", "labelled arrays")
    axes = runs.axes
    dims = ["scheme", *axes, "seed"]
    shape = [len(runs.schemes), *map(len, axes.values()), len(runs.seeds)]
    at = [[values.index(point[path]) for path, values in axes.items()] for point in runs.design.points]
    variables: dict[str, Any] = {}
    for column in runs.columns:
        if column.name not in axes and not is_distribution(column.metric):
            values = np.full(shape, np.nan)
            for index, each in zip(at, runs.array(column.metric, column.place), strict=True):
                values[(slice(None), *index)] = each  # type: ignore[index]
            variables[column.name] = (dims, values)
    swept = {
        path: [value if value is None or np.isscalar(value) else varchar_text(value) for value in values]
        for path, values in axes.items()
    }
    coordinates = {"scheme": [scheme.argument for scheme in runs.schemes], **swept, "seed": runs.seeds}
    return xarray.Dataset(variables, coords=coordinates)
