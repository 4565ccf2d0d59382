"""Figure 16: queue and average, Adaptive RED with marks (Section V)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.chung_claypool_2003 import step_load
from penstock.papers.chung_claypool_2003.step_load import loads, oscillation
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = step_load.course


def study(effort: Effort) -> Study:
    """Flows added every 50 s."""
    return step_load.study(["A-RED-ECN", "A-RED", "RED"], effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claims c18 and c24."""
    both, high = ("A-RED", "A-RED-ECN"), loads(table, 200, 300)
    yield Claim(
        id="c18",
        says="A-RED and A-RED-ECN are stable over the whole range",
        expected="50 to 300 flows: average within the thresholds (99 % of the time); N >= 200: sd(avg) < RED's",
        because="both stay within; but strict RED's average, pinned to max_th by forced drops, is steadier (why-c18)",
        holds=all_of(
            *(
                (table("inside", queue=queue, flows=n) >= 0.99).at(f"{queue}, N = {n}, time within")
                for queue in both for n in loads(table, 50, 300)
            ),
            *(
                (oscillation(table, queue, n) < oscillation(table, "RED", n)).at(f"{queue}, N = {n}, sd")
                for queue in both for n in high
            ),
        ),
    )  # fmt: skip
    yield Claim(
        id="c24",
        says="at high loads the average of A-RED-ECN is steadier than that of A-RED",
        expected="sd(avg) of A-RED-ECN < A-RED at 200 flows and more",
        because="max_p moves in larger waves, windows of 2 to 3 whole packets are halved (why-c24); ns-2 agrees (ns2)",
        holds=all_of(
            (oscillation(table, "A-RED-ECN", n) < oscillation(table, "A-RED", n)).at(f"N = {n}")
            for n in loads(table, 200)
        ),
    )


def draw(shown: Shown) -> Figure:
    """Queue and average of the first run."""
    return step_load.draw_course(shown, "A-RED-ECN")
