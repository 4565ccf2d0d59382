"""Figures 5.7 to 5.9 and the end of chapter 5: blocks of other sizes (Section 5.4.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from penstock.reproduce import shape
from penstock.reproduce.figure import Curve, Exhibit, QuickOrFull, SummaryTable, Sweep, Table, claims_if_measured
from penstock.reproduce.number import Number, function_of_samples
from penstock.reproduce.shape import falls, relative_range, rises
from penstock.reproduce.statement import Statement, every, table_statement
from penstock.results.condition import Condition
from penstock.results.sample import RunSample

from . import judge, panels, tables5
from .panels import Panel
from .setup import AQS, PLR, PLRBC, VQS, claim
from .tables5 import BOTH, GAP, GAP_BEFORE, RED, SETTLED, TAIL, block_packets, codes_where

QUARTER = ["8,2", "16,4", "24,6", "32,8", "40,10", "48,12", "56,14", "64,16"]
TENTH = ["10,1", "20,2", "30,3", "40,4", "50,5", "60,6", "70,7", "80,8"]
SIZES = [4, 8, 12, 16, 20, 24, 32, 40, 48, 56, 64]
"""Of Figures 5.8 and 5.9 (guess 11)."""


def code_sweep(quick: Sequence[str], full: Sequence[str], flows: Sequence[int]) -> Sweep:
    """Runs of the codes named `quick` or `full`, each behind drop-tail and RED, with each number of flows."""
    return tables5.code_sweep(QuickOrFull(quick, full), flows)


def redundancy_sweep(flows: Sequence[int]) -> Sweep:
    """Runs of codes with 1, 2 and 4 packets of redundancy per block, with each number of flows."""
    quick = [f"{k},{h}" for h in (1, 4) for k in (4, 16, 40)]
    return code_sweep(quick, [f"{k},{h}" for h in (1, 2, 4) for k in SIZES], flows)


def _crossing(curve: Curve) -> RunSample:
    return shape.zero_crossing({block_packets(code)[0]: gap for code, gap in curve.items()})


CROSSING = GAP.along("code", _crossing, "data packets where it rises above 0", unit="packets")
"""The number of data packets above which RED leaves more losses than drop-tail."""


def codes_with_redundancy(h: int) -> Any:
    """The codes with `h` packets of redundancy."""
    return tables5.codes_where(f"with h = {h}", lambda _, own: own == h)


def redundancy_values(table: Table) -> list[int]:
    """The numbers of packets of redundancy in a table."""
    return list(dict.fromkeys(block_packets(code)[1] for code in table.axis("code")))


def block_size_trends(table: Table, flows: int) -> Iterator[Statement]:
    """For each h: PLRBC falls and PLR rises with k."""
    for h in redundancy_values(table):
        at = {"scheme": BOTH, "flows": flows, "code": codes_with_redundancy(h)}
        yield every(shape.falls(PLRBC, "code"), shape.rises(PLR, "code"))(**at)


def draw_against_k(flows: Sequence[int], name: str, values: Sequence[float]) -> Any:
    """A function that draws PLRBC and PLR against k, with a line for each of `values` of the label `name`."""
    parts = [
        Panel("k", y, "scheme", {"flows": n, name: value}, f"{n} flows, {name} {value:g}")
        for n in flows
        for value in values
        for y in ("PLRBC", "PLR")
    ]
    return partial(_drawn, parts=parts)


def _drawn(points: SummaryTable, parts: Sequence[Panel]) -> Figure:
    cells = []
    for labels, numbers_ in points.cells:
        k, h = block_packets(labels["code"])
        cells.append(({**labels, "k": k, "h": h, "ratio": h / k}, numbers_))
    return panels.draw(SummaryTable(cells), parts)


A_QUARTER = codes_where("with a quarter of redundancy", lambda k, h: k == 4 * h)
A_TENTH = codes_where("with a tenth of redundancy", lambda k, h: k == 10 * h)
SMALL_TENTH = codes_where("with a tenth of redundancy, k <= 30", lambda k, h: k == 10 * h and k <= 30)
LARGE_TENTH = codes_where("with a tenth of redundancy, k >= 50", lambda k, h: k == 10 * h and k >= 50)
LARGE = codes_where("with k >= 16", lambda k, h: k >= 16)
fig5_7 = Exhibit(
    "Figure 5.7: the size of a block at a fixed share of redundancy (Section 5.4.2.1)",
    claim(
        "fig5.7/c1",
        every(
            *(
                every(relative_range(PLRBC, "code") <= 0.1, falls(PLR, "code"))(scheme=BOTH, code=share)
                for share in (A_QUARTER, A_TENTH)
            )
        ),
        "for each share, n and scheme: PLRBC within 10 % over k; PLR falls with k",
    ),
    claim(
        "fig5.7a/c1",
        every(
            function_of_samples(
                shape.ratio_of_means, PLR(scheme=TAIL), PLR(scheme=RED), text="{} / {}"
            ).matches_printed(2.9, share=0.3),
            GAP_BEFORE > 0,
        )(code="8,2", flows=50),
        "PLR(DT)/PLR(RED) 2.9 +- 30 %, PLRBC(RED) > PLRBC(DT)",
    ),
    claim("fig5.7a/c2", every(GAP(code="8,2") < GAP(code="16,4"), PLR(code="64,16", scheme=BOTH) <= 0.1)(flows=50)),
    claim(
        "fig5.7b/c1",
        every(judge.matches_loss_gap(GAP, 0.5), judge.matches_loss_gap(GAP_BEFORE, 2.1))(code="16,4", flows=100),
        "each +- 0.5 points",
    ),
    claim(
        "fig5.7b/c2",
        every(judge.matches_plr((PLRBC - PLR)(scheme=RED), 8.6), judge.matches_plr((PLRBC - PLR)(scheme=TAIL), 7))(
            code="16,4", flows=100
        ),
        "PLRBC - PLR, each +- 2 points",
    ),
    claim(
        "fig5.7c/c1",
        every((GAP < 0)(code=SMALL_TENTH), (GAP > 0)(code=LARGE_TENTH))(flows=50),
        "PLR(RED) < PLR(DT) for k <= 30, > for k >= 50",
    ),
    claim(
        "fig5.7d/c1",
        every(judge.matches_loss_gap(GAP(code="20,2"), 2.1), rises(GAP(code=A_TENTH), "code"))(flows=100),
        "2.1 +- 0.5 points; rises with k",
    ),
    claim(
        "fig5.7bd/c1",
        every(GAP(code="20,2") > GAP(code="16,4"), GAP(code=TENTH[-1]) > GAP(code=QUARTER[-1]))(flows=100),
        "gap at (20,2) above that at (16,4), and so for the largest blocks",
    ),
    claim("model5.rule/c4", every((GAP > 0)(code=LARGE, flows=100), (GAP < 0)(code=[QUARTER[0], TENTH[0]], flows=50))),
    study=code_sweep(
        [QUARTER[0], QUARTER[1], QUARTER[-1], TENTH[0], TENTH[1], TENTH[-1]], [*QUARTER, *TENTH], [50, 100]
    ),
    draw=draw_against_k([50, 100], "ratio", [0.25, 0.1]),
)


def _at(h: int) -> Number:
    return CROSSING(code=codes_with_redundancy(h), flows=50)


fig5_8 = Exhibit(
    "Figure 5.8: the size of a block with fixed redundancy, 50 flows (Section 5.4.2.2)",
    claim(
        "fig5.8/c1",
        table_statement(
            lambda table: every(*block_size_trends(table, 50)).on_table(table),
            "rank correlations <= -0.8 and >= 0.8 for each h and scheme",
        ),
    ),
    *claims_if_measured(
        {"code": "64,1"},
        claim(
            "fig5.8/c2",
            every(_at(1).matches_printed(16, share=0.3), _at(4).matches_printed(40, share=0.3)),
            "crossings at 16 and 40, +- 30 %",
        ),
        claim("fig5.8/c3", every(_at(1) < _at(2), _at(2) < _at(4)), "crossings of h = 1 < 2 < 4"),
    ),
    study=redundancy_sweep([50]),
    draw=draw_against_k([50], "h", [1, 2, 4]),
)


def _as_with_50(table: Table) -> Condition:
    return every(
        *block_size_trends(table, 100),
        *((CROSSING(flows=100) <= CROSSING(flows=50))(code=codes_with_redundancy(h)) for h in redundancy_values(table)),
    ).on_table(table)


fig5_9 = Exhibit(
    "Figure 5.9: the size of a block with fixed redundancy, 100 flows (Section 5.4.2.2)",
    claim(
        "fig5.9/c1",
        table_statement(_as_with_50, "rank correlations as in Figure 5.8; crossing at no larger k for each h"),
    ),
    study=redundancy_sweep([50, 100]),
    draw=draw_against_k([100], "h", [1, 2, 4]),
)


def _part(study: Sweep, name: str) -> Sweep:
    return replace(study, labels={**study.labels, "part": name})


def _worse(curve: Curve) -> list[RunSample]:
    """The differences where RED loses more."""
    return [gap for gap in curve.values() if gap.mean > 0]


def _told_by_losses(table: Table) -> Condition:
    """The best bound on losses before correction, with RED up to it and drop-tail above, picks the better queue."""
    before, is_red_better = [], []
    for labels, samples in table.where(part="blocks").cells:
        if labels["scheme"] == TAIL:
            red = table("PLR", **{**labels, "scheme": RED})
            own = shape.group_means([samples["PLRBC"], red, samples["PLR"]])
            before.append([lost for lost, _, _ in own])
            is_red_better.append([after <= tail for _, after, tail in own])
    return RunSample(list(map(_best_bound, zip(*before, strict=True), zip(*is_red_better, strict=True)))) >= 80.0


def _best_bound(before: Sequence[float], is_red_better: Sequence[bool]) -> float:
    """The largest share of points, in percent, at which one bound on the losses picks the better scheme."""
    bounds = [-1.0, *before]
    right = [[(lost <= bound) == red for lost, red in zip(before, is_red_better, strict=True)] for bound in bounds]
    return 100 * max(map(float, map(np.mean, right)))


# A fixed amount of redundancy: h packets in a block of any size.
GROWS_WITH_BLOCK = table_statement(
    lambda table: every(
        *(
            rises(GAP(code=codes_with_redundancy(h), part="sizes"), "code")
            for h in redundancy_values(table.where(part="sizes"))
        )
    ).on_table(table),
    "PLR(RED) - PLR(DT) rises with k for each h",
)
GROWS = (
    GAP.along(
        "code", lambda curve: shape.curve_rank_correlation(_worse(curve)), "rank correlation where above 0", unit=""
    )
    >= 0.8
)
WHERE_WORSE = GROWS.only_where(GAP.along("code", lambda curve: len(_worse(curve))), lambda several: several.mean > 1)

PRINTED = ["loads", "blocks"]
"""The parts whose codes the text names; the block sizes of Figure 5.9 are guessed (guess 11)."""
ch5 = Exhibit(
    "The end of chapter 5: guidelines for RED or drop-tail with a code (Section 5.6)",
    *claims_if_measured(
        SETTLED,
        claim(
            "ch5/c1",
            every(
                tables5.CROSSING(code="16,1") < tables5.CROSSING(code="16,2"),
                tables5.CROSSING(code="16,2") < tables5.CROSSING(code="16,4"),
            )(part="loads"),
            "crossings of (16,1) < (16,2) < (16,4)",
        ),
    ),
    claim(
        "ch5/c2",
        every(*(q(scheme=RED) < q(scheme=TAIL) for q in (AQS, VQS))).only_where(GAP, lambda gap: gap.mean < 0)(
            part=PRINTED
        ),
        "AQS and VQS below drop-tail's wherever the mean PLR is",
    ),
    claim("ch5/c3", GROWS_WITH_BLOCK),
    claim(
        "ch5/c4",
        table_statement(
            lambda table: every(
                *(
                    WHERE_WORSE(code=codes_with_redundancy(h), part="sizes")
                    for h in redundancy_values(table.where(part="sizes"))
                )
            ).on_table(table),
            "PLR(RED) - PLR(DT) rises with k where it is above 0, for each h",
        ),
    ),
    claim("ch5/c5", (GAP > 0)(flows=100, part=PRINTED)),
    claim(
        "ch5/c6",
        table_statement(
            _told_by_losses, "RED up to one bound on drop-tail's PLRBC: the better one at 80 % of the points"
        ),
    ),
    # The runs of Figures 5.4, 5.7 and 5.9.
    study=_part(tables5.fig5_4.study, "loads") + _part(fig5_7.study, "blocks") + _part(fig5_9.study, "sizes"),
)
