"""`Runs`: the results of runs as a typed table with one row per run.

The columns are the same as in a store's Parquet files (`penstock.results.columns`): the scheme and the swept keys, the
seed and the address of the scenario, and each number under the path that it has in the JSON of `run`. Distributions are
lists. Everything else is computed from this table: means and intervals, paired differences, texts, figures and pages.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from penstock.errors import PenstockError, UnknownNameError
from penstock.results import estimates
from penstock.results.columns import ResultColumn
from penstock.results.comparison import Comparison
from penstock.results.estimate import Estimate, summarize
from penstock.results.estimates import Estimates
from penstock.results.frames import import_optional_package
from penstock.results.run_table import RunTable, StudyDesign
from penstock.studies import outputs

__all__ = ["Runs", "StudyDesign"]


class Runs(RunTable):
    """The results of runs, a row per run.

    It prints a short summary; a notebook also shows charts. `runs["fq-codel"]` selects the runs of a scheme, and
    `runs.where(count=20)` the runs with a swept value, where `count` is the last part of its path. Arrow, polars,
    DuckDB and pandas read the table directly (`pl.DataFrame(runs)`).

    Attributes:
        table: the `pyarrow.Table`.
        design: schemes, swept values and scenario.

    """

    # ---- numbers -----------------------------------------------------------------------------------------------

    def estimate(self, metric: str, place: str | None = None, **labels: Any) -> Estimate:
        """Mean, standard deviation and 95 % interval of a metric over the runs with these labels (see `where`).

        Raises `PenstockError` if the labels leave several schemes or swept values open.
        """
        part = self.where(**labels)
        if len(part.schemes) > 1:
            raise PenstockError(f"{len(part.schemes)} schemes fit; name one with scheme=")
        if len(part.points) > 1:
            several = "; ".join(point.label for point in part.points[:6])
            raise PenstockError(f"{len(part.points)} points of the sweep fit; choose one: {several}")
        values = part.array(metric, place).ravel()
        return summarize(values[~np.isnan(values)].tolist(), self.alpha)

    def summary(self, metric: str | None = None, place: str | None = None) -> Estimates:
        """Means with 95 % intervals, for each scheme and point: of one metric, or of all of them.

        The interval is Student's t over the runs. Without `place`, a single metric is taken at the first
        place that has it. Raises `UnknownNameError`.
        """
        return estimates.mean_estimates(self, self._chosen(metric, place))

    def compare(
        self,
        to: str | None = None,
        metric: str | None = None,
        place: str | None = None,
        *,
        simultaneous: bool = False,
    ) -> Estimates:
        """Differences of the other schemes to `to` (default: the first scheme), paired by seed, with 95 % intervals.

        With `simultaneous`, all intervals of a metric at a place, over schemes and points, jointly cover the true
        differences with probability 95 % (max-t, `penstock.results.simultaneous`). Raises `UnknownNameError`.
        """
        reference = 0 if to is None else list(self.design.schemes).index(self._scheme(to))
        return estimates.difference_estimates(self, self._chosen(metric, place), reference, simultaneous=simultaneous)

    def _chosen(self, metric: str | None, place: str | None) -> list[ResultColumn]:
        if metric is not None:
            return [self.column(metric, place)]
        if place is not None and place not in self.places:
            raise UnknownNameError("place", place, self.places)
        return [column for column in self.columns if place in (None, column.place)]

    # ---- output ------------------------------------------------------------------------------------------------

    @cached_property
    def comparison(self) -> Comparison:
        """The statistics that texts, JSON and pages show."""
        return Comparison.from_runs(self)

    def plot(
        self, metric: str, x: str | None = None, by: str = "scheme", panel: str | None = None, place: str | None = None
    ) -> Any:
        """A `matplotlib` figure of a metric with 95 % intervals against a swept key.

        Each value of `by` has a curve, each value of `panel` a panel. Keys are named by their path or its last part.
        `x` is by default the first swept key, or the scheme without a sweep.
        """
        return outputs.plot(self, metric, x, by, panel, place)

    def save(self, file: str | Path) -> None:
        """Write a file in the format of its suffix.

        `.csv`, `.parquet` and `.arrow` contain the runs, `.json` their means, `.tex` a table of the means of links.
        `.html` is a page; `.pdf`, `.svg` and `.png` are a figure of the 99th percentile of the delay.

        Raises `FileError` if the file cannot be written, and `PenstockError` for any other suffix.
        """
        outputs.save(self, Path(file))

    def to_dict(self) -> dict[str, Any]:
        """As `penstock compare --json` writes it."""
        return self.comparison.to_dict()

    def to_json(self) -> str:
        """The JSON text: the same bytes for the same scenario, seeds and version, on any number of threads."""
        return self.comparison.to_json()

    def to_arrow(self) -> pa.Table:
        """The `pyarrow.Table`."""
        return self.table

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`, a row per run. Raises `MissingPackageError` without pandas."""
        import_optional_package("pandas", "a data frame")
        return self.table.to_pandas()

    def to_xarray(self) -> Any:
        """An `xarray.Dataset` with the dimensions `scheme`, the swept keys, and `seed`; a variable per number.

        Raises `MissingPackageError` without xarray.
        """
        return outputs.to_xarray(self)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)

    def __eq__(self, other: object) -> bool:
        """Whether these are the same runs with the same results; processor times are ignored."""
        if not isinstance(other, Runs):
            return NotImplemented
        timeless = [name for name in self.table.column_names if name != "cpu_s"]
        if timeless != [name for name in other.table.column_names if name != "cpu_s"]:
            return False
        same: bool = self.table.select(timeless).equals(other.table.select(timeless))
        return same and self.design == other.design

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return Runs, (self.table, self.design)

    def __repr__(self) -> str:
        return repr(self.comparison)

    def _repr_html_(self) -> str:
        return self.comparison._repr_html_() + outputs.chart_images(self)
