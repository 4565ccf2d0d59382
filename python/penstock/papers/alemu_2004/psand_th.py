"""The rule for PSAND's thresholds: as far apart as the buffer allows, around the target (Section 3.2.4)."""

import numpy as np

from penstock.explain.explanation import prepare
from penstock.papers.alemu_2004.setup import BUFFER
from penstock.reproduce.figure import Claim, Effort, every, formula, metric
from penstock.results.table import Labels

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


CLAIMS = (
    Claim(
        "psand-th/c1",
        "the thresholds follow from the target and the buffer",
        every(
            abs(metric("min") - formula(lambda target: RULE[target][0])) <= 1e-6,
            abs(metric("max") - formula(lambda target: RULE[target][1])) <= 1e-6,
        ),
        "B = 35: KT 10 (0, 20), 17.5 (0, 35), 20 (5, 35), 30 (25, 35), to 1e-6",
        must_hold=True,
    ),
)
