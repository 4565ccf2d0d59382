"""Why c09 and c17: REDopt with drops that are not spaced, and with less of max_p than its model gives."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

import penstock as ps
from penstock.papers.brandauer_2001.setup import TAIL, design, ftp, ftp_flows, ftp_span, measure, queue, thresholds
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of, any_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

SHARES = [1.0, 0.5, 0.25, 0.2]


def study(effort: Effort) -> Study:
    """One thing changed at a time: how drops are spaced, at each load; max_p, with 256 flows."""
    span, seeds = ftp_span(effort), effort.choose(5, 10)

    def spaced(spacing: str, flows: int) -> ps.Scenario:
        return ftp(flows, queue("REDopt", design(flows), spacing=spacing), span)

    def weaker(share: float) -> ps.Scenario:
        at = design(256)
        return ftp(256, queue("REDopt", at, max_p=share * at.max_p), span)

    return Study(spaced, {"spacing": ["wait", "none"], "flows": ftp_flows(effort)}, seeds=seeds) + Study(
        weaker, {"share": effort.choose([1.0, 0.2], SHARES)}, seeds=seeds
    )


def claims(table: Table) -> Iterator[Claim]:
    """Other readings of c09 and c17."""
    light = [n for n in table.axis("flows") if n <= 64]
    yield Claim(
        id="c09",
        says="REDopt's queue stays half-way between the thresholds",
        reading="drops that are not spaced, so that p_b is the share that is lost",
        expected="within 15 % of (min_th + max_th) / 2, N <= 64",
        holds=all_of(
            (table("queue", spacing="none", flows=n) / (sum(thresholds("REDopt", design(n))) / 2))
            .between(0.85, 1.15)
            .at(f"N = {n}")
            for n in light
        ),
    )
    for share in table.axis("share"):
        if share < 1:
            yield Claim(
                id="c17",
                says="REDopt has a heavy tail: now and then a burst takes its average to max_th",
                reading=f"{share:g} of the model's max_p",
                expected="N = 256: P(N > k) > 0 for some k >= 10",
                holds=any_of((table(f"over_{k}", share=share) > 0).at(f"k = {k}") for k in TAIL if k >= 10),
            )


def draw(shown: Shown) -> Figure:
    """More than ten losses in a row by the share of max_p."""
    labels = ("max_p / the model's, 256 flows", "P(more than 10 losses in a row)")
    return curves(shown, "share", "over_10", labels=labels)
