"""Figure 11: queue and average, RED (Section V)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.chung_claypool_2003 import step_load
from penstock.papers.chung_claypool_2003.step_load import loads, oscillation, stable, whole
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = step_load.course


def study(effort: Effort) -> Study:
    """Flows added every 50 s."""
    return step_load.study(["RED"], effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claim c13."""
    if not whole(table):
        return
    yield Claim(
        id="c13",
        says="RED is stable up to 150 flows, hits max_th at 200, and becomes increasingly unstable above",
        expected="stable at 50 to 150; at 200 below max_th for less than 99 %; sd(avg) increasing over 200, 250, 300",
        because="above 200 flows every arrival over max_th is dropped, which holds the average there (why-c18, ns2)",
        holds=all_of(
            *(stable(table, "RED", n) for n in loads(table, 50, 150)),
            (table("below", queue="RED", flows=200) < 0.99).at("N = 200, time below max_th"),
            (oscillation(table, "RED", 250) > oscillation(table, "RED", 200)).at("sd at 250 and 200"),
            (oscillation(table, "RED", 300) > oscillation(table, "RED", 250)).at("sd at 300 and 250"),
        ),
    )
    yield Claim(
        id="c13",
        says="RED is stable up to 150 flows, and from 200 on hits max_th ever more",
        reading="unstable: the average meets max_th, whatever its sd",
        expected="stable at 50 to 150; time below max_th < 99 % at 200, and falling over 200, 250, 300",
        holds=all_of(
            *(stable(table, "RED", n) for n in loads(table, 50, 150)),
            (table("below", queue="RED", flows=200) < 0.99).at("N = 200, time below max_th"),
            (table("below", queue="RED", flows=250) < table("below", queue="RED", flows=200)).at("250 and 200"),
            (table("below", queue="RED", flows=300) < table("below", queue="RED", flows=250)).at("300 and 250"),
        ),
    )


def draw(shown: Shown) -> Figure:
    """Queue and average of the first run."""
    return step_load.draw_course(shown, "RED")
