"""The extent of an evaluation: quick or full."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.evaluation.network import Bench

__all__ = ["FULL", "QUICK", "Form"]


@dataclass(frozen=True)
class Form:
    """The extent of an evaluation: the bench, runs of each scenario, and whether only a part of section 6.2 is run."""

    bench: Bench
    runs: int
    quick: bool


QUICK = Form(Bench(duration_s=120.0), 5, quick=True)
FULL = Form(Bench(), 10, quick=False)
