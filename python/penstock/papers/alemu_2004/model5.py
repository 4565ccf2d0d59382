"""Section 5.5: the model, the codes for which it recommends RED, and Tables 5.1 and 5.2."""

from __future__ import annotations

import itertools

import numpy as np

import penstock as ps
from penstock.reproduce.figure import (
    CurveFigure,
    Exhibit,
    ReproductionEffort,
    Rows,
    at_least_share,
    every,
    formula,
    join_parts,
    judged_statement,
    metric,
)
from penstock.reproduce.label_values import above, at_least
from penstock.results.condition import Condition, all_of
from penstock.results.sample import RunSample

from . import tables5
from .setup import claim

RED, DROPTAIL = ps.model.LossBatches((0.9, 0.1)), ps.model.LossBatches((0.6, 0.4))
"""Groups of one and two losses."""
REDUNDANCY = list(range(1, 9))
COMPUTED = [1.631, 2.158, 3.327, 4.265, 5.280, 6.272, 7.272, 8.270]
"""x_h as in the list of claims."""


def difference_rows(_: ReproductionEffort) -> Rows:
    """Rows of the difference between the probabilities of at most h losses, and of the place where it is 0."""
    xs = np.arange(0.25, 15.01, 0.25)
    for h in REDUNDANCY:
        delta = np.asarray(DROPTAIL.unrepaired(xs, h)) - np.asarray(RED.unrepaired(xs, h))
        yield from [({"h": h, "x": float(x)}, {"delta": float(value)}) for x, value in zip(xs, delta, strict=True)]
        root = ps.model.code_threshold(RED, DROPTAIL, h)
        yield {"h": h, "what": "zero"}, {"x_h": float("nan") if root is None else root}


X_H = metric("x_h")(what="zero")
delta = metric("delta", says="difference")


def _changes_sign(delta: RunSample, zero: RunSample, x: float) -> Condition:
    return delta > 0.0 if x < zero.mean else delta < 0.0


fig5_12 = Exhibit(
    "Figure 5.12: the model: how much likelier a block is repaired behind RED than behind drop-tail (Section 5.5)",
    claim(
        "fig5.12/c1",
        judged_statement(_changes_sign, delta(x=above(0)), X_H, formula(lambda x: x), text="h = 1 to 8"),
        must_hold=True,
    ),
    claim(
        "fig5.12/c2",
        every(abs(X_H - formula(lambda h: COMPUTED[h - 1])) <= 1e-3, X_H.at_next_value("h") > X_H),
        ", ".join(map(str, COMPUTED)) + " to 0.001, rising",
        must_hold=True,
    ),
    claim(
        "fig5.12/c3",
        every(delta(x=0.25) > 0, delta(x=15) < 0),
        "positive at x = 0.25, negative at 15, where P(at most h losses) falls faster with groups of mean 1.1",
        must_hold=True,
    ),
    rows=difference_rows,
    draw=CurveFigure("x", "delta", "h", labels=("mean losses in a block, x", "difference of probabilities")),
)


def excess_rows(_: ReproductionEffort) -> Rows:
    """Rows of x_h - h, by which the mean number of losses up to which RED repairs more exceeds h."""
    for h in [*range(1, 31), 50, 100, 400]:
        root = ps.model.code_threshold(RED, DROPTAIL, h)
        yield {"h": h}, {"above": float("nan") if root is None else root - h}


excess = metric("above", says="x_h - h")
model5_xh = Exhibit(
    "Section 5.5: the zero x_h for large h",
    claim(
        "model5.xh/c1",
        every(excess > 0, excess(h=at_least(10)).between(0.26, 0.27), abs(excess(h=400) - 0.2614) <= 5e-4),
        must_hold=True,
    ),
    rows=excess_rows,
)


LOSSES = [0.02, 0.05, 0.08, 0.12]
MOST = 400
CODES = {"tab5-1": "16,1", "tab5-2": "16,4"}


def recommendation_rows(_: ReproductionEffort) -> Rows:
    """The largest k at which RED is better, whether it is better for all smaller k, and losses from printed PLRBC."""
    ks = np.arange(1, MOST + 1)
    for p, h in itertools.product(LOSSES, [1, 2, 4, 8]):
        x = p * (ks + h)
        better = np.asarray(RED.unrepaired(x, h)) < np.asarray(DROPTAIL.unrepaired(x, h))
        largest = int(ks[better].max()) if better.any() else 0
        yield {"p": p, "h": h}, {"largest": float(largest), "holes": float(largest - better.sum())}
    for name, code in CODES.items():
        cells = {(cell.row, cell.column): cell.printed / 100 for cell in tables5.read_table(name, code)}
        k, h = tables5.block_packets(code)
        for row in dict.fromkeys(row for row, _ in cells):
            modelled = (
                float(RED.residual_loss(cells[row, "PLRBC RED"], k, h)),
                float(DROPTAIL.residual_loss(cells[row, "PLRBC DT"], k, h)),
            )
            measured = cells[row, "PLR RED"] - cells[row, "PLR DT"]
            values = {"model": 100 * (modelled[0] - modelled[1]), "print": 100 * measured}
            yield {"table": name, "row": row}, values


LARGEST = metric("largest", "packets", "largest k")(p=above(0))
SAME_SIGN = metric("model") * metric("print") > 0


def _at_the_bound(largest: RunSample, p: float, h: int) -> Condition:
    """P (k + h) <= x_h = h + C solved for h / k; C is 0.631 at h = 1 and falls to 0.26."""
    return (largest * p + p * h).between(h + 0.1 - p, h + 0.64)


model5_rule = Exhibit(
    "Section 5.5: which codes the model recommends RED for, and what it says of Tables 5.1 and 5.2",
    claim(
        "model5.rule/c1",
        every(metric("holes")(p=above(0)) <= 0, LARGEST.at_next_value("h") > LARGEST),
        "better for all k up to a largest one, which rises over h = 1, 2, 4, 8",
        must_hold=True,
    ),
    claim(
        "model5.rule/c2",
        judged_statement(
            _at_the_bound,
            LARGEST,
            formula(lambda p: p),
            formula(lambda h: h),
            text="at the largest k, h/k >= p/(1 - p) - C/((1 - p) k) with C = 0.27 to 0.64, and not at k + 1",
        ).only_where(LARGEST, lambda largest: 0 < largest.mean < MOST),
        must_hold=True,
    ),
    claim(
        "model5.rule/c3",
        (LARGEST.at_next_value("p") < LARGEST).only_where(LARGEST, lambda largest: largest.mean < MOST),
        must_hold=True,
    ),
    claim(
        "model5.data/c1",
        every(join_parts(all_of, SAME_SIGN(table="tab5-1")), at_least_share(0.9, SAME_SIGN(table="tab5-2"))),
        "sign of PLR_RED - PLR_DT at all 10 loads of Table 5.1, at 9 of Table 5.2",
        must_hold=True,
    ),
    rows=recommendation_rows,
)
