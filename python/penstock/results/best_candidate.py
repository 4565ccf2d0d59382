"""The choice of the best among the means of several candidates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from penstock.results.display import decimal_places
from penstock.results.estimate import Estimate
from penstock.results.metrics import Better

__all__ = ["Lead", "common_decimals", "index_of_best", "leading_candidates"]

Lead = Literal["best", "shared", ""]


def common_decimals(cells: Iterable[Estimate | None], factor: float) -> int:
    """Number of decimals of the cells of a row, multiplied by `factor`; tables and sentences both use it."""
    present = [cell for cell in cells if cell is not None]
    halves = (cell.half_width * factor for cell in present if cell.half_width is not None)
    return decimal_places((cell.mean * factor for cell in present), halves)


def leading_candidates(
    cells: Sequence[Estimate | None], better: Better, paired: Mapping[tuple[int, int], tuple[float, float]]
) -> list[Lead]:
    """`best` for a candidate that is significantly better than every other, else `shared` for each leading candidate.

    Two candidates differ significantly if the interval of their paired difference excludes 0 or, if that interval is
    unknown, if the intervals of their cells do not overlap. All texts are empty if an interval or the direction is
    missing, or if no candidate differs from the best.
    """
    none: list[Lead] = [""] * len(cells)
    present = {i: cell for i, cell in enumerate(cells) if cell is not None}
    if not better or len(present) < 2 or any(cell.half_width is None for cell in present.values()):
        return none
    first = index_of_best(cells, better)
    front = [first] + [i for i in present if i != first and not _separated(first, i, present, paired)]
    if len(front) == len(present):
        return none
    mark: Lead = "best" if len(front) == 1 else "shared"
    return [mark if i in front else "" for i in range(len(cells))]


def index_of_best(cells: Sequence[Estimate | None], better: Better) -> int:
    """The candidate with the best mean; the first one if none has a mean."""
    sign = 1.0 if better == "lower" else -1.0
    return min((i for i, cell in enumerate(cells) if cell is not None), key=lambda i: sign * _mean(cells[i]), default=0)


def _mean(cell: Estimate | None) -> float:
    return float("nan") if cell is None else cell.mean


def _separated(
    first: int, other: int, cells: Mapping[int, Estimate], paired: Mapping[tuple[int, int], tuple[float, float]]
) -> bool:
    if (first, other) in paired:
        low, high = paired[first, other]
        return low > 0 or high < 0
    a, b = cells[first], cells[other]
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return False
    return a.high < b.low or b.high < a.low
