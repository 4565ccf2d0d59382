"""Figure 6 (a): goodput of the slower long flows against the number of queues, 1000 packets (Section 5.3)."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.kantawala_turner_2005.setup import NETWORKS, READINGS, joined, measure, queue, times
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

SCHEMES = ["DTDRR", "DSDRR", "DSDRR-W", "QSDRR"]
BUFFER = 1000  # packets (Section 5.3)
ALL = 100  # queues: one for each flow of a bottleneck


def study(effort: Effort) -> Study:
    """Queues that flows share, evenly of both kinds; with 100 each flow has its own."""
    parts = [_in(effort, network) for network in effort.choose(["two round trips"], ["two round trips", "three hops"])]
    return joined(parts)


def _in(effort: Effort, network: str) -> Study:
    build, span = NETWORKS[network], times(effort, network)
    return Study(
        lambda scheme, queues: build("long", queue(scheme, BUFFER, buckets=None if queues == ALL else queues), span),
        {"scheme": effort.choose(SCHEMES[:2], SCHEMES), "queues": effort.choose([10, 100], [1, 2, 5, 10, 20, 50, 100])},
        seeds=5,
        labels={"network": network},
    )


def claims(table: Table) -> Iterator[Claim]:
    """Claim c26."""
    for dsdrr in (name for name in ("DSDRR", "DSDRR-W") if table.has(scheme=name, queues=1)):
        gains = [
            (network, scheme, _gain(table.where(network=network, scheme=scheme)))
            for network in table.axis("network")
            for scheme in ("DTDRR", dsdrr)
        ]
        yield Claim(
            id="c26",
            says="a tenth as many queues as flows are nearly as good as one for each",
            expected="10 to 100 queues add <= 5 points, and less than 1 to 10",
            reading=READINGS[dsdrr],
            because="a fast and a slow flow share a queue as they share a tail-drop link; with flows of one round trip "
            "in a queue ten are as good as a hundred (why-shared)",
            holds=all_of(
                condition.at(f"{network}, {scheme}")
                for network, scheme, (first, second) in gains
                for condition in (second <= 5, second < first)
            ),
        )


def _gain(part: Table) -> tuple[Sample, Sample]:
    """Points of goodput from 1 to 10 and from 10 to 100 queues."""
    one, ten, hundred = (part("g_slow", queues=n) for n in (1, 10, ALL))
    return ten - one, hundred - ten


def draw(shown: Shown) -> Figure:
    """The panel, two round trips."""
    return curves(
        shown,
        "queues",
        "g_slow",
        "scheme",
        where={"network": "two round trips"},
        labels=("queues", "goodput, 200 ms (%)"),
        log="x",
    )
