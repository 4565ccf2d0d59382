"""Section 5.5: which codes the model recommends RED for, and what it says of Tables 5.1 and 5.2."""

import itertools

import numpy as np

from penstock.papers.alemu_2004 import tables5
from penstock.papers.alemu_2004.fig5_12 import DROPTAIL, RED
from penstock.reproduce.figure import Claim, Effort, above, every, formula, gather, judged, metric, most
from penstock.results.sample import Condition, Sample, all_of
from penstock.results.table import Labels

LOSSES = [0.02, 0.05, 0.08, 0.12]
REDUNDANCY = [1, 2, 4, 8]
MOST = 400
CODES = {"tab5-1": "16,1", "tab5-2": "16,4"}


def rows(_: Effort) -> list[tuple[Labels, dict[str, float]]]:
    """The largest k at which RED is better, whether it is for all smaller ones, and losses from printed PLRBC."""
    found: list[tuple[Labels, dict[str, float]]] = []
    ks = np.arange(1, MOST + 1)
    for p, h in itertools.product(LOSSES, REDUNDANCY):
        x = p * (ks + h)
        better = np.asarray(RED.unrepaired(x, h)) < np.asarray(DROPTAIL.unrepaired(x, h))
        largest = int(ks[better].max()) if better.any() else 0
        found.append(({"p": p, "h": h}, {"largest": float(largest), "holes": float(largest - better.sum())}))
    for name, code in CODES.items():
        cells = {(cell.row, cell.column): cell.printed / 100 for cell in tables5.printed(name, code)}
        k, h = tables5.numbers(code)
        for row in dict.fromkeys(row for row, _ in cells):
            modelled = (
                float(RED.residual_loss(cells[row, "PLRBC RED"], k, h)),
                float(DROPTAIL.residual_loss(cells[row, "PLRBC DT"], k, h)),
            )
            measured = cells[row, "PLR RED"] - cells[row, "PLR DT"]
            values = {"model": 100 * (modelled[0] - modelled[1]), "print": 100 * measured}
            found.append(({"table": name, "row": row}, values))
    return found


LARGEST = metric("largest", "packets", "largest k")(p=above(0))
SAME_SIGN = metric("model") * metric("print") > 0


def _at_the_bound(largest: Sample, p: float, h: int) -> Condition:
    """P (k + h) <= x_h = h + C solved for h / k; C is 0.631 at h = 1 and falls to 0.26."""
    return (largest * p + p * h).between(h + 0.1 - p, h + 0.64)


CLAIMS = (
    Claim(
        "model5.rule/c1",
        "given h RED is better only for a k small enough, and this k grows with h",
        every(metric("holes")(p=above(0)) <= 0, LARGEST.next("h") > LARGEST),
        "better for all k up to a largest one, which rises over h = 1, 2, 4, 8",
        must_hold=True,
    ),
    Claim(
        "model5.rule/c2",
        "RED is better only if h/k is large enough",
        judged(
            _at_the_bound,
            LARGEST,
            formula(lambda p: p),
            formula(lambda h: h),
            text="at the largest k, h/k >= p/(1 - p) - C/((1 - p) k) with C = 0.27 to 0.64, and not at k + 1",
        ).given(LARGEST, lambda largest: 0 < largest.mean < MOST),
        must_hold=True,
    ),
    Claim(
        "model5.rule/c3",
        "the larger the losses the smaller k must be",
        (LARGEST.next("p") < LARGEST).given(LARGEST, lambda largest: largest.mean < MOST),
        "largest k falls with p for each h",
        must_hold=True,
    ),
    Claim(
        "model5.data/c1",
        "with each scheme's own losses before correction the model tells which loses less after it",
        every(gather(all_of, SAME_SIGN(table="tab5-1")), most(0.9, SAME_SIGN(table="tab5-2"))),
        "sign of PLR_RED - PLR_DT at all 10 loads of Table 5.1, at 9 of Table 5.2",
        must_hold=True,
    ),
)
