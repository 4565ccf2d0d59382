"""Overload: the slope of the gentle ramp and the oscillation (Section V, after Figure 12)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.chung_claypool_2003 import step_load
from penstock.papers.chung_claypool_2003.step_load import oscillation
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

STEEP, FLAT = "gentle RED", "gentle RED, max_p 0.3"
measure = step_load.numbers


def study(effort: Effort) -> Study:
    """Gentle RED with max_p 0.1 and 0.3."""
    return step_load.study([STEEP, FLAT], effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claim c27."""
    yield Claim(
        id="c27",
        says="under overload the average swings the more the steeper the ramp above max_th",
        expected="sd(avg) at 250 flows smaller with max_p 0.3 than with 0.1",
        must_hold=True,
        holds=oscillation(table, FLAT, 250) < oscillation(table, STEEP, 250),
    )


def draw(shown: Shown) -> Figure:
    """The standard deviation of the average."""
    return curves(shown, "flows", "avg_sd", "queue", labels=("flows", "sd of the average queue (packets)"))
