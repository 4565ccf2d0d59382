"""Why c05 fails: loss of UDP packets with 16 flows by the size of the buffer, all thresholds growing with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.brandauer_2001.setup import (
    PACKET,
    PROPAGATION,
    RATE_BPS,
    Design,
    design,
    ftp,
    ftp_span,
    measure,
    queue,
)
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

FLOWS = 16


def study(effort: Effort) -> Study:
    """REDopt's settings for 16 flows and larger ones, whose max_p is that of the longer round trip."""
    span = ftp_span(effort)

    def scenario(scheme: str, scale: float) -> ps.Scenario:
        return ftp(FLOWS, queue(scheme, _scaled(design(FLOWS), scale)), span)

    axes: dict[str, list[Any]] = {"scheme": ["TD", "REDstd", "REDopt"], "scale": effort.choose([1, 3], [1, 1.5, 2, 3])}
    return Study(scenario, axes, seeds=effort.choose(5, 10))


def _scaled(at: Design, scale: float) -> Design:
    """All lengths times `scale`; max_p by the inverse square of the round trip, as the loss that TCP takes."""

    def rtt(times: float) -> float:
        return PROPAGATION + times * (at.min_th + at.max_th) / 2 * 8 * PACKET / RATE_BPS

    return Design(
        round(at.buffer * scale), at.min_th * scale, at.max_th * scale, at.max_p * (rtt(1) / rtt(scale)) ** 2, at.w_q
    )


def claims(table: Table) -> Iterator[Claim]:
    """None of the work's."""
    yield from ()


def draw(shown: Shown) -> Figure:
    """Loss by the size of the buffer."""
    return curves(
        shown, "scale", "udp_loss", "scheme", labels=("buffer / REDopt's for 16 flows", "UDP loss (%)"), log="y"
    )
