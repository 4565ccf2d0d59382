"""Why c21: drop-tail's queue where round trips are not all the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.chung_claypool_2003.setup import dumbbell
from penstock.papers.chung_claypool_2003.step_load import LIMIT
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

EQUAL, JITTER, UNEQUAL = "equal round trips of 80 ms", "0 to 5 ms more for each packet", "round trips of 60 to 100 ms"
PLACES = 10  # of the sources with unequal round trips


def study(effort: Effort) -> Study:
    """One thing changed at a time; all flows at once, for 100 s of which the last 40 are measured."""
    axes: dict[str, list[Any]] = {
        "round trips": [EQUAL, JITTER, UNEQUAL],
        "flows": effort.choose([100], [100, 150, 200]),
    }
    return Study(lambda **at: _scenario(at["round trips"], at["flows"]), axes, seeds=5)


def _scenario(which: str, flows: int) -> ps.Scenario:
    base = dumbbell(ps.DropTail(limit=f"{LIMIT}p"), flows, duration="100s", warmup="60s")
    bulk, source = base.traffic["bulk"], base.links["source"]
    assert isinstance(bulk, ps.Tcp)
    if which == JITTER:
        return replace(base, links={**base.links, "source": replace(source, jitter={"uniform": ["0ms", "5ms"]})})
    if which == EQUAL:
        return base
    links = {name: link for name, link in base.links.items() if name != "source"}
    delays = {i: 20 * i / (PLACES - 1) for i in range(PLACES)}  # ms; 10 ms more or less than the work's
    return replace(
        base,
        links={
            **links,
            **{f"source{i}": replace(source, from_=f"S{i}", delay=f"{d:.3f}ms") for i, d in delays.items()},
        },
        traffic={f"bulk{i}": replace(bulk, count=flows // PLACES, from_=f"S{i}") for i in delays},
    )


def measure(run: ps.Run) -> dict[str, float | None]:
    """Mean and deviation of the queue in packets."""
    link = run.links["bottleneck"]
    return {"q": link.length_mean_pkts, "q_sd": link.length_var_pkts2**0.5, "loss": link.loss_rate}


def claims(table: Table) -> Iterator[Claim]:
    """Another reading of the half of c21 that is about drop-tail."""
    for which in (JITTER, UNEQUAL):
        yield Claim(
            id="c21",
            says="the queue of drop-tail is near the buffer's size",
            reading=which,
            expected=">= 0.85 of 500 packets from 100 flows on",
            holds=all_of(
                (table("q", **{"round trips": which}, flows=n) >= 0.85 * LIMIT).at(f"N = {n}")
                for n in table.axis("flows")
            ),
        )


def draw(shown: Shown) -> Figure:
    """A line for each kind of round trips."""
    return curves(shown, "flows", "q", "round trips", labels=("flows", "mean queue of drop-tail (packets)"))
