"""The rule for PSAND's thresholds: as far apart as the buffer allows, around the target (Section 3.2.4)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from penstock.explain.explanation import prepare
from penstock.papers.alemu_2004.setup import BUFFER
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import all_of
from penstock.results.table import Labels, Table

__all__ = ["claims", "rows"]

RULE = {10: (0, 20), 17.5: (0, 35), 20: (5, 35), 30: (25, 35)}
"""Min and Max for a target, by the rule."""


def rows(_: Effort) -> list[tuple[Labels, dict[str, float]]]:
    """Where the drop function leaves 0, and where it comes to max_p, for each target."""
    found: list[tuple[Labels, dict[str, float]]] = []
    for target in RULE:
        scheme = f"psand:target={target}p,max_p=0.1"
        curve = prepare(scheme, "1.5Mbit", "54ms", None, f"{BUFFER}p").curve()
        if curve is None:
            raise AssertionError("PSAND has a drop function")
        queue, p = (np.asarray(values) for values in curve)
        inside = (p > 1e-9) & (p < 0.1 - 1e-9)
        slope, offset = np.polyfit(queue[inside], p[inside], 1)
        found.append(({"target": target}, {"min": float(-offset / slope), "max": float((0.1 - offset) / slope)}))
    return found


def claims(table: Table) -> Iterator[Claim]:
    """The rule's values."""
    yield Claim(
        id="psand-th/c1",
        says="the thresholds follow from the target and the buffer",
        expected="B = 35: KT 10 (0, 20), 17.5 (0, 35), 20 (5, 35), 30 (25, 35), to 1e-6",
        holds=all_of(
            (abs(table(name, target=target) - value) <= 1e-6).at(f"{name} at {target:g}")
            for target, pair in RULE.items()
            for name, value in zip(("min", "max"), pair, strict=True)
        ),
        must_hold=True,
    )
