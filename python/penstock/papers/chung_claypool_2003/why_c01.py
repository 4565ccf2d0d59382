"""Why c01: marks at larger probabilities, with windows halved to whole or to real numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.chung_claypool_2003.constant import GRID, constant, law, of_queue
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Condition, Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

FLOWS = 200
measure = of_queue


def study(effort: Effort) -> Study:
    """ns-2 halved to whole packets in 2003 ("whole") and does not any more ("real")."""

    def scenario(halving: Any, p: float) -> ps.Scenario:
        base = constant("mark", FLOWS, p)
        bulk = base.traffic["bulk"]
        assert isinstance(bulk, ps.Tcp)
        return replace(base, traffic={"bulk": replace(bulk, halving=halving)})

    grid = effort.choose([0.05, 0.2], [p for p in GRID if 0.01 <= p <= 0.2])
    return Study(scenario, {"halving": ["whole", "real"], "p": grid}, seeds=5)


def claims(table: Table) -> Iterator[Claim]:
    """Other readings of c01: the senders' windows instead of the model's, and the senders of a later ns-2."""
    marks = law("mark")
    empty = marks.rtld * marks.service_rate

    def near(halving: str, p: float, asked: Sample | float) -> Condition:
        return (abs(table("q", halving=halving, p=p) / asked - 1) <= 0.1).at(f"{halving}, p = {p:g}")

    grid = table.axis("p")
    says = "with marks the simulated queue follows the law"
    yield Claim(
        id="c01",
        says=says,
        reading="the senders' mean windows in place of the model's",
        expected="q within 10 % of N W - RTLD SR for p <= 0.05 (windows of 4 packets and more), N = 200",
        holds=all_of(
            near(halving, p, table("window", halving=halving, p=p) * FLOWS - empty)
            for halving in table.axis("halving")
            for p in grid
            if p <= 0.05
        ),
    )
    yield Claim(
        id="c01",
        says=says,
        reading="senders that halve to real numbers",
        expected="within 10 % for p <= 0.2, N = 200",
        holds=all_of(near("real", p, float(marks.queue(FLOWS, p))) for p in grid),
    )


def draw(shown: Shown) -> Figure:
    """The senders' windows with the model's."""
    return curves(
        shown,
        "p",
        "window",
        "halving",
        labels=("probability of a mark", "mean window (packets)"),
        theory=lambda halving, p: float(law("mark").window(p)),
        log="xy",
    )
