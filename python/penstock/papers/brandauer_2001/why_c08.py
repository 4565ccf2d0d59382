"""Why c08 and c13: gentle RED with a max_p that is enough for the loss that the flows need."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.brandauer_2001.setup import (
    design,
    ftp,
    ftp_flows,
    ftp_span,
    largest,
    measure,
    queue,
    smallest,
    thresholds,
)
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

ENOUGH = 0.3
READING = "max_p = 0.3, so that the average stays on the flat part of the ramp"


def study(effort: Effort) -> Study:
    """GREDstd with max_p of 0.1, as the work has it, 0.2 and 0.3, beside tail-drop."""
    span, flows = ftp_span(effort), ftp_flows(effort)
    seeds = effort.choose(5, 10)
    return Study(
        lambda max_p, flows: ftp(flows, queue("GREDstd", design(flows), max_p=max_p), span),
        {"max_p": effort.choose([0.1, ENOUGH], [0.1, 0.2, ENOUGH]), "flows": flows},
        seeds=seeds,
        labels={"scheme": "GREDstd"},
    ) + Study(
        lambda flows: ftp(flows, queue("TD", design(flows)), span),
        {"flows": flows},
        seeds=seeds,
        labels={"scheme": "TD"},
    )


def claims(table: Table) -> Iterator[Claim]:
    """Other readings of c08 and c13."""
    every = table.axis("flows")

    def spread(sds: list[Sample]) -> Sample:
        return largest(sds) - smallest(sds)

    yield Claim(
        id="c08",
        says="the queue of gentle RED stays below max_th",
        reading=READING,
        expected="mean queue <= max_th, every N",
        holds=all_of(
            (table("queue", max_p=ENOUGH, flows=n) <= thresholds("GREDstd", design(n))[1]).at(f"N = {n}") for n in every
        ),
    )
    yield Claim(
        id="c13",
        says="the deviation of gentle RED varies less with the load than tail-drop's",
        reading=READING,
        expected="range of sd over N: GREDstd < TD",
        holds=spread([table("sd", max_p=ENOUGH, flows=n) for n in every])
        < spread([table("sd", scheme="TD", flows=n) for n in every]),
    )


def draw(shown: Shown) -> Figure:
    """Deviation of the delay by the number of flows."""
    where = {"scheme": "GREDstd"}
    return curves(shown, "flows", "sd", "max_p", where=where, labels=("flows", "sd of delay (ms)"), log="x")
