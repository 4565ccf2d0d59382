"""Why c12 fails for short flows: loss by their number, two round trips, 1000 packets."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.kantawala_turner_2005.setup import DRR_BASED, measure, queue, times, two_round_trips
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

BUFFER = 1000  # packets


def study(effort: Effort) -> Study:
    """The work's 1000 short flows and fewer."""
    span = times(effort, "two round trips")
    return Study(
        lambda scheme, flows: two_round_trips("short", queue(scheme, BUFFER), span, flows=flows),
        {"scheme": DRR_BASED, "flows": effort.choose([250, 1000], [250, 300, 350, 400, 500, 700, 1000])},
        seeds=5,
    )


def claims(table: Table) -> Iterator[Claim]:
    """None of the work's."""
    yield from ()


def draw(shown: Shown) -> Figure:
    """Loss by the number of flows."""
    return curves(shown, "flows", "loss", "scheme", labels=("short flows", "loss (%)"), log="xy")
