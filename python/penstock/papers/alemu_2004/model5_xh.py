"""Section 5.5: the zero x_h for large h."""

from __future__ import annotations

from collections.abc import Iterator

import penstock as ps
from penstock.papers.alemu_2004.fig5_12 import DROPTAIL, RED
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.table import Labels, Table

__all__ = ["claims", "rows"]


def rows(_: Effort) -> list[tuple[Labels, dict[str, float]]]:
    """x_h - h."""
    found: list[tuple[Labels, dict[str, float]]] = []
    for h in [*range(1, 31), 50, 100, 400]:
        root = ps.model.code_threshold(RED, DROPTAIL, h)
        found.append(({"h": h}, {"above": float("nan") if root is None else root - h}))
    return found


def claims(table: Table) -> Iterator[Claim]:
    """A constant above h."""
    yield Claim(
        id="model5.xh/c1",
        says="x_h is about h + C",
        expected="x_h - h > 0 for each h; 0.26 to 0.27 from h = 10 on, 0.2614 at 400 to 0.0005",
        holds=all_of(
            *((table("above", h=h) > 0.0).at(f"h {h}") for h in table.axis("h")),
            *(table("above", h=h).between(0.26, 0.27).at(f"h {h}") for h in table.axis("h") if h >= 10),
            (abs(table("above", h=400) - 0.2614) <= 5e-4).at("h 400"),
        ),
        must_hold=True,
    )
