"""Figure 1.4: the periods over which LRED measures its loss ratio (Section 1.2.2.5)."""

from typing import Any

import numpy as np

import penstock as ps
from penstock.papers.alemu_2004 import measures
from penstock.reproduce.figure import Claim, Sweep, formula, metric


def _overload(periods: int) -> ps.Scenario:
    """Datagrams overload a link until 1.9 s and use half of it from then on; mw = 0, so that nothing is averaged.

    With the target near the limit and a large gain only a full queue loses packets.
    """
    queue = ps.Lred(limit="20p", periods=periods, mw=0, interval="200ms", target="19p", beta=1)
    flow: dict[str, Any] = {"from_": "A", "to": "B", "packet": "972B"}
    return ps.Scenario(
        duration="6s",
        sampling="10ms",
        links={"line": ps.Link(from_="A", to="B", rate="1Mbit", delay="1ms", queue=queue, watch=True)},
        traffic={"half": ps.Cbr(**flow, rate="500kbit"), "burst": ps.Cbr(**flow, rate="1500kbit", stop="1900ms")},
    )


def _keep(run: ps.Run) -> dict[str, float]:
    ratio = np.asarray(run.series["line"]["loss_ratio"]["max"])
    return {"last": float(np.flatnonzero(ratio > 0)[-1] + 1) / 100}


measure = measures.kept
study = Sweep(_overload, {"periods": [2, 4]}, keep=_keep)


def end(periods: int) -> float:
    """When the losses of the period that ends at 2.0 s cease to count, in seconds."""
    return 2.0 + 0.2 * periods


CLAIMS = (
    Claim(
        "fig1.4/c1",
        "the loss ratio counts the last M = 4 periods",
        abs(metric("last") - formula(end)) <= 1e-6,
        "losses in (1.8, 2.0] s count until 2.8 s with 4 periods of 0.2 s, until 2.4 s with 2, exactly",
        must_hold=True,
    ),
)
