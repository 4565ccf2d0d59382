"""Figure 3.8: directions in which methods 3 to 6 move the thresholds (Section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator

from penstock.papers.alemu_2004.adaptations import SIGNS
from penstock.papers.alemu_2004.setup import KT
from penstock.papers.alemu_2004.tab3_2 import measure, study
from penstock.reproduce.claim import Claim
from penstock.results.sample import all_of
from penstock.results.table import Table

__all__ = ["claims", "measure", "study"]

METHODS = ["squeeze", "spread", "shift-up", "shift-down"]


def claims(table: Table) -> Iterator[Claim]:
    """Directions and symmetry, in the runs of Table 3.2."""
    yield Claim(
        id="fig3.8/c1",
        says="when the average rises 3 moves both inwards, 4 outwards, 5 up, 6 down; 3 and 4 stay symmetric",
        expected="the sign of each move at a rise from 10 to 12; Min + Max = 2 KT for 3 and 4 to 1e-6",
        holds=all_of(
            *(
                (sign * (table(f"{name}, after", method=method) - table(f"{name}, before", method=method)) > 0.0).at(
                    f"{method}, {name}"
                )
                for method in METHODS
                for name, sign in zip(("min_th", "max_th"), SIGNS[method], strict=True)
            ),
            *(
                (abs(table("min_th, after", method=m) + table("max_th, after", method=m) - 2 * KT) <= 1e-6).at(m)
                for m in ("squeeze", "spread")
            ),
        ),
        must_hold=True,
    )
