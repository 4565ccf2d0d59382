"""Figure 17: the link's utilization (Section V)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.chung_claypool_2003 import step_load
from penstock.papers.chung_claypool_2003.step_load import DROPPING, MARKING
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = step_load.numbers


def study(effort: Effort) -> Study:
    """The whole family and drop-tail."""
    return step_load.study(["drop-tail", *DROPPING, *MARKING], effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claim c19."""
    yield Claim(
        id="c19",
        says="the link is fully used by every scheme at every load",
        expected="utilization >= 0.99",
        must_hold=True,
        holds=all_of(
            (sample >= 0.99).at(f"{queue}, N = {flows}")
            for queue in table.axis("queue")
            for flows, sample in table.along("flows", "utilization", queue=queue)
        ),
    )


def draw(shown: Shown) -> Figure:
    """A line for each scheme."""
    return curves(shown, "flows", "utilization", "queue", labels=("flows", "utilization"))
