"""Why c27 fails: flows that lose in step, and 20 queues of 5 flows, which cannot hold as many of both kinds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from matplotlib.figure import Figure

import penstock as ps
from penstock.claims import Claim
from penstock.papers.kantawala_turner_2005 import fig6a
from penstock.papers.kantawala_turner_2005.setup import DRR_BASED, measure, queue, times, two_round_trips
from penstock.plots.curves import curves
from penstock.reproduce import Effort
from penstock.samples import all_of, per_run
from penstock.shown import Shown
from penstock.study import Study, Table

__all__ = ["claims", "draw", "measure", "study"]

JITTER = {"uniform": ["0ms", "5ms"]}
UNEVEN = 20  # queues for 50 flows of each kind: 2 of one and 3 of the other in each
EVEN = 25  # queues: 2 of both in each


def study(effort: Effort) -> Study:
    """Two round trips, Reno, packets that take up to 5 ms more on the access links."""
    span = times(effort, "two round trips")

    def scenario(scheme: str, queues: int) -> ps.Scenario:
        buckets = None if queues == fig6a.ALL else queues
        evenly = two_round_trips("long", queue(scheme, fig6a.BUFFER, buckets=buckets), span)
        links = {name: link if name == "hop0" else replace(link, jitter=JITTER) for name, link in evenly.links.items()}
        return replace(evenly, name="Kantawala and Turner: two round trips, uneven access", links=links)

    return Study(
        scenario,
        {
            "scheme": effort.choose(DRR_BASED[:1], DRR_BASED),
            "queues": effort.choose([10, 100], [1, 2, 5, 10, UNEVEN, EVEN, 50, 100]),
        },
        seeds=5,
        where=lambda scheme, queues: scheme == DRR_BASED[0] or queues in (UNEVEN, EVEN),
    )


def claims(table: Table) -> Iterator[Claim]:
    """Claim c27, as other readings, and what 20 queues do."""
    if not table.has(queues=1):
        return
    reading = (
        "two round trips; DTDRR; access takes up to 5 ms more for each packet; as many flows of both kinds in a queue"
    )
    dtdrr = [(n, sd) for n, sd in table.along("queues", "sd_slow", scheme="DTDRR") if n != UNEVEN]
    below = [(sd < 0.15).at(f"{queues} queues") for queues, sd in dtdrr]
    spread = per_run(lambda sds: float(max(sds) - min(sds)), [sd for _, sd in dtdrr])
    for name, conditions in (
        ("", [*below, (spread <= 0.05).at("largest - smallest")]),
        ("; below 15 % alone", below),
    ):
        yield Claim(
            id="c27",
            says="the deviation of goodput is below 15 % of the fair share, however many queues",
            expected="sd / fair share < 0.15 for every number of queues, largest - smallest <= 0.05",
            reading=reading + name,
            holds=all_of(conditions),
        )
    yield Claim(
        id="why-mixed/twenty",
        says="20 queues, with 2 or 3 flows of 200 ms in each, deviate more than 25, with 2 in each",
        expected="sd / fair share with 20 queues >= 0.05 above that with 25, each scheme",
        reading="two round trips; access takes up to 5 ms more for each packet",
        holds=all_of(
            (table("sd_slow", scheme=scheme, queues=UNEVEN) - table("sd_slow", scheme=scheme, queues=EVEN) >= 0.05).at(
                scheme
            )
            for scheme in table.axis("scheme")
        ),
    )


def draw(shown: Shown) -> Figure:
    """Deviation among the flows of 200 ms against the number of queues."""
    return curves(
        shown, "queues", "sd_slow", "scheme", labels=("queues, uneven access", "sd of goodput / fair share"), log="x"
    )
