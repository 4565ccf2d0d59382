"""Figure 18: the loss rate at the router (Section V)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.chung_claypool_2003 import step_load
from penstock.papers.chung_claypool_2003.step_load import DROPPING, LIMIT, MARKING, loads
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = step_load.numbers


def study(effort: Effort) -> Study:
    """The whole family and drop-tail."""
    return step_load.study(["drop-tail", *DROPPING, *MARKING], effort)


def claims(table: Table) -> Iterator[Claim]:
    """Claims c20, c21, c22, c23 and c26."""
    every = loads(table)

    def of(metric: str, queue: str, flows: int) -> Sample:
        return table(metric, queue=queue, flows=flows)

    yield Claim(
        id="c20",
        says="the schemes that drop lose more than drop-tail",
        expected="RED, gentle RED and A-RED, each load",
        must_hold=True,
        holds=all_of(
            (of("loss", queue, n) > of("loss", "drop-tail", n)).at(f"{queue}, N = {n}")
            for queue in DROPPING
            for n in every
        ),
    )
    yield Claim(
        id="c21",
        says="the queue of drop-tail is near the buffer's size, those of the family are shorter",
        expected="drop-tail >= 0.85 of 500 packets from 100 flows on, each of the family below it",
        because="all round trips are the same, so that many flows lose at once; ns-2 has 404 packets (why-c21, ns2)",
        holds=all_of(
            *((of("q", "drop-tail", n) >= 0.85 * LIMIT).at(f"N = {n}") for n in loads(table, 100)),
            *(
                (of("q", queue, n) < of("q", "drop-tail", n)).at(f"{queue}, N = {n}")
                for queue in (*DROPPING, *MARKING)
                for n in loads(table, 100)
            ),
        ),
    )
    within = {"RED-ECN": 100, "gentle RED-ECN": 100, "A-RED-ECN": 300}  # flows that the law lets meet below max_th
    yield Claim(
        id="c22",
        says="schemes that mark lose nothing where they are well-configured",
        expected="loss <= 0.001 up to 100 flows, A-RED-ECN up to 300 (where the queue law meets the control function)",
        must_hold=True,
        holds=all_of(
            (of("loss", queue, n) <= 0.001).at(f"{queue}, N = {n}")
            for queue, most in within.items()
            for n in loads(table, 50, most)
        ),
    )
    yield Claim(
        id="c23",
        says="A-RED-ECN loses next to nothing at any load",
        expected="loss <= 0.5 %",
        must_hold=True,
        holds=all_of((of("loss", "A-RED-ECN", n) <= 0.005).at(f"N = {n}") for n in every),
    )
    yield Claim(
        id="c26",
        says="from 250 flows on gentle RED loses less than RED",
        expected="loss of gentle RED < RED",
        must_hold=True,
        holds=all_of((of("loss", "gentle RED", n) < of("loss", "RED", n)).at(f"N = {n}") for n in loads(table, 250)),
    )


def draw(shown: Shown) -> Figure:
    """A line for each scheme."""
    return curves(shown, "flows", "loss", "queue", labels=("flows", "loss rate"))
