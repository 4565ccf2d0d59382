"""Why c31 fails: Reno waits for its timer where Tahoe does not. The schemes keep their order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from typing import Any

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.kantawala_turner_2005 import setup
from penstock.papers.kantawala_turner_2005.setup import NETWORKS, ONE_QUEUE, queue
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

BUFFER = 400  # packets
SCHEMES = ["DTDRR", "DSDRR-W", "QSDRR", *ONE_QUEUE]
USUAL, SHORT = "1s", "200ms"
LEAST = {USUAL: "a least timeout of 1 s", SHORT: "a least timeout of 0.2 s"}
SAYS = "Reno and Tahoe give similar results"
WHERE = "W stays at its initial 10 % of the queues; RED's and Blue's first setting"


def study(effort: Effort) -> Study:
    """Long flows with both least timeouts, RED and Blue with the first setting."""
    span = effort.choose(("15s", "6s"), ("50s", "10s"))

    def scenario(network: str, flavour: str, scheme: str, least: str) -> ps.Scenario:
        usual = NETWORKS[network]("long", queue(scheme, BUFFER), span, flavour)
        timer: dict[str, Any] = {"min_rto": least}
        return replace(usual, traffic={name: replace(group, **timer) for name, group in usual.traffic.items()})

    return Study(
        scenario,
        {
            "network": effort.choose(["two round trips"], ["two round trips", "three hops"]),
            "flavour": ["reno", "tahoe"],
            "scheme": effort.choose(["DTDRR", "Tail-Drop"], SCHEMES),
            "least": effort.choose([USUAL], [USUAL, SHORT]),
        },
        seeds=5,
    )


def measure(run: ps.Run) -> dict[str, float | None]:
    """As in the other experiments, and the timeouts of all flows."""
    return {**setup.measure(run), "timeouts": float(sum(group["timeouts"] for group in run.traffic.values()))}


def claims(table: Table) -> Iterator[Claim]:
    """Claim c31, as other readings, and what Reno does that Tahoe does not."""
    if not table.has(least=SHORT):
        return
    usual = table.where(least=USUAL)
    networks = [(network, usual.where(network=network)) for network in usual.axis("network")]
    yield Claim(
        id="c31",
        says=SAYS,
        expected="where two schemes differ by > 7 points with Reno, Tahoe has them in the same order",
        reading=f"the order of the schemes for the flows of the longer round trip; {WHERE}",
        holds=all_of(
            (_goodput(part, "tahoe", better) > _goodput(part, "tahoe", worse)).at(f"{network}, {better}, {worse}")
            for network, part in networks
            for better, worse in permutations(part.axis("scheme"), 2)
            if (_goodput(part, "reno", better) - _goodput(part, "reno", worse) > 7).decide().verdict == "confirmed"
        ),
    )
    for network in usual.axis("network"):
        for least, name in LEAST.items():
            part = table.where(network=network, least=least)
            yield Claim(
                id="c31",
                says=SAYS,
                expected="goodputs of each kind of flows differ by <= 7 points, each scheme, B = 400",
                reading=f"{name}; {network}; {WHERE}",
                holds=all_of(
                    (part(metric, flavour="tahoe", scheme=scheme) - part(metric, flavour="reno", scheme=scheme))
                    .between(-7, 7)
                    .at(f"{metric}, {scheme}")
                    for scheme in part.axis("scheme")
                    for metric in ("g_slow", "g_fast")
                ),
            )
    yield Claim(
        id="why-tahoe/timer",
        says="Reno waits for its timer at least ten times as often as Tahoe, with each scheme",
        expected="timeouts with Reno / timeouts with Tahoe >= 10, B = 400",
        reading=WHERE,
        holds=all_of(
            (
                part("timeouts", flavour="reno", scheme=scheme) - 10 * part("timeouts", flavour="tahoe", scheme=scheme)
                >= 0
            ).at(f"{network}, {scheme}")
            for network, part in networks
            for scheme in part.axis("scheme")
        ),
    )


def _goodput(table: Table, flavour: str, scheme: str) -> Sample:
    return table("g_slow", flavour=flavour, scheme=scheme)


def draw(shown: Shown) -> Figure:
    """Timeouts with each scheme in 400 packets, two round trips."""
    return curves(
        shown,
        "scheme",
        "timeouts",
        "flavour",
        where={"least": USUAL, "network": "two round trips"},
        labels=("400 packets", "timeouts"),
    )
