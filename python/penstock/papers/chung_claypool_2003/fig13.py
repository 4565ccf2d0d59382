"""Figure 13: queue and average, Adaptive RED (Section V)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.chung_claypool_2003 import step_load
from penstock.papers.chung_claypool_2003.step_load import loads, stable
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = step_load.course


def study(effort: Effort) -> Study:
    """Flows added every 50 s."""
    return step_load.study(["A-RED", "RED"], effort)


def claims(table: Table) -> Iterator[Claim]:
    """The half of c18 that is about drops, as another reading of it."""
    yield Claim(
        id="c18",
        says="A-RED is stable over the whole range",
        reading="A-RED alone, and stable as for the others: sd(avg) <= 0.15 max_th, below max_th for 99 % of the time",
        expected="at each load",
        holds=all_of(stable(table, "A-RED", n) for n in loads(table)),
    )


def draw(shown: Shown) -> Figure:
    """Queue and average of the first run."""
    return step_load.draw_course(shown, "A-RED")
