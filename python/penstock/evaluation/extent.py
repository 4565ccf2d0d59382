"""The extent of an evaluation: quick or full."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.evaluation.network import Dumbbell

__all__ = ["FULL", "QUICK", "EvaluationExtent"]


@dataclass(frozen=True)
class EvaluationExtent:
    """The extent of an evaluation: the dumbbell, the runs of each scenario, and whether section 6.2 is shortened."""

    dumbbell: Dumbbell
    runs: int
    quick: bool


QUICK = EvaluationExtent(Dumbbell(duration_s=120.0), 5, quick=True)
FULL = EvaluationExtent(Dumbbell(), 10, quick=False)
