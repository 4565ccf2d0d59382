"""Section 5.5: which codes the model recommends RED for, and what it says of Tables 5.1 and 5.2."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from penstock.papers.alemu_2004 import tables5
from penstock.papers.alemu_2004.fig5_12 import DROPTAIL, RED
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Sample, all_of, most_of
from penstock.results.table import Labels, Table

__all__ = ["claims", "rows"]

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


def claims(table: Table) -> Iterator[Claim]:
    """The rule in its three directions, and the printed tables."""
    rule = {(p, h): table("largest", p=p, h=h) for p in LOSSES for h in REDUNDANCY}
    yield Claim(
        id="model5.rule/c1",
        says="given h RED is better only for a k small enough, and this k grows with h",
        expected="better for all k up to a largest one, which rises over h = 1, 2, 4, 8",
        holds=all_of(
            *((table("holes", p=p, h=h) <= 0.0).at(f"p {p:g}, h {h}") for p, h in rule),
            *(
                (rule[p, b] > rule[p, a]).at(f"p {p:g}, h {b}")
                for p in LOSSES
                for a, b in itertools.pairwise(REDUNDANCY)
            ),
        ),
        must_hold=True,
    )
    yield Claim(
        id="model5.rule/c2",
        says="RED is better only if h/k is large enough",
        expected="at the largest k, h/k >= p/(1 - p) - C/((1 - p) k) with C = 0.27 to 0.64, and not at k + 1",
        holds=all_of(
            # p (k + h) <= x_h = h + C solved for h / k; C is 0.631 at h = 1 and falls to 0.26.
            (rule[p, h] * p + p * h).between(h + 0.1 - p, h + 0.64).at(f"p {p:g}, h {h}")
            for p, h in rule
            if 0 < rule[p, h].mean < MOST
        ),
        must_hold=True,
    )
    yield Claim(
        id="model5.rule/c3",
        says="the larger the losses the smaller k must be",
        expected="largest k falls with p for each h",
        holds=all_of(
            (rule[b, h] < rule[a, h]).at(f"h {h}, p {b:g}")
            for h in REDUNDANCY
            for a, b in itertools.pairwise(LOSSES)
            if rule[a, h].mean < MOST
        ),
        must_hold=True,
    )

    def same(name: str, row: str) -> Sample:
        model, measured = table("model", table=name, row=row), table("print", table=name, row=row)
        return model * measured

    lines = {name: [labels["row"] for labels, _ in table.cells if labels.get("table") == name] for name in CODES}
    yield Claim(
        id="model5.data/c1",
        says="with each scheme's own losses before correction the model tells which loses less after it",
        expected="sign of PLR_RED - PLR_DT at all 10 loads of Table 5.1, at 9 of Table 5.2",
        holds=all_of(
            all_of((same("tab5-1", row) > 0.0).at(f"Table 5.1, {row}") for row in lines["tab5-1"]),
            most_of(0.9, ((same("tab5-2", row) > 0.0).at(f"Table 5.2, {row}") for row in lines["tab5-2"])),
        ),
        must_hold=True,
    )
