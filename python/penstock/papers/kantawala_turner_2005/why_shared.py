"""Why c26 fails: queues that are shared by flows of one round trip only, instead of evenly by both kinds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from statistics import fmean, stdev

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.kantawala_turner_2005 import fig6a, fig6b
from penstock.papers.kantawala_turner_2005.setup import PAYLOAD, RATE_BPS, WIRE, Span, queue, times, two_round_trips
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

HALF = 50  # flows of each kind (Section 4.1)


def study(effort: Effort) -> Study:
    """Two round trips, numbers of queues that keep the kinds apart, and one queue."""
    span = times(effort, "two round trips")
    return Study(
        lambda scheme, queues: _apart(scheme, None if queues == fig6a.ALL else queues, span),
        {
            "scheme": effort.choose(fig6a.SCHEMES[:1], fig6a.SCHEMES),
            "queues": effort.choose([10, 100], [1, 2, 10, 20, 50, 100]),
        },
        seeds=effort.choose(1, 5),
        labels={"network": "two round trips"},
    )


def _apart(scheme: str, buckets: int | None, span: Span) -> ps.Scenario:
    """Flows in turn of one kind and the other, so that an even number of queues, shared by number, keeps them apart."""
    evenly = two_round_trips("long", queue(scheme, fig6a.BUFFER, buckets=buckets), span)
    traffic = {
        f"{name}{i}": replace(group, count=1, from_=f"{end}{i}")
        for i in range(HALF)
        for (name, group), end in zip(evenly.traffic.items(), "AB", strict=True)
    }
    return replace(evenly, name="Kantawala and Turner: queues shared by flows of one kind", traffic=traffic)


def measure(run: ps.Run) -> dict[str, float]:
    """Goodput of each kind in percent of the fair share, its deviation among the flows, and that of all."""
    goodput = {
        name: [run.traffic[f"{name}{i}"].goodput_bps * WIRE / PAYLOAD / (RATE_BPS / (2 * HALF)) for i in range(HALF)]
        for name in ("fast", "slow")
    }
    return {
        **{f"g_{name}": 100 * fmean(shares) for name, shares in goodput.items()},
        **{f"sd_{name}": stdev(shares) for name, shares in goodput.items()},
        "sd_all": stdev([*goodput["fast"], *goodput["slow"]]),
    }


def claims(table: Table) -> Iterator[Claim]:
    """Claims c26 and c27, as other readings."""
    if not table.has(queues=1):
        return
    for claim in [*fig6a.claims(table), *fig6b.claims(table)]:
        reading = "; ".join(part for part in ("two round trips, flows of one in a queue", claim.reading) if part)
        yield replace(claim, reading=reading, because="", must_hold=False)


def draw(shown: Shown) -> Figure:
    """Goodput of the flows of 200 ms."""
    return curves(
        shown, "queues", "g_slow", "scheme", labels=("queues, of one kind each", "goodput, 200 ms (%)"), log="x"
    )
