"""The names that the module of a figure or table imports: `from penstock.reproduce.figure import Claim, metric`."""

from penstock.plots.curves import CurveFigure
from penstock.reproduce.claim import (
    Claim,
    claim_factory,
    claims_if_measured,
    claims_in_cells,
    claims_under_reading,
    not_comparable,
)
from penstock.reproduce.curve import largest, mean, r_squared, slope, smallest, spread, where_least
from penstock.reproduce.effort import QuickOrFull, ReproductionEffort, Sweep, value_for_effort
from penstock.reproduce.exhibit import Exhibit
from penstock.reproduce.label_values import Readings, above, at_least, at_most, below, within
from penstock.reproduce.node import Curve
from penstock.reproduce.number import Number, formula, function_of_samples, function_per_run, judged_statement, metric
from penstock.reproduce.statement import Statement, at_least_share, every, join_parts, some, table_statement
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Rows, Table
from penstock.studies.study import Study

__all__ = [
    "Claim",
    "Curve",
    "CurveFigure",
    "Exhibit",
    "Number",
    "QuickOrFull",
    "Readings",
    "ReproductionEffort",
    "Rows",
    "Statement",
    "Study",
    "SummaryTable",
    "Sweep",
    "Table",
    "above",
    "at_least",
    "at_least_share",
    "at_most",
    "below",
    "claim_factory",
    "claims_if_measured",
    "claims_in_cells",
    "claims_under_reading",
    "every",
    "formula",
    "function_of_samples",
    "function_per_run",
    "join_parts",
    "judged_statement",
    "largest",
    "mean",
    "metric",
    "not_comparable",
    "r_squared",
    "slope",
    "smallest",
    "some",
    "spread",
    "table_statement",
    "value_for_effort",
    "where_least",
    "within",
]  # fmt: skip
