"""One link and one round trip of 100 ms, which the paper leaves to its report (Section 4)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.kantawala_turner_2005.setup import COMPARED, measure
from penstock.papers.kantawala_turner_2005.setup import study as run_of
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]


def study(effort: Effort) -> Study:
    """Every scheme, long and short flows."""
    schemes = effort.choose(["DTDRR"], COMPARED)
    return run_of(effort, "one round trip", "long", schemes) + run_of(effort, "one round trip", "short", schemes)


def claims(table: Table) -> Iterator[Claim]:
    """None: the paper prints no result of this network; c12 counts it among its configurations."""
    yield from ()


def draw(shown: Shown) -> Figure:
    """Utilization with long flows."""
    return curves(
        shown,
        "buffer",
        "utilization",
        "scheme",
        where={"load": "long"},
        labels=("buffer (packets)", "utilization (%)"),
        log="x",
    )
