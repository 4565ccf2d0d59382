"""Tail-drop with the buffer that gives it REDopt's delay (Section 4, described)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.brandauer_2001.setup import design, ftp, ftp_flows, ftp_span, loads, measure, queue
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

TRIED = [0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0]  # of REDopt's buffer


def study(effort: Effort) -> Study:
    """REDopt, and tail-drop with the buffer that a first pass finds."""
    every, span, tuned = ftp_flows(effort), ftp_span(effort), _equal_delay(effort)

    def scenario(scheme: str, flows: int) -> ps.Scenario:
        at = design(flows)
        return ftp(flows, queue(scheme, at if scheme == "REDopt" else at._replace(buffer=tuned[flows])), span)

    return Study(scenario, {"scheme": ["REDopt", "TD"], "flows": every}, seeds=effort.choose(5, 10))


def _equal_delay(effort: Effort) -> dict[int, int]:
    """The buffer of tail-drop for each load, by interpolation between those tried."""
    every, span = ftp_flows(effort), effort.choose(("60s", "30s"), ("200s", "50s"))

    def scenario(share: float, flows: int) -> ps.Scenario:
        at = design(flows)
        return ftp(flows, queue("TD", at._replace(buffer=round(share * at.buffer))), span)

    seeds = effort.choose(1, 3)
    tried = effort.table(Study(scenario, {"share": TRIED, "flows": every}, seeds=seeds), measure)
    wanted = effort.table(
        Study(lambda flows: ftp(flows, queue("REDopt", design(flows)), span), {"flows": every}, seeds=seeds), measure
    )
    found = {}
    for flows in every:
        delays = [tried("delay", share=share, flows=flows).mean for share in TRIED]
        share = float(np.interp(wanted("delay", flows=flows).mean, delays, TRIED))
        found[flows] = round(share * design(flows).buffer)
    return found


def claims(table: Table) -> Iterator[Claim]:
    """Claim c11."""
    yield Claim(
        id="c11",
        says="with equal delay tail-drop and REDopt have the same goodput",
        expected="within 2 %, every N; delays within 10 %",
        must_hold=True,
        holds=all_of(
            condition.at(f"N = {n}")
            for n in loads(table, "flows")
            for condition in (
                (table("goodput", scheme="TD", flows=n) / table("goodput", scheme="REDopt", flows=n)).between(
                    0.98, 1.02
                ),
                (table("delay", scheme="TD", flows=n) / table("delay", scheme="REDopt", flows=n)).between(0.9, 1.1),
            )
        ),
    )

    high = 256
    if table.has(flows=high):
        yield Claim(
            id="c06",
            says="under heavy load the differences of UDP loss are too small to matter",
            reading="tail-drop with the buffer that gives it REDopt's delay",
            expected="REDopt / TD <= 1.15 at N = 256",
            holds=table("udp_loss", scheme="REDopt", flows=high) / table("udp_loss", scheme="TD", flows=high) <= 1.15,
        )


def draw(shown: Shown) -> Figure:
    """Goodput of both."""
    return curves(shown, "flows", "goodput", "scheme", labels=("flows", "goodput (Mb/s)"), log="x")
