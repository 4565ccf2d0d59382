"""What Figures 2.9 to 2.11 have in common: the four schemes against the number of flows (Section 2.4.2.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import penstock as ps
from penstock.papers.alemu_2004.setup import ADAPTIVE, GRID, load, psand
from penstock.reproduce.figure import Choice, Readings, Sweep

SCHEMES: dict[str, Callable[[], ps.Queue]] = {**ADAPTIVE, "PSAND 0.5": lambda: psand(high=0.5)}
"""The last is the other reading of the bound of max_p (guess 4)."""
OWN = Readings({"PSAND": "", "PSAND 0.5": "max_p at most 0.5"})


def against(full: Sequence[int] = GRID, seeds: int = 100) -> Sweep:
    """All of them with each number of flows."""
    return Sweep(
        lambda scheme, flows: load(SCHEMES[scheme](), flows),
        {"scheme": list(SCHEMES), "flows": Choice([3, 28, 103], list(full))},
        seeds=Choice(5, seeds),
    )


study = against()
