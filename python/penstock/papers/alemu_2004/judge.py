"""Printed tables, and the tolerance of each kind of printed number in the list of claims."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, TypeVar

from penstock.reproduce.printed_table import CellAddress, Judge, PrintedTable, read_printed_texts

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Comparable(Protocol[T_co]):
    """A sample, which gives a condition, or a number that is not known yet, which gives a statement."""

    def matches_printed(
        self, printed: float, *, low: float | None = None, high: float | None = None, share: float = 0.0
    ) -> T_co:
        """A printed number within a tolerance."""


NEVER = 0.1
"""Share of the time, in percent, that a text may call "never" and a table may print as 0: 0.1 s of a run of 100 s."""


def matches_aqs(number: Comparable[T], printed: float) -> T:
    """Whether a number agrees with a printed average queue, within 25 %."""
    return number.matches_printed(printed, share=0.25)


def matches_vqs(number: Comparable[T], printed: float) -> T:
    """Whether a number agrees with a printed variance of the queue, within 40 %."""
    return number.matches_printed(printed, share=0.4)


def matches_plr(number: Comparable[T], printed: float) -> T:
    """Whether a number agrees with a printed loss rate in %: above 5 % within 2 points, else 0.5 or half of it."""
    points = 2.0 if printed > 5 else min(0.5, printed / 2)
    return number.matches_printed(printed, low=printed - points, high=printed + points)


def matches_loss_gap(difference: Comparable[T], printed: float) -> T:
    """Whether a difference of losses is the printed one within half a point; 2 points would ignore its sign."""
    return difference.matches_printed(printed, low=printed - 0.5, high=printed + 0.5)


def matches_probability(number: Comparable[T], printed: float) -> T:
    """Whether a number agrees with a printed probability in percent, within 30 % of it.

    Below 5 % within 1.5 points or half of it, or within `NEVER`.
    """
    if printed >= 5:
        return number.matches_printed(printed, share=0.3)
    points = max(min(1.5, printed / 2), NEVER)
    return number.matches_printed(printed, low=printed - points, high=printed + points)


TOLERANCES: dict[str, Judge] = {
    "AQS": matches_aqs, "VQS": matches_vqs, "PLR": matches_plr, "PLRBC": matches_plr,
    "empty": matches_probability, "full": matches_probability,
    "5 to 15": matches_probability, "25 to 35": matches_probability,
}  # fmt: skip
"""Tolerances of the cells of printed tables, by metric."""
EXPECTED = Path(__file__).parent / "expected"


def read_thesis_table(name: str, address_of: CellAddress) -> PrintedTable:
    """A table of numbers; `address_of` returns the metric of a cell and its labels."""
    return PrintedTable.read(EXPECTED / f"{name}.csv", address_of, TOLERANCES)


NS2: dict[str, dict[str, float]] = {}
"""Numbers of ns-2.35 by runs and metric, from `expected/ns2.csv`."""
for _runs, _metric, _number in read_printed_texts(EXPECTED / "ns2.csv"):
    NS2.setdefault(_runs, {})[_metric] = float(_number)
