"""Beside ns-2: the deviation of the average as flows are added, with and without marks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.chung_claypool_2003 import step_load
from penstock.papers.chung_claypool_2003.step_load import QUEUES, kept, steps
from penstock.plots.curves import curves, printed
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

SCHEMES = ["drop-tail", "RED", "gentle RED", "A-RED", "A-RED-ECN"]
measure = step_load.numbers


def study(effort: Effort) -> Study:
    """As ns-2.35 was run: access of 5 ms, 30 ms on the bottleneck, packets of 1040 bytes, its own senders."""

    def scenario(queue: str, flows: int) -> ps.Scenario:
        base = steps(QUEUES[queue], flows)
        delays = {"bottleneck": "30ms", "source": "5ms", "sink": "5ms"}
        links = {name: replace(link, delay=delays[name]) for name, link in base.links.items()}
        traffic = {
            name: replace(bulk, profile="ns2", packet="1000B", min_rto="1s")
            for name, bulk in base.traffic.items()
            if isinstance(bulk, ps.Tcp)
        }
        return replace(base, links=links, traffic=traffic)

    return Study(scenario, {"queue": SCHEMES, "flows": effort.choose([200], [100, 200, 300, 400])}, seeds=5, keep=kept)


def claims(table: Table) -> Iterator[Claim]:
    """None of the work's: it is the simulator that is compared here."""
    yield from ()


def draw(shown: Shown) -> Figure:
    """Deviations of the average, with what ns-2 has."""
    return curves(
        shown,
        "flows",
        "avg_sd",
        "queue",
        labels=("flows", "sd of the average queue (packets)"),
        expected=printed(__file__, "ns2"),
    )
