"""Figure 5.12: the model: how much likelier a block is repaired behind RED than behind drop-tail (Section 5.5)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from matplotlib.figure import Figure

import penstock as ps
from penstock.plots.curves import curves
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Labels, Table

__all__ = ["DROPTAIL", "RED", "claims", "draw", "rows"]

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


def claims(table: Table) -> Iterator[Claim]:
    """Signs and zeros."""
    zeros = {h: table("x_h", h=h, what="zero") for h in REDUNDANCY}
    xs = table.axis("x")
    yield Claim(
        id="fig5.12/c1",
        says="the difference is positive up to one zero, negative beyond",
        expected="h = 1 to 8",
        holds=all_of(
            (table("delta", h=h, x=x) > 0.0 if x < zeros[h].mean else table("delta", h=h, x=x) < 0.0).at(
                f"h {h}, x {x:g}"
            )
            for h in REDUNDANCY
            for x in xs
        ),
        must_hold=True,
    )
    yield Claim(
        id="fig5.12/c2",
        says="the zero moves up with h",
        expected=", ".join(map(str, COMPUTED)) + " to 0.001, rising",
        holds=all_of(
            *((abs(zeros[h] - value) <= 1e-3).at(f"h {h}") for h, value in zip(REDUNDANCY, COMPUTED, strict=True)),
            *((zeros[b] > zeros[a]).at(f"h {a} to {b}") for a, b in itertools.pairwise(REDUNDANCY)),
        ),
        must_hold=True,
    )
    yield Claim(
        id="fig5.12/c3",
        says="few losses favour RED, whose groups are smaller; many favour drop-tail",
        expected="positive at x = 0.25, negative at 15, where P(at most h losses) falls faster with groups of mean 1.1",
        holds=all_of(
            condition.at(f"h {h}")
            for h in REDUNDANCY
            for condition in (table("delta", h=h, x=0.25) > 0.0, table("delta", h=h, x=15.0) < 0.0)
        ),
        must_hold=True,
    )


def draw(shown: SummaryTable) -> Figure:
    """A line for each h."""
    return curves(shown, "x", "delta", "h", labels=("mean losses in a block, x", "difference of probabilities"))
