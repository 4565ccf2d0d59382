"""One number over several runs, and the choice of the best among several candidates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from penstock.results.display import decimals
from penstock.results.metrics import Better, Metric

__all__ = ["Cell", "Lead", "best", "common_decimals", "drawn", "leaders"]

Lead = Literal["best", "shared", ""]

ROUNDING = 1e-14
"""Relative half-width below which the runs of a cell count as equal; it allows for rounding of their sum."""


@dataclass(frozen=True)
class Cell:
    """One number of a comparison; `low` and `high` end its 95 % interval and are None for a single run."""

    mean: float
    low: float | None
    high: float | None
    runs: int

    @property
    def half_width(self) -> float | None:
        """Half the width of the 95 % interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def constant(self) -> bool:
        """Whether several runs gave the same value, within rounding."""
        half = self.half_width
        return half is not None and half <= ROUNDING * abs(self.mean)


def drawn(cell: Cell, about: Metric) -> Cell:
    """The cell as charts draw it: with the possible part of its interval."""
    if cell.low is None or cell.high is None:
        return cell
    low, high = about.possible(cell.low, cell.high)
    return replace(cell, low=low, high=high)


def common_decimals(cells: Iterable[Cell | None], factor: float) -> int:
    """Decimals of the cells of a row, in the unit that `factor` leads to: tables and sentences show the same number."""
    known = [cell for cell in cells if cell is not None]
    halves = (cell.half_width * factor for cell in known if cell.half_width is not None)
    return decimals((cell.mean * factor for cell in known), halves)


def leaders(
    cells: Sequence[Cell | None], better: Better, paired: Mapping[tuple[int, int], tuple[float, float]]
) -> list[Lead]:
    """`best` for the candidate that is significantly better than every other; else `shared` for the leading ones.

    Two candidates differ significantly if the interval of their paired difference, where it is known, does not contain
    0; else if the intervals of the cells do not overlap. Without an interval or a direction, and if no two candidates
    differ, none leads.
    """
    none: list[Lead] = [""] * len(cells)
    known = {i: cell for i, cell in enumerate(cells) if cell is not None}
    if not better or len(known) < 2 or any(cell.half_width is None for cell in known.values()):
        return none
    first = best(cells, better)
    front = [first] + [i for i in known if i != first and not _separated(first, i, known, paired)]
    if len(front) == len(known):
        return none
    mark: Lead = "best" if len(front) == 1 else "shared"
    return [mark if i in front else "" for i in range(len(cells))]


def best(cells: Sequence[Cell | None], better: Better) -> int:
    """The candidate with the best mean; the first one if none has a mean."""
    sign = 1.0 if better == "lower" else -1.0
    return min((i for i, cell in enumerate(cells) if cell is not None), key=lambda i: sign * _mean(cells[i]), default=0)


def _mean(cell: Cell | None) -> float:
    return float("nan") if cell is None else cell.mean


def _separated(
    one: int, other: int, cells: Mapping[int, Cell], paired: Mapping[tuple[int, int], tuple[float, float]]
) -> bool:
    if (one, other) in paired:
        low, high = paired[one, other]
        return low > 0 or high < 0
    a, b = cells[one], cells[other]
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return False
    return a.high < b.low or b.high < a.low
