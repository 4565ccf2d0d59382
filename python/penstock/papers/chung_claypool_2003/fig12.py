"""Figure 12: queue and average, gentle RED (Section V)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.chung_claypool_2003 import step_load
from penstock.papers.chung_claypool_2003.step_load import loads, oscillation
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = step_load.course


def study(effort: Effort) -> Study:
    """Flows added every 50 s."""
    return step_load.study(["gentle RED", "RED"], effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claim c17."""
    high = loads(table, 250)

    def loss(queue: str, flows: int) -> Sample:
        return table("loss", queue=queue, flows=flows)

    yield Claim(
        id="c17",
        says="from 250 flows on gentle does not clearly oscillate less than RED, but loses less",
        expected="sd(avg) of gentle / RED >= 0.8 and loss of gentle < RED at 250 flows and more",
        must_hold=True,
        holds=all_of(
            *(
                (oscillation(table, "gentle RED", n) / oscillation(table, "RED", n) >= 0.8).at(f"N = {n}, sd")
                for n in high
            ),
            *((loss("gentle RED", n) < loss("RED", n)).at(f"N = {n}, loss") for n in high),
        ),
    )


def draw(shown: Shown) -> Figure:
    """Queue and average of the first run."""
    return step_load.draw_course(shown, "gentle RED")
