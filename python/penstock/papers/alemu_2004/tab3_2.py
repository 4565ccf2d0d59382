"""Table 3.2: how the eight methods move the thresholds (Section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import penstock as ps
from penstock.claims import Claim
from penstock.papers.alemu_2004 import adaptations
from penstock.papers.alemu_2004.adaptations import METHODS, SIGNS
from penstock.papers.alemu_2004.measures import Numbers
from penstock.papers.alemu_2004.setup import BUFFER, KT
from penstock.reproduce import Effort
from penstock.samples import all_of
from penstock.study import Study, Table

__all__ = ["claims", "measure", "study"]


def study(effort: Effort) -> Study:
    """All methods with 23 flows."""
    return adaptations.steps(effort, METHODS)


def measure(run: ps.Run) -> Numbers:
    """How far the steps of the thresholds are from the table's, and how Min + Max strays from twice the target.

    A step that ends at a bound (Min 0 or KT, Max KT or the buffer, half a packet between them) is left out. The
    average is read 10 ms before and after each step, so that half a packet is what it may have moved meanwhile.
    """
    queue = run.scenario["links"]["bottleneck"]["queue"]
    method, steps = queue["adapt"], {name: np.array(x) for name, x in run.raw["kept"]["steps"].items()}
    if method == "pseudo-drop-tail":
        return {"min off": float(abs(steps["low"] - KT).max()), "max off": float(abs(steps["high"] - KT).max())}
    lower, upper = SIGNS[method]
    low, high = steps["low"], steps["high"]
    free = (high > KT + 0.01) & (high < BUFFER - 0.01) & (high - low > 0.51)
    if lower:
        free &= (low > 0.01) & (low < KT - 0.01)
    if lower * upper < 0:
        free &= (high < 2 * KT - 0.01) & (low > 0.01)
    # The first of two steps may have ended at a bound as well: then the difference is no step.
    free[1:] &= free[:-1]
    free[0] = False
    off = {"min off": steps["min"] - lower * steps["change"], "max off": steps["max"] - upper * steps["change"]}
    found: Numbers = {name: float(np.median(abs(x[free]))) if free.any() else None for name, x in off.items()}
    found["sum off"] = float(abs(low + high - 2 * KT).max())
    if method == "sandwich":
        found["slope off"] = float(abs(steps["max_p"] / (high - low) - 0.1).max())
    return found


def claims(table: Table) -> Iterator[Claim]:
    """Every method by the steps of its thresholds."""
    yield Claim(
        id="tab3.2/c1",
        says="each method moves Min and Max as the table has it",
        expected="median of |step - that of the table| <= 0.1 packets; 7: both at KT; 8: max_p keeps the slope 1/10",
        holds=all_of(
            *(
                (table(name, method=method) <= 0.1).at(f"{method}, {name}")
                for method in METHODS
                for name in ("min off", "max off")
            ),
            (table("slope off", method="sandwich") <= 1e-3).at("slope"),
        ),
    )
