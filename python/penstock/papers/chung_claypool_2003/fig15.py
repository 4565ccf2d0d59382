"""Figure 15: queue and average, gentle RED with marks (Section V)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.chung_claypool_2003 import step_load
from penstock.papers.chung_claypool_2003.step_load import loads, oscillation, stable, whole
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Condition, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = step_load.course


def study(effort: Effort) -> Study:
    """Flows added every 50 s."""
    return step_load.study(["gentle RED-ECN", "gentle RED", "gentle RED-ECN, marks to the top"], effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claim c15, also with marks on the gentle ramp."""
    if not whole(table):
        return
    low = loads(table, 50, 200)
    says = "gentle RED and gentle RED-ECN are stable up to 200 flows"
    top = "gentle RED-ECN, marks to the top"
    ramp = "the ramp above max_th is where the gentle forms work, so that only sd(avg) <= 0.15 max_th is asked"

    def steady(queue: str) -> Condition:
        return all_of((oscillation(table, queue, n) <= 45).at(f"{queue}, N = {n}") for n in low)

    yield Claim(
        id="c15",
        says=says,
        expected="sd(avg) <= 0.15 max_th, below max_th for 99 % of the time, N <= 200",
        because="at 200 flows both settle on the ramp, just above max_th, and stay there (figures 12 and 15)",
        holds=all_of(stable(table, queue, n).at(queue) for queue in ("gentle RED", "gentle RED-ECN") for n in low),
    )
    yield Claim(
        id="c15",
        says=says,
        reading=f"packets are dropped above max_th; {ramp}",
        expected="at 50 to 200 flows",
        holds=all_of(steady("gentle RED"), steady("gentle RED-ECN")),
    )
    yield Claim(
        id="c15",
        says=says,
        reading=f"packets are marked up to 2 max_th; {ramp}",
        expected="at 50 to 200 flows",
        holds=all_of(steady("gentle RED"), steady(top)),
    )


def draw(shown: Shown) -> Figure:
    """Queue and average of the first run."""
    return step_load.draw_course(shown, "gentle RED-ECN")
