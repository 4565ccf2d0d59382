"""Why c13: strict RED above 200 flows, with averages of longer and shorter memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.chung_claypool_2003 import step_load
from penstock.papers.chung_claypool_2003.step_load import QUEUES, kept, steps
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = step_load.numbers


def study(effort: Effort) -> Study:
    """The weight of an arrival in the average, not given by the text: 0.002 is a memory of 0.2 s, a round trip."""

    def scenario(w_q: float, flows: int) -> ps.Scenario:
        red = QUEUES["RED"]
        assert isinstance(red, ps.Red)
        return steps(replace(red, w_q=w_q), flows)

    return Study(
        scenario,
        {
            "w_q": effort.choose([0.002, 0.0001], [0.002, 0.0005, 0.0002, 0.0001]),
            "flows": effort.choose([250], [200, 250, 300]),
        },
        seeds=5,
        keep=kept,
    )


def claims(table: Table) -> Iterator[Claim]:
    """Other readings of c13: the queue itself instead of its average, and an average of longer memory."""
    if not table.has(flows=300):
        return

    def swings(metric: str, w_q: float) -> list[Sample]:
        return [table(metric, w_q=w_q, flows=n) for n in (200, 250, 300)]

    for w_q, metric, reading in (
        (0.002, "q_sd", "the oscillation of the queue itself"),
        (0.0001, "avg_sd", "w_q = 0.0001, a memory of 4 s"),
    ):
        low, middle, high = swings(metric, w_q)
        yield Claim(
            id="c13",
            says="RED becomes increasingly unstable above 200 flows",
            reading=reading,
            expected="sd increasing over 200, 250, 300 flows",
            holds=all_of((middle > low).at("250 and 200"), (high > middle).at("300 and 250")),
        )


def draw(shown: Shown) -> Figure:
    """The standard deviation of the average against the weight."""
    return curves(shown, "w_q", "avg_sd", "flows", labels=("w_q", "sd of the average queue (packets)"), log="x")
