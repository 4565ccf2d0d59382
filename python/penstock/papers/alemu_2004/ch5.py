"""The end of chapter 5: guidelines for RED or drop-tail with a code (Section 5.6)."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import penstock as ps
from penstock.papers.alemu_2004 import fig5_4, fig5_7, judge
from penstock.papers.alemu_2004.fig5_7 import A_QUARTER, A_TENTH
from penstock.papers.alemu_2004.fig5_12 import DROPTAIL, RED
from penstock.papers.alemu_2004.judge import rises
from penstock.papers.alemu_2004.setup import AQS, VQS
from penstock.papers.alemu_2004.tables5 import CROSSING, GAP, SETTLED, TAIL, for_each_red, numbers
from penstock.papers.alemu_2004.tables5 import RED as EACH_RED
from penstock.reproduce.figure import Claim, Curve, Sweep, Table, by_table, every, needing
from penstock.results.sample import Condition, Sample


def _part(study: Sweep, name: str) -> Sweep:
    return replace(study, labels={**study.labels, "part": name})


# The runs of Figures 5.4 and 5.7.
study = _part(fig5_4.study, "loads") + _part(fig5_7.study, "blocks")


def _worse(curve: Curve) -> list[Sample]:
    """RED's disadvantages."""
    return [gap for gap in curve.values() if gap.mean > 0]


def _right(table: Table, red: str) -> Condition:
    """RED where p (k + h) <= x_h: this picks the better scheme at 80 % of the points."""
    right = []
    for labels, samples in table.cells:
        if labels["scheme"] != TAIL:
            continue
        k, h = numbers(labels["code"])
        limit = ps.model.code_threshold(RED, DROPTAIL, h) or 0.0
        other = table("PLR", **{**labels, "scheme": red})
        rows = judge.grouped([samples["PLRBC"], other, samples["PLR"]])
        right.append([(before / 100 * (k + h) <= limit) == (own <= tail) for before, own, tail in rows])
    return Sample([100 * float(share) for share in np.mean(right, axis=0)]) >= 80.0


BLOCKS = {"part": "blocks"}
BY_BLOCK = every(*(rises(GAP(code=share), "code") for share in (A_QUARTER, A_TENTH)))(**BLOCKS)
GROWS = GAP.along("code", lambda curve: judge.trend(_worse(curve)), "rank correlation where above 0", unit="") >= 0.8
WHERE_WORSE = GROWS.given(GAP.along("code", lambda curve: len(_worse(curve))), lambda several: several.mean > 1)

STATED = (
    Claim(
        "ch5/c2",
        "where RED is better its queue is also shorter and steadier",
        every(*(q(scheme=EACH_RED) < q(scheme=TAIL) for q in (AQS, VQS))).given(GAP, lambda gap: gap.mean < 0),
        "AQS and VQS below drop-tail's wherever the mean PLR is",
    ),
    Claim(
        "ch5/c3",
        "at a fixed share of redundancy small blocks are better for RED",
        BY_BLOCK,
        "PLR(RED) - PLR(DT) rises with k for both shares",
        others={"50 flows": BY_BLOCK(flows=50)},
    ),
    Claim(
        "ch5/c4",
        "where RED is worse the gap grows with the block",
        every(*(WHERE_WORSE(code=share) for share in (A_QUARTER, A_TENTH)))(**BLOCKS),
        "PLR(RED) - PLR(DT) rises with k where it is above 0, for both shares",
        others={"a tenth of redundancy, 100 flows": rises(GAP(code=A_TENTH, flows=100, **BLOCKS), "code")},
    ),
    Claim(
        "ch5/c5",
        "if losses are high RED is worse whatever the code",
        (GAP > 0)(flows=100),
        "PLR(RED) > PLR(DT) at 100 flows for all codes",
    ),
)


def _claims(red: str) -> Iterator[Claim]:
    yield from (claim.replaced(EACH_RED, red) for claim in STATED)
    yield Claim(
        "ch5/c6",
        "losses before correction tell which scheme to use",
        by_table(
            lambda table: _right(table, red),
            "RED where p (k + h) <= x_h, p drop-tail's PLRBC: the better one at 80 % of the points",
        ),
    )


CLAIMS = (
    *needing(
        SETTLED,
        Claim(
            "ch5/c1",
            "the number of flows up to which RED is better grows with the redundancy",
            every(CROSSING(code="16,1") < CROSSING(code="16,2"), CROSSING(code="16,2") < CROSSING(code="16,4"))(
                part="loads"
            ),
            "crossings of (16,1) < (16,2) < (16,4)",
        ),
    ),
    *for_each_red(_claims, **BLOCKS),
)
