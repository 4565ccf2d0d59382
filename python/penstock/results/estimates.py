"""`Estimates`: means and paired differences over runs, as a tidy table with a row per number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from penstock.results.columns import ResultColumn
from penstock.results.display import scheme_argument
from penstock.results.distribution import DistributionBin, bin_width, binned_shares, is_distribution
from penstock.results.estimate import Estimate, summarize
from penstock.results.frames import import_optional_package, to_arrow
from penstock.results.grid import STYLE, difference_table, format_tables, html_table, mean_table
from penstock.results.leading_schemes import paired_differences
from penstock.results.run_table import RunTable
from penstock.results.simultaneous import adjusted_alpha

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Estimates", "difference_estimates", "mean_estimates", "table_difference_estimates"]

Row = Mapping[str, Any]


class Estimates:
    """Estimates with 95 % intervals, one per row.

    Columns: `scheme`, the swept keys, `place`, `metric`, `mean`, `half_width`, `sd`, `ci95_low`, `ci95_high`, `runs`,
    and for differences `against`, the reference scheme. Arrow, polars and DuckDB read it directly.

    Attributes:
        rows: as in the JSON of `compare`: `scheme` and `params`, `vary`, `place`, `metric`, `mean`, `sd`, `ci95`,
            `runs`.

    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = list(rows)

    @cached_property
    def table(self) -> pa.Table:
        """The rows as a `pyarrow.Table`."""
        return to_arrow([_flat(row) for row in self.rows])

    def to_arrow(self) -> pa.Table:
        """The `pyarrow.Table`."""
        return self.table

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`. Raises `MissingPackageError` without pandas."""
        import_optional_package("pandas", "a data frame")
        return self.table.to_pandas()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __eq__(self, other: object) -> bool:
        return self.rows == other.rows if isinstance(other, Estimates) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def _grids(self) -> list[Any]:
        places = dict.fromkeys(row["place"] for row in self.rows)
        layout = difference_table if self.rows and "against" in self.rows[0] else mean_table
        return [layout([row for row in self.rows if row["place"] == place]) for place in places]

    def __repr__(self) -> str:
        return format_tables(self._grids())

    def _repr_html_(self) -> str:
        return f'{STYLE}<div class="penstock">{"".join(map(html_table, self._grids()))}</div>'


def mean_estimates(runs: RunTable, columns: Sequence[ResultColumn]) -> Estimates:
    """The means of these columns for each scheme and point; for a distribution, the mean of each value or bin."""
    distributions = {c.name: dict(_binned(runs, c)) for c in columns if is_distribution(c.metric)}
    arrays = {c.name: runs.column_array(c.name) for c in columns if not is_distribution(c.metric)}
    rows: list[Row] = []
    for point in range(len(runs.points)):
        for scheme in range(len(runs.schemes)):
            for column in columns:
                if column.name in arrays:
                    values = arrays[column.name][point, scheme]
                    rows += _rows(runs, (point, scheme), column, values, runs.alpha)
                else:
                    bins = distributions[column.name][point, scheme]
                    rows += [_row(runs, (point, scheme), column.place, str(part), mean) for part, mean in bins]
    return Estimates(rows)


def difference_estimates(
    runs: RunTable, columns: Sequence[ResultColumn], reference: int, *, simultaneous: bool = False
) -> Estimates:
    """The differences of these columns to the scheme with index `reference`, paired by seed.

    With `simultaneous`, the intervals of each column jointly cover the true differences with probability 1 - alpha.
    """
    name, params = runs.design.schemes[reference]
    others = [scheme for scheme in range(len(runs.schemes)) if scheme != reference]
    arrays = {c.name: runs.column_array(c.name) for c in columns if not is_distribution(c.metric)}
    pairs = [(scheme, reference) for scheme in others]
    alphas = {
        column: adjusted_alpha(paired_differences(values, pairs), runs.alpha) if simultaneous and others else runs.alpha
        for column, values in arrays.items()
    }
    rows: list[Row] = []
    for point in range(len(runs.points)):
        for scheme in others:
            for column in columns:
                if column.name in arrays:
                    values = arrays[column.name][point]
                    apart_by = values[scheme] - values[reference]
                    estimated = _rows(runs, (point, scheme), column, apart_by, alphas[column.name])
                    rows += [{**row, "against": name, "against_params": dict(params)} for row in estimated]
    return Estimates(rows)


def table_difference_estimates(runs: RunTable, others: RunTable) -> Estimates:
    """The differences `runs - others` of two tables with the same schemes and points, paired by seed."""
    rows: list[Row] = []
    shared = [i for i, seed in enumerate(runs.seeds) if seed in others.seeds]
    paired = [others.seeds.index(runs.seeds[i]) for i in shared]
    names = {column.name for column in others.columns}
    columns = [c for c in runs.columns if c.name in names and not is_distribution(c.metric)]
    arrays = {
        c.name: runs.column_array(c.name)[..., shared] - others.column_array(c.name)[..., paired] for c in columns
    }
    for point in range(len(runs.points)):
        for scheme in range(len(runs.schemes)):
            for column in columns:
                rows += _rows(runs, (point, scheme), column, arrays[column.name][point, scheme], runs.alpha)
    return Estimates(rows)


def _rows(runs: RunTable, at: tuple[int, int], column: ResultColumn, values: np.ndarray, alpha: float) -> Iterator[Row]:
    """The row of a metric; no row if no run has the metric."""
    present = values[~np.isnan(values)]
    if len(present):
        yield _row(runs, at, column.place, column.metric, summarize(present.tolist(), alpha))


def _row(runs: RunTable, at: tuple[int, int], place: str, metric: str, estimate: Estimate) -> Row:
    """The row of an estimate at a point and scheme, as in the JSON of `compare`."""
    point, scheme = at
    name, params = runs.design.schemes[scheme]
    return {
        "scheme": name,
        "params": dict(params),
        "vary": dict(runs.design.points[point]),
        "place": place,
        "metric": metric,
        "mean": estimate.mean,
        "sd": estimate.sd,
        "ci95": None if estimate.ci95 is None else list(estimate.ci95),
        "runs": estimate.runs,
    }


def _binned(
    runs: RunTable, column: ResultColumn
) -> Iterator[tuple[tuple[int, int], list[tuple[DistributionBin, Estimate]]]]:
    """The mean of each value or bin of a distribution, over the runs that have it, by point and scheme."""
    distributions = list(runs.distributions(column))
    width = bin_width(max((len(shares) for *_, each in distributions for shares in each), default=0))
    for point, scheme, each in distributions:
        bins = -(-max(map(len, each), default=0) // width)
        parts = [binned_shares(column.metric, shares, width, bins) for shares in each]
        yield (
            (point, scheme),
            [
                (values[0][0], summarize([share for _, share in values], runs.alpha))
                for values in zip(*parts, strict=True)
            ],
        )


def _flat(row: Row) -> dict[str, Any]:
    """A row with a column for each swept key and each end of the interval."""
    low, high = row["ci95"] or (None, None)
    half = Estimate.from_row(row).half_width
    labels = {"scheme": scheme_argument(row["scheme"], row["params"]), **row["vary"]}
    numbers = {"mean": row["mean"], "half_width": half, "sd": row["sd"], "ci95_low": low, "ci95_high": high}
    against = {"against": scheme_argument(row["against"], row["against_params"])} if "against" in row else {}
    return {**labels, "place": row["place"], "metric": row["metric"], **numbers, "runs": row["runs"], **against}
