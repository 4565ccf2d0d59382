"""Losses in a row with 1400 web sessions by RED's memory and max_p (Section 5, described)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.brandauer_2001.setup import OPTIONS, measure, queue, web, web_designs, web_options, web_span
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

LONGEST = 0.02  # the max_p with the longest runs


def study(effort: Effort) -> Study:
    """Standard RED with other memories and other max_p."""
    span, designs = web_span(effort), web_designs(effort)
    return Study(
        lambda option, w_q, max_p: web(
            1400, queue("REDstd", designs[option, 1400], w_q=w_q, max_p=max_p), span, option
        ),
        {
            "option": web_options(effort),
            "w_q": effort.choose([0.0005, 0.01], [0.0002, 0.0005, 0.002, 0.01, 0.05]),
            "max_p": effort.choose([0.1], [0.02, 0.1, 0.3]),
        },
        seeds=effort.choose(5, 10),
    )


def claims(table: Table) -> Iterator[Claim]:
    """Claim c27, of both readings of a page."""
    for option in table.axis("option"):
        part = table.where(option=option)
        for k, of, also in (
            (20, part.axis("max_p"), ""),
            (100, [p for p in part.axis("max_p") if p == LONGEST], f"runs of more than 100, max_p = {LONGEST}"),
        ):
            if not of:
                continue
            named = "; ".join(text for text in (OPTIONS[option], also) if text)
            yield Claim(
                id="c27",
                says="a larger w_q, a shorter memory, makes long runs of losses less likely",
                expected=f"P(N > {k}) decreasing in w_q, each max_p",
                reading=named,
                because=""
                if also
                else "as many are forced with any w_q, 7 % with max_p = 0.02; a shorter memory "
                "makes more and shorter runs of them (web-wq-maxp)",
                holds=all_of(
                    (part(f"over_{k}", w_q=b, max_p=max_p) < part(f"over_{k}", w_q=a, max_p=max_p)).at(
                        f"max_p = {max_p}, w_q = {a} to {b}"
                    )
                    for max_p in of
                    for a, b in itertools.pairwise(part.axis("w_q"))
                ),
            )


def draw(shown: Shown) -> Figure:
    """P(N > 20) against w_q."""
    return curves(
        shown,
        "w_q",
        "over_20",
        "max_p",
        where={"option": 1},
        labels=("w_q", "P(more than 20 losses in a row)"),
        log="x",
    )
