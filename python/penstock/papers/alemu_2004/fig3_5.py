"""Figure 3.5: four situations of the thresholds, as rows of Table 3.1 (Section 3.2.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from penstock.papers.alemu_2004 import cells, panels
from penstock.papers.alemu_2004.setup import KT
from penstock.papers.alemu_2004.tab3_1 import PRINTED, ROWS, study
from penstock.reproduce.figure import Claim, Table
from penstock.results.sample import Condition, Sample, all_of, any_of, most_of

__all__ = ["claims", "draw", "study"]

SMALL, LARGE = (10.5, 9.75), [(15, 9.75), (35, 9.75)]
"""Large Min with a small Max (row 3) and with a larger one (rows 6 and 12)."""
WIDE = [(15, 0), (20, 0)]
"""Rows 4 and 7: a small Min and a larger Max."""


def claims(table: Table) -> Iterator[Claim]:
    """What the text says of each, of the runs and of the numbers that Table 3.1 prints, which contradict some of it."""
    yield from _claims(table)
    for claim in _claims(cells.as_table(PRINTED)):
        if not claim.reading:
            yield replace(claim, reading="the printed numbers of Table 3.1")


def _claims(table: Table) -> Iterator[Claim]:
    def of(metric: str, row: tuple[float, float]) -> Sample:
        return table(metric, max_th=row[0], min_th=row[1], acks="each")

    def off(row: tuple[float, float]) -> Sample:
        return abs(of("AQS", row) - KT)

    def least(metric: str, row: tuple[float, float], rows: list[tuple[float, float]]) -> Condition:
        return all_of(
            (of(metric, row) <= of(metric, other)).at(f"{metric}, Max {other[0]:g}, Min {other[1]:g}")
            for other in rows
            if other != row
        )

    yield Claim(
        id="fig3.5a/c1",
        says="a large Min with a small Max keeps the queue nearest to the target, with many losses",
        expected="row 3: |AQS - 10| least of all rows, PLR above rows 6 and 12 (the table has rows 1, 4, 7 nearer)",
        holds=all_of(
            *((off(SMALL) <= off(row)).at(f"AQS, Max {row[0]:g}, Min {row[1]:g}") for row in ROWS if row != SMALL),
            *((of("PLR", SMALL) > of("PLR", row)).at(f"PLR, Max {row[0]:g}") for row in LARGE),
        ),
    )
    yield Claim(
        id="fig3.5b/c1",
        says="a large Min with a large Max has the queue above the target and fewer losses",
        expected="rows 6 and 12: AQS > 10, PLR < row 3",
        holds=all_of(
            condition.at(f"Max {row[0]:g}")
            for row in LARGE
            for condition in (of("AQS", row) > float(KT), of("PLR", row) < of("PLR", SMALL))
        ),
    )
    one = (10.5, 0)
    yield Claim(
        id="fig3.5c/c1",
        says="a small Min with a small Max has a very short and steady queue and many losses",
        expected="row 1: least AQS and VQS of all rows, PLR above 8 of the 11 others (the table itself contradicts it)",
        holds=all_of(
            least("AQS", one, ROWS),
            least("VQS", one, ROWS),
            most_of(8 / 11, [(of("PLR", one) > of("PLR", row)).at("PLR") for row in ROWS if row != one]),
        ),
    )
    yield Claim(
        id="fig3.5c/c1",
        says="a small Min with a small Max has a steady queue",
        expected="row 1: least VQS of the rows with Max <= 20",
        holds=least("VQS", one, [row for row in ROWS if row[0] <= 20]),
        reading="variance among Max <= 20, as in the table",
    )
    yield Claim(
        id="fig3.5d/c1",
        says="a small Min with a larger Max is best overall",
        expected="row 4 or 7: AQS, VQS, PLR and P(X=0) below those of rows 3, 6 and 12 (the table itself: not VQS)",
        holds=any_of(
            all_of(
                (of(metric, row) < of(metric, other)).at(f"{metric}, Max {row[0]:g} against {other[0]:g}, {other[1]:g}")
                for metric in ("AQS", "VQS", "PLR", "empty")
                for other in (SMALL, *LARGE)
            )
            for row in WIDE
        ),
    )


draw = panels.of(*(panels.Panel("min_th", y, "max_th", {"acks": "each"}) for y in ("AQS", "VQS", "PLR", "empty")))
"""What the triangles of the figure come to."""
