"""Figure 1.4: the periods over which LRED measures its loss ratio (Section 1.2.2.5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import penstock as ps
from penstock.papers.alemu_2004.measures import Numbers
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "measure", "study"]


def study(_: Effort) -> Study:
    """Datagrams overload a link until 1.9 s and use half of it from then on; mw = 0, so that nothing is averaged.

    With the target near the limit and a large gain only a full queue loses packets.
    """

    def scenario(periods: int) -> ps.Scenario:
        queue = ps.Lred(limit="20p", periods=periods, mw=0, interval="200ms", target="19p", beta=1)
        flow: dict[str, Any] = {"from_": "A", "to": "B", "packet": "972B"}
        return ps.Scenario(
            duration="6s",
            sampling="10ms",
            links={"line": ps.Link(from_="A", to="B", rate="1Mbit", delay="1ms", queue=queue, watch=True)},
            traffic={
                "half": ps.Cbr(**flow, rate="500kbit"),
                "burst": ps.Cbr(**flow, rate="1500kbit", stop="1900ms"),
            },
        )

    return Study(scenario, {"periods": [2, 4]}, seeds=5, keep=_keep)


def _keep(run: ps.Run) -> dict[str, float]:
    ratio = np.asarray(run.series["line"]["loss_ratio"]["max"])
    return {"last": float(np.flatnonzero(ratio > 0)[-1] + 1) / 100}


def measure(run: ps.Run) -> Numbers:
    """When the loss ratio ceases to be above 0, in seconds."""
    return dict(run.raw["kept"])


def claims(table: Table) -> Iterator[Claim]:
    """The losses of the period that ends at 2.0 s count until as many periods later as are told."""
    yield Claim(
        id="fig1.4/c1",
        says="the loss ratio counts the last M = 4 periods",
        expected="losses in (1.8, 2.0] s count until 2.8 s with 4 periods of 0.2 s, until 2.4 s with 2, exactly",
        holds=all_of(
            (abs(table("last", periods=periods) - (2.0 + 0.2 * periods)) <= 1e-6).at(f"{periods} periods")
            for periods in (2, 4)
        ),
        must_hold=True,
    )
