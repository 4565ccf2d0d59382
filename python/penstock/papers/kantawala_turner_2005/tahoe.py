"""Tahoe instead of Reno (Section 4: "similar results for both")."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.kantawala_turner_2005.setup import (
    COMPARED,
    NETWORKS,
    best,
    buffers,
    joined,
    measure,
    queue,
    settled,
    times,
)
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]


def study(effort: Effort) -> Study:
    """Long flows of both, RED and Blue with what is best for Reno."""
    parts = [
        _in(effort, network)
        for network in effort.choose(["two round trips"], ["two round trips", "three hops"])
    ]  # fmt: skip
    return joined(parts)


def _in(effort: Effort, network: str) -> Study:
    tuned = best(effort, network, "long")
    few = [buffer for buffer in buffers(effort, network, "long") if buffer in (400, 1000, 5000)]
    return Study(
        lambda flavour, scheme, buffer: NETWORKS[network](
            "long", queue(scheme, buffer, tuned), times(effort, network), flavour
        ),
        {
            "flavour": effort.choose(["reno", "tahoe"], ["reno", "newreno", "tahoe"]),
            "scheme": effort.choose(["DTDRR", "Tail-Drop"], [name for name in COMPARED if name != "DSDRR-W"]),
            "buffer": few,
        },
        seeds=5,
        labels={"network": network},
    )


def claims(table: Table) -> Iterator[Claim]:
    """Claim c31."""
    if not settled(table):
        return
    for flavour, reading in (("reno", ""), ("newreno", "NewReno instead of Reno")):
        yield Claim(
            id="c31",
            says="Reno and Tahoe give similar results",
            expected="goodputs of each kind of flows differ by <= 7 points, each scheme and B",
            reading=reading,
            because=""
            if reading
            else "Reno waits for its timer, Tahoe does not; the schemes keep their order, 24 of 24 pairs (why-tahoe)",
            holds=all_of(
                (
                    part(metric, flavour="tahoe", scheme=scheme, buffer=b)
                    - part(metric, flavour=flavour, scheme=scheme, buffer=b)
                )
                .between(-7, 7)
                .at(f"{network}, {metric}, {scheme}, B = {b}")
                for network in table.axis("network")
                for part in [table.where(network=network)]
                for scheme in part.axis("scheme")
                for b in part.axis("buffer")
                for metric in ("g_slow", "g_fast")
            ),
        )


def draw(shown: Shown) -> Figure:
    """Goodput of the flows of 200 ms with Tahoe."""
    return curves(
        shown,
        "buffer",
        "g_slow",
        "scheme",
        where={"network": "two round trips", "flavour": "tahoe"},
        labels=("buffer (packets)", "goodput with Tahoe, 200 ms (%)"),
        log="x",
    )
