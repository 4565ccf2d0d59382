"""Why c13, c16 and c18: the average of strict RED is held at max_th by forced drops; without them it swings."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.chung_claypool_2003 import step_load
from penstock.papers.chung_claypool_2003.step_load import MAX_TH, loads, oscillation, stable, unstable
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

QUEUES = ["RED", "gentle RED", "A-RED", "RED-ECN", "gentle RED-ECN", "A-RED-ECN"]
READING = "RED without forced drops above max_th (gentle), the one thing that holds its average there"
measure = step_load.numbers


def study(effort: Effort) -> Study:
    """The runs of figures 11 to 16."""
    return step_load.study(QUEUES, effort)


def claims(table: Table) -> Iterator[Claim]:
    """Other readings of c13, c16 and c18, in which the ramp takes the place of the forced drops."""
    if not table.has(flows=300):
        return
    high = loads(table, 200, 300)
    yield Claim(
        id="c18",
        says="A-RED and A-RED-ECN are stable over the whole range, RED is not",
        reading=READING,
        expected="sd(avg) < that of gentle RED, with marks of gentle RED-ECN, at 200 to 300 flows",
        holds=all_of(
            (oscillation(table, queue, n) < oscillation(table, other, n)).at(f"{queue}, N = {n}")
            for queue, other in (("A-RED", "gentle RED"), ("A-RED-ECN", "gentle RED-ECN"))
            for n in high
        ),
    )
    yield Claim(
        id="c13",
        says="RED hits max_th at 200 flows and swings more and more above",
        reading=READING,
        expected="below max_th for less than 99 % at 200; sd(avg) at 250 and 300 flows > at 150",
        holds=all_of(
            (table("below", queue="gentle RED", flows=200) < 0.99).at("N = 200, time below max_th"),
            *(
                (oscillation(table, "gentle RED", n) > oscillation(table, "gentle RED", 150)).at(f"N = {n}")
                for n in (250, 300)
            ),
        ),
    )
    yield Claim(
        id="c16",
        says="RED-ECN is unstable from 150 flows on, and stable at 100",
        reading=READING,
        expected=f"stable at 100; at 150 and more sd(avg) > {0.15 * MAX_TH:g} or below max_th for less than 99 %",
        holds=all_of(
            stable(table, "gentle RED-ECN", 100), *(unstable(table, "gentle RED-ECN", n) for n in loads(table, 150))
        ),
    )


def draw(shown: Shown) -> Figure:
    """The deviation of the average of strict and gentle RED and of A-RED."""
    return curves(shown, "flows", "avg_sd", "queue", labels=("flows", "sd of the average queue (packets)"))
