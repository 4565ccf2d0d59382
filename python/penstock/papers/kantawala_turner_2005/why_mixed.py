"""Why c27 fails: flows that lose in step, and 20 queues of 5 flows, which cannot hold as many of both kinds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.kantawala_turner_2005 import fig6a
from penstock.papers.kantawala_turner_2005.setup import (
    DRR_BASED,
    HOPS,
    NETWORKS,
    TRIPS,
    measure,
    queue,
    times,
)
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of, per_run
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

JITTER = {"uniform": ["0ms", "5ms"]}
UNEVEN = 20  # queues for 50 flows of each kind: 2 of one and 3 of the other in each
EVEN = 25  # queues: 2 of both in each


def study(effort: Effort) -> Study:
    """Reno: two round trips with packets that take up to 5 ms more on the access links, and three hops as they are."""

    def scenario(network: str, scheme: str, queues: int) -> ps.Scenario:
        buckets = None if queues == fig6a.ALL else queues
        evenly = NETWORKS[network]("long", queue(scheme, fig6a.BUFFER, buckets=buckets), times(effort, network))
        if network == HOPS:
            return evenly
        links = {name: link if name == "hop0" else replace(link, jitter=JITTER) for name, link in evenly.links.items()}
        return replace(evenly, name="Kantawala and Turner: two round trips, uneven access", links=links)

    return Study(
        scenario,
        {
            "network": effort.choose([TRIPS], [TRIPS, HOPS]),
            "scheme": effort.choose(DRR_BASED[:1], DRR_BASED),
            "queues": effort.choose([10, 100], [1, 2, 5, 10, UNEVEN, EVEN, 50, 100]),
        },
        seeds=5,
        where=lambda network, scheme, queues: network == HOPS or scheme == DRR_BASED[0] or queues in (UNEVEN, EVEN),
    )


def claims(table: Table) -> Iterator[Claim]:
    """Claim c27, as other readings, and what 20 queues do."""
    if not table.has(queues=1):
        return
    trips, hops = (table.where(network=network) for network in (TRIPS, HOPS))
    reading = f"{TRIPS}; DTDRR; access takes up to 5 ms more for each packet; as many flows of both kinds in a queue"
    yield from _deviation(trips, ["DTDRR"], reading)
    yield from _deviation(hops, DRR_BASED, f"{HOPS}; as many flows of both kinds in a queue")
    yield Claim(
        id="why-mixed/twenty",
        says="20 queues, with 2 or 3 flows of the longer round trip in each, deviate more than 25, with 2 in each",
        expected="sd / fair share with 20 queues >= 0.05 above that with 25, each scheme",
        reading=f"{TRIPS}, access takes up to 5 ms more for each packet; {HOPS}",
        holds=all_of(
            (part("sd_slow", scheme=scheme, queues=UNEVEN) - part("sd_slow", scheme=scheme, queues=EVEN) >= 0.05).at(
                f"{network}, {scheme}"
            )
            for network, part in ((TRIPS, trips), (HOPS, hops))
            for scheme in part.axis("scheme")
        ),
    )


def _deviation(table: Table, schemes: Sequence[str], reading: str) -> Iterator[Claim]:
    """Claim c27 of the numbers of queues that hold as many of both kinds, and its first half alone."""
    found = {
        scheme: [(n, sd) for n, sd in table.along("queues", "sd_slow", scheme=scheme) if n != UNEVEN]
        for scheme in schemes
    }
    below = [(sd < 0.15).at(f"{scheme}, {queues} queues") for scheme, along in found.items() for queues, sd in along]
    alike = [
        (per_run(lambda sds: float(max(sds) - min(sds)), [sd for _, sd in along]) <= 0.05).at(
            f"{scheme}, largest - smallest"
        )
        for scheme, along in found.items()
    ]
    for name, conditions in (("", [*below, *alike]), ("; below 15 % alone", below)):
        yield Claim(
            id="c27",
            says="the deviation of goodput is below 15 % of the fair share, however many queues",
            expected="sd / fair share < 0.15 for every number of queues, largest - smallest <= 0.05",
            reading=reading + name,
            holds=all_of(conditions),
        )


def draw(shown: Shown) -> Figure:
    """Deviation among the flows of 200 ms against the number of queues."""
    return curves(
        shown,
        "queues",
        "sd_slow",
        "scheme",
        where={"network": TRIPS},
        labels=("queues, uneven access", "sd of goodput / fair share"),
        log="x",
    )
