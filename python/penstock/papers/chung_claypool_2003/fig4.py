"""Figure 4: the queue law, theory against simulation (Section II, Equation 2)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.claims import Claim
from penstock.papers.chung_claypool_2003.setup import dumbbell, service_rate
from penstock.plots.curves import curves
from penstock.reproduce import Effort
from penstock.samples import Sample, all_of, per_run
from penstock.shown import Shown
from penstock.study import Study, Table

FLOWS = [100, 200, 300]
LAW = {by: ps.model.QueueLaw(rtld=0.080, service_rate=service_rate("20Mbit"), signal=by) for by in ("drop", "mark")}


def study(effort: Effort) -> Study:
    """A router that drops or marks each packet with the same probability (Section II)."""

    def scenario(by: str, flows: int, p: float) -> ps.Scenario:
        queue = ps.Bernoulli(p=p, ecn=by == "mark", limit="inf")
        return dumbbell(queue, flows, duration="200s", warmup="50s")

    return Study(
        scenario,
        {
            "by": ["drop", "mark"],
            "flows": FLOWS,
            "p": effort.choose([0.01, 0.05, 0.2], [0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5]),
        },
        seeds=5,
    )


def measure(run: ps.Run) -> dict[str, float | None]:
    """Mean queue, window and loss."""
    link, bulk = run.links["bottleneck"], run.traffic["bulk"]
    return {"q": link.length_mean_pkts, "window": bulk.cwnd_mean_pkts, "utilization": link.utilization}


def law(by: str, flows: int, p: float) -> float:
    """Equation 2 with the paper's window, that of TCP without timeouts."""
    return float(LAW[by].queue(flows, p))


def claims(table: Table) -> Iterator[Claim]:
    """Claims c01, c02, c03."""

    def error(by: str, flows: int, p: float) -> Sample:
        return abs(table("q", by=by, flows=flows, p=p) - law(by, flows, p)) / max(law(by, flows, p), 50.0)

    ps_ = table.axis("p")
    low = [p for p in ps_ if p <= 0.2]
    yield Claim(
        id="c01",
        says="with marks the simulated queue follows the law",
        expected="within 10 % for p <= 0.2, N = 100, 200, 300",
        holds=all_of((error("mark", n, p) <= 0.1).at(f"N = {n}, p = {p:g}") for n in FLOWS for p in low),
    )
    yield Claim(
        id="c02",
        says="with drops the law's error is larger than with marks, and grows with p",
        must_hold=True,
        expected="at N = 200: error(drop) > error(mark), error increasing in p",
        holds=all_of(
            *((error("drop", 200, p) > error("mark", 200, p)).at(f"p = {p:g}") for p in low),
            *(
                (error("drop", 200, b) > error("drop", 200, a)).at(f"p = {a:g} to {b:g}")
                for a, b in itertools.pairwise(low)
            ),
        ),
    )
    straight = [
        (by, p) for by in ("drop", "mark") for p in ps_
        if all(law(by, n, p) > 0 and table("q", by=by, flows=n, p=p).mean > 0 for n in FLOWS)
    ]  # fmt: skip
    yield Claim(
        id="c03",
        says="the queue is linear in N at a fixed p",
        expected="R^2 >= 0.99 where q > 0",
        holds=all_of(
            (per_run(_r_squared, [table("q", by=by, flows=n, p=p) for n in FLOWS]) >= 0.99).at(f"{by}, p = {p:g}")
            for by, p in straight
        ),
    )


def _r_squared(q: Any) -> float:
    return float(np.corrcoef(FLOWS, q)[0, 1] ** 2)


def draw(shown: Shown) -> Figure:
    """The panel of marks."""
    return curves(
        shown,
        "p",
        "q",
        "flows",
        where={"by": "mark"},
        labels=("probability of a mark", "mean queue (packets)"),
        theory=lambda flows, p: law("mark", flows, p),
        log="x",
    )
