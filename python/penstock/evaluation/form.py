"""The extent of an evaluation: quick or full."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.evaluation.network import Dumbbell

__all__ = ["FULL", "QUICK", "EvaluationForm"]


@dataclass(frozen=True)
class EvaluationForm:
    """The extent of an evaluation: the bench, runs of each scenario, and whether only a part of section 6.2 is run."""

    bench: Dumbbell
    runs: int
    quick: bool


QUICK = EvaluationForm(Dumbbell(duration_s=120.0), 5, quick=True)
FULL = EvaluationForm(Dumbbell(), 10, quick=False)
