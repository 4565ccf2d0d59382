"""Why c03, c05 and c25 fail, and not c13 and c18: long flows with NewReno instead of Reno."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from matplotlib.figure import Figure

from penstock.papers.kantawala_turner_2005 import fig4a, fig5a, fig5b
from penstock.papers.kantawala_turner_2005.setup import (
    COMPARED,
    DRR_BASED,
    HOPS,
    NETWORKS,
    READINGS,
    TRIPS,
    best,
    measure,
    queue,
    times,
)
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]


def study(effort: Effort) -> Study:
    """Every scheme, RED and Blue with what is best for Reno; over three hops those with a queue for each flow."""
    made = _in(effort, TRIPS, effort.choose(["DTDRR", "DSDRR"], COMPARED), [100, 200, 400, 1000, 5000])
    return made if effort.quick else made + _in(effort, HOPS, [*DRR_BASED, "DSDRR-W"], [400, 1000, 5000])


def _in(effort: Effort, network: str, schemes: Sequence[str], buffers: Sequence[int]) -> Study:
    tuned = best(effort, network, "long") if "RED" in schemes else None
    span = times(effort, network)
    return Study(
        lambda scheme, buffer: NETWORKS[network]("long", queue(scheme, buffer, tuned), span, "newreno"),
        {"scheme": list(schemes), "buffer": effort.choose([400], list(buffers))},
        seeds=5,
        labels={"network": network},
    )


def claims(table: Table) -> Iterator[Claim]:
    """The claims of figure 4 (a) and some of figures 5 (a) and (b), as other readings."""
    if not table.has(buffer=5000):
        return
    trips, hops = (table.where(network=network) for network in (TRIPS, HOPS))
    found = list(fig4a.claims(trips))
    for dsdrr, reading in READINGS.items():
        found += [fig5a.shares(hops, dsdrr, reading), fig5b.slack(hops, dsdrr, [400, 1000, 5000], reading)]
    for claim in found:
        reading = "; ".join(part for part in ("NewReno", claim.reading) if part)
        yield replace(claim, reading=reading, because="", must_hold=False)


def draw(shown: Shown) -> Figure:
    """Goodput of the flows of 200 ms."""
    return curves(
        shown.where(network=TRIPS),
        "buffer",
        "g_slow",
        "scheme",
        labels=("buffer (packets)", "goodput with NewReno, 200 ms (%)"),
        log="x",
    )
