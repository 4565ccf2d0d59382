"""Why c05 and c06: the rates, delays and numbers of flows of figure 5 with a least timeout of 200 ms instead of 1 s."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.chung_claypool_2003.constant import FLOWS, constant, of_queue, slope
from penstock.papers.chung_claypool_2003.fig5_bottom import RTLD
from penstock.papers.chung_claypool_2003.fig6 import spread
from penstock.papers.chung_claypool_2003.setup import service_rate
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of, per_run
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

measure = of_queue
READING = "a least timeout of 200 ms instead of 1 s"


def study(effort: Effort) -> Study:
    """Both least timeouts, where flows time out: 300 flows over the rates and the delays, fewer over one link."""

    def scenario(min_rto: str, p: float, flows: int = 300, rate: str = "20Mbit", rtld: float = 0.08) -> ps.Scenario:
        base = constant("drop", flows, p, rate=rate, rtld=rtld)
        bulk = base.traffic["bulk"]
        assert isinstance(bulk, ps.Tcp)
        return replace(base, traffic={"bulk": replace(bulk, min_rto=min_rto)})

    axes: dict[str, list[Any]] = {
        "min_rto": ["1s", "200ms"],
        "p": effort.choose([0.05, 0.1], [0.05, 0.07, 0.1, 0.15, 0.2]),
    }
    rates = effort.choose(["5Mbit", "20Mbit"], ["5Mbit", "10Mbit", "15Mbit", "20Mbit"])
    return (
        Study(scenario, {**axes, "rate": rates}, seeds=5)
        + Study(scenario, {**axes, "rtld": effort.choose([0.04], [0.04, 0.12, 0.16])}, seeds=5)
        + Study(scenario, {**axes, "flows": effort.choose([100], FLOWS[:-1])}, seeds=5)
    )


def claims(table: Table) -> Iterator[Claim]:
    """Other readings of c05 and c06: with timeouts that are nearer to the round trip."""
    shorter = table.where(min_rto="200ms")
    rates = shorter.axis("rate")
    yield Claim(
        id="c05",
        says="the queue falls linearly with the rate of the link",
        reading=READING,
        expected="slope -RTLD within 15 %, p from 0.05 to 0.1",
        holds=all_of(
            (
                per_run(slope([service_rate(rate) for rate in rates]), [shorter("q", rate=rate, p=p) for rate in rates])
                / -RTLD
            )
            .between(0.85, 1.15)
            .at(f"p = {p:g}, slope / -RTLD")
            for p in shorter.axis("p")
            if p <= 0.1
        ),
    )
    windows: dict[float, list[Sample]] = {}
    for labels, samples in shorter.cells:
        windows.setdefault(labels["p"], []).append(samples["window"])
    yield Claim(
        id="c06",
        says="the mean window depends on the probability alone, whatever N, RTLD and SR",
        reading=READING,
        expected="(largest - smallest) / mean <= 15 % for p from 0.05 to 0.2",
        holds=all_of((per_run(spread, at) <= 0.15).at(f"p = {p:g}") for p, at in windows.items()),
    )


def draw(shown: Shown) -> Figure:
    """The queue where a tenth is dropped, by the rate of the link."""
    points = Shown(
        ({"timeout of at least": labels["min_rto"], "rate": service_rate(labels["rate"])}, numbers)
        for labels, numbers in shown.where(p=0.1).cells
        if labels.get("rate") is not None
    )
    labels = ("rate (packets/s)", "mean queue of 300 flows, p = 0.1 (packets)")
    return curves(points, "rate", "q", "timeout of at least", labels=labels)
