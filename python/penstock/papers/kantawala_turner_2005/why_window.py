"""Why c09, c12 and c23 fail for short flows: a receiver's window of 20 packets, as ns-2 has it, or none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from matplotlib.figure import Figure

import penstock as ps
from penstock.claims import Claim
from penstock.papers.kantawala_turner_2005.setup import DRR_BASED, NETWORKS, measure, queue, times
from penstock.plots.curves import curves
from penstock.reproduce import Effort
from penstock.samples import all_of
from penstock.shown import Shown
from penstock.study import Study, Table

__all__ = ["claims", "draw", "measure", "study"]

WINDOWS = [20, 100_000]  # packets: ns-2's default, which the text does not mention, and no limit
READING = "windows of 20 packets for short flows, the default of ns-2"


def study(effort: Effort) -> Study:
    """Short flows of both networks; the schemes that need no search for their settings."""

    def scenario(network: str, window: int, scheme: str, buffer: int) -> ps.Scenario:
        base = NETWORKS[network]("short", queue(scheme, buffer), times(effort, network))
        traffic = {
            name: replace(flows, window=window) for name, flows in base.traffic.items() if isinstance(flows, ps.OnOff)
        }
        return replace(base, traffic=traffic)

    axes: dict[str, list[Any]] = {
        "network": effort.choose(["two round trips"], ["two round trips", "three hops"]),
        "window": WINDOWS,
        "scheme": effort.choose(["DTDRR"], [*DRR_BASED, "DSDRR-W", "Tail-Drop"]),
        "buffer": effort.choose([5000], [1000, 5000]),
    }
    return Study(scenario, axes, seeds=5)


def claims(table: Table) -> Iterator[Claim]:
    """Other readings of c09, c12 and c23."""
    if not table.has(network="three hops"):
        return
    at = {"window": 20, "buffer": 5000}
    yield Claim(
        id="c09",
        says="with DTDRR and DSDRR bursts of both kinds take about as long in buffers of more than 1000",
        reading=READING,
        expected="200 ms / 40 ms from 1.0 to 1.3 at B = 5000",
        holds=all_of(
            table("ratio", network="two round trips", scheme=s, **at).between(1.0, 1.3).at(s)
            for s in ("DTDRR", "DSDRR")
        ),
    )
    yield Claim(
        id="c23",
        says="with 5000 packets DTDRR and DSDRR come near two, the others have 3.5 to 4",
        reading=READING,
        expected="2 (1.6 to 2.4); tail-drop 3.75 (3.0 to 4.5)",
        holds=all_of(
            *(
                table("ratio", network="three hops", scheme=s, **at).reads(2, low=1.6, high=2.4).at(s)
                for s in ("DTDRR", "DSDRR")
            ),
            table("ratio", network="three hops", scheme="Tail-Drop", **at)
            .reads(3.75, low=3.0, high=4.5)
            .at("Tail-Drop"),
        ),
    )
    yield Claim(
        id="c12",
        says="with all DRR-based schemes the link is busy and few packets are lost",
        reading=READING,
        expected="utilization > 90 %, loss < 1 %, short flows at B = 5000",
        holds=all_of(
            condition.at(f"{network}, {s}")
            for network in table.axis("network")
            for s in DRR_BASED
            for condition in (
                table("utilization", network=network, scheme=s, **at) > 90,
                table("loss", network=network, scheme=s, **at) < 1,
            )
        ),
    )


def draw(shown: Shown) -> Figure:
    """Completion times in two round trips, by scheme and window."""
    points = Shown(
        ({"buffer": at["buffer"], "scheme": f"{at['scheme']}, {at['window']}"}, numbers)
        for at, numbers in shown.where(network="two round trips").cells
    )
    return curves(points, "buffer", "ratio", "scheme", labels=("buffer (packets)", "time, 200 ms / 40 ms"), log="x")
