"""Figure 5.12: the model: how much likelier a block is repaired behind RED than behind drop-tail (Section 5.5)."""

import numpy as np

import penstock as ps
from penstock.reproduce.figure import Claim, Curves, Effort, above, every, formula, judged, metric
from penstock.results.sample import Condition, Sample
from penstock.results.table import Labels

RED, DROPTAIL = ps.model.Batches((0.9, 0.1)), ps.model.Batches((0.6, 0.4))
"""Groups of one and two losses."""
REDUNDANCY = list(range(1, 9))
COMPUTED = [1.631, 2.158, 3.327, 4.265, 5.280, 6.272, 7.272, 8.270]
"""x_h as the list of claims computes them."""


def rows(_: Effort) -> list[tuple[Labels, dict[str, float]]]:
    """The difference of the probabilities of at most h losses, and where it is 0."""
    found: list[tuple[Labels, dict[str, float]]] = []
    xs = np.arange(0.25, 15.01, 0.25)
    for h in REDUNDANCY:
        delta = np.asarray(DROPTAIL.unrepaired(xs, h)) - np.asarray(RED.unrepaired(xs, h))
        found += [({"h": h, "x": float(x)}, {"delta": float(value)}) for x, value in zip(xs, delta, strict=True)]
        root = ps.model.code_threshold(RED, DROPTAIL, h)
        found.append(({"h": h, "what": "zero"}, {"x_h": float("nan") if root is None else root}))
    return found


X_H = metric("x_h")(what="zero")
delta = metric("delta", says="difference")


def _changes_sign(delta: Sample, zero: Sample, x: float) -> Condition:
    return delta > 0.0 if x < zero.mean else delta < 0.0


CLAIMS = (
    Claim(
        "fig5.12/c1",
        "the difference is positive up to one zero, negative beyond",
        judged(_changes_sign, delta(x=above(0)), X_H, formula(lambda x: x), text="h = 1 to 8"),
        must_hold=True,
    ),
    Claim(
        "fig5.12/c2",
        "the zero moves up with h",
        every(abs(X_H - formula(lambda h: COMPUTED[h - 1])) <= 1e-3, X_H.next("h") > X_H),
        ", ".join(map(str, COMPUTED)) + " to 0.001, rising",
        must_hold=True,
    ),
    Claim(
        "fig5.12/c3",
        "few losses favour RED, whose groups are smaller; many favour drop-tail",
        every(delta(x=0.25) > 0, delta(x=15) < 0),
        "positive at x = 0.25, negative at 15, where P(at most h losses) falls faster with groups of mean 1.1",
        must_hold=True,
    ),
)

draw = Curves("x", "delta", "h", labels=("mean losses in a block, x", "difference of probabilities"))
