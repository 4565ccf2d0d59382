"""The names that the module of a figure or table imports: `from penstock.reproduce.figure import Claim, metric`."""

from penstock.plots.curves import Curves
from penstock.reproduce.choice import Readings, above, at_least, at_most, below, within
from penstock.reproduce.claim import Claim, claims_of, in_cells, needing, not_comparable, read_as
from penstock.reproduce.curve import largest, mean, r_squared, slope, smallest, spread, where_least
from penstock.reproduce.effort import Choice, Effort, Sweep, chosen
from penstock.reproduce.exhibit import Exhibit
from penstock.reproduce.node import Curve
from penstock.reproduce.number import Number, each_run, formula, judged, metric, of_samples
from penstock.reproduce.statement import Statement, by_table, every, gather, most, some
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Rows, Table
from penstock.studies.study import Study

__all__ = [
    "Choice",
    "Claim",
    "Curve",
    "Curves",
    "Effort",
    "Exhibit",
    "Number",
    "Readings",
    "Rows",
    "Statement",
    "Study",
    "SummaryTable",
    "Sweep",
    "Table",
    "above",
    "at_least",
    "at_most",
    "below",
    "by_table",
    "chosen",
    "claims_of",
    "each_run",
    "every",
    "formula",
    "gather",
    "in_cells",
    "judged",
    "largest",
    "mean",
    "metric",
    "most",
    "needing",
    "not_comparable",
    "of_samples",
    "r_squared",
    "read_as",
    "slope",
    "smallest",
    "some",
    "spread",
    "where_least",
    "within",
]  # fmt: skip
