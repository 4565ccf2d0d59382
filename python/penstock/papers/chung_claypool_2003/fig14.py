"""Figure 14: queue and average, RED with marks (Section V)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from matplotlib.figure import Figure

from penstock.papers.chung_claypool_2003 import step_load
from penstock.papers.chung_claypool_2003.step_load import loads, stable, unstable, whole
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = step_load.course


def study(effort: Effort) -> Study:
    """Flows added every 50 s; 40 runs, as ten leave open whether the average is below max_th at 150."""
    return replace(step_load.study(["RED-ECN"], effort), seeds=effort.choose(5, 40))


def claims(table: Table) -> Iterator[Claim]:
    """Claim c16."""
    if not whole(table):
        return
    yield Claim(
        id="c16",
        says="RED-ECN is unstable from 150 flows on, and stable at 100",
        expected="stable at 100; at 150 and more sd(avg) > 0.15 max_th or below max_th for less than 99 %",
        because="at 150 flows forced drops begin, and hold the average below max_th for 99 % of the time (why-c18)",
        holds=all_of(stable(table, "RED-ECN", 100), *(unstable(table, "RED-ECN", n) for n in loads(table, 150))),
    )


def draw(shown: Shown) -> Figure:
    """Queue and average of the first run."""
    return step_load.draw_course(shown, "RED-ECN")
