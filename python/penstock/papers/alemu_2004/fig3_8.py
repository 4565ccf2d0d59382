"""Figure 3.8: directions in which methods 3 to 6 move the thresholds (Section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import penstock as ps
from penstock.claims import Claim
from penstock.papers.alemu_2004 import adaptations
from penstock.papers.alemu_2004.adaptations import SIGNS
from penstock.papers.alemu_2004.measures import Numbers
from penstock.papers.alemu_2004.setup import KT
from penstock.reproduce import Effort
from penstock.samples import all_of
from penstock.study import Study, Table

__all__ = ["claims", "measure", "study"]

METHODS = ["squeeze", "spread", "shift-up", "shift-down"]


def study(effort: Effort) -> Study:
    """The four methods with 23 flows."""
    return adaptations.steps(effort, METHODS)


def measure(run: ps.Run) -> Numbers:
    """Share of rises of the average of more than a packet at which a threshold moved the other way, in percent."""
    method = run.scenario["links"]["bottleneck"]["queue"]["adapt"]
    steps = {name: np.array(x) for name, x in run.raw["kept"]["steps"].items()}
    rises = steps["change"] > 1
    found: Numbers = {
        f"{name} against": 100 * float((steps[name][rises] * sign < -1e-6).mean())
        for name, sign in zip(("min", "max"), SIGNS[method], strict=True)
    }
    return {**found, "sum off": float(abs(steps["low"] + steps["high"] - 2 * KT).max())}


def claims(table: Table) -> Iterator[Claim]:
    """Directions and symmetry."""
    yield Claim(
        id="fig3.8/c1",
        says="when the average rises 3 moves both inwards, 4 outwards, 5 up, 6 down; 3 and 4 stay symmetric",
        expected="no step against it at a rise of more than 1 packet; Min + Max = 2 KT for 3 and 4 to 1e-5",
        holds=all_of(
            *(
                (table(f"{name} against", method=method) <= 0.0).at(f"{method}, {name}")
                for method in METHODS
                for name in ("min", "max")
            ),
            *((table("sum off", method=method) <= 1e-5).at(method) for method in ("squeeze", "spread")),
        ),
        must_hold=True,
    )
