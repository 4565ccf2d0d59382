"""Figure 5.11: losses grouped into runs (Section 5.5)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import penstock as ps
from penstock.claims import Claim
from penstock.papers.alemu_2004.fig5_6 import study
from penstock.papers.alemu_2004.measures import Numbers
from penstock.samples import all_of
from penstock.study import Table

__all__ = ["claims", "measure", "study"]


def measure(run: ps.Run) -> Numbers:
    """Lost datagrams, counted one by one and by runs."""
    code = run.traffic["fec"]
    pmf = np.asarray(code.loss_run_pmf, dtype=float)
    return {"lost": float(code.lost_pkts), "in runs": code.loss_runs * float((pmf * np.arange(1, len(pmf) + 1)).sum())}


def claims(table: Table) -> Iterator[Claim]:
    """The groups hold all losses."""
    yield Claim(
        id="fig5.11/c1",
        says="the losses fall into groups of consecutive ones, whose sizes are the runs of Figure 5.6",
        expected="runs times their mean length = lost packets, but for a run that the end cuts off (3 packets)",
        holds=all_of(
            (abs(table("lost", scheme=s, flows=n) - table("in runs", scheme=s, flows=n)) <= 3.0).at(f"{s}, {n}")
            for s in table.axis("scheme")
            for n in table.axis("flows")
        ),
        must_hold=True,
    )
