"""Figure 3.5: four situations of the thresholds, as rows of Table 3.1 (Section 3.2.2)."""

from dataclasses import replace
from typing import Any

from penstock.papers.alemu_2004 import cells, panels
from penstock.papers.alemu_2004.judge import other_than
from penstock.papers.alemu_2004.setup import AQS, EMPTY, KT, OFF, PLR, VQS
from penstock.papers.alemu_2004.tab3_1 import PRINTED, study
from penstock.reproduce.figure import Claim, Number, Statement, by_table, every, gather, in_cells, most, some, within
from penstock.results.sample import all_of

__all__ = ["CLAIMS", "draw", "study"]

SMALL, LARGE = {"max_th": 10.5, "min_th": 9.75}, {"max_th": [15, 35], "min_th": 9.75}
"""Large Min with a small Max (row 3) and with a larger one (rows 6 and 12)."""
LARGER = other_than(10.5)
ONE = {"max_th": 10.5, "min_th": 0}
WIDE = [{"max_th": 15, "min_th": 0}, {"max_th": 20, "min_th": 0}]
"""Rows 4 and 7: a small Min and a larger Max."""


def _least(number: Number, row: dict[str, Any], larger: Any = LARGER) -> Statement:
    """The number of a row with Max 10.5 is at most that of each other row, or of those with some larger Max."""
    own = number(**row)
    return every(own <= number(max_th=larger), own <= number(max_th=10.5, min_th=other_than(row["min_th"])))


def _better(row: dict[str, Any]) -> Statement:
    """By all numbers than with a large Min."""
    parts = (q(**row) < q(**other) for q in (AQS, VQS, PLR, EMPTY) for other in (SMALL, LARGE))
    return gather(all_of, every(*parts))


OTHER_MIN = {"max_th": 10.5, "min_th": other_than(0)}
OF_RUNS = in_cells(
    {"acks": "each"},
    Claim(
        "fig3.5a/c1",
        "a large Min with a small Max keeps the queue nearest to the target, with many losses",
        every(_least(OFF, SMALL), PLR(**SMALL) > PLR(**LARGE)),
        "row 3: |AQS - 10| least of all rows, PLR above rows 6 and 12 (the table has rows 1, 4, 7 nearer)",
    ),
    Claim(
        "fig3.5b/c1",
        "a large Min with a large Max has the queue above the target and fewer losses",
        every(AQS(**LARGE) > KT, PLR(**LARGE) < PLR(**SMALL)),
        "rows 6 and 12: AQS > 10, PLR < row 3",
    ),
    Claim(
        "fig3.5c/c1",
        "a small Min with a small Max has a very short and steady queue and many losses",
        every(
            gather(all_of, _least(AQS, ONE)),
            gather(all_of, _least(VQS, ONE)),
            most(8 / 11, every(PLR(**ONE) > PLR(max_th=LARGER), PLR(**ONE) > PLR(**OTHER_MIN))),
        ),
        "row 1: least AQS and VQS of all rows, PLR above 8 of the 11 others (the table itself contradicts it)",
    ),
    Claim(
        "fig3.5c/c1",
        "a small Min with a small Max has a steady queue",
        _least(VQS, ONE, within(15, 20)),
        "row 1: least VQS of the rows with Max <= 20",
        reading="variance among Max <= 20, as in the table",
    ),
    Claim(
        "fig3.5d/c1",
        "a small Min with a larger Max is best overall",
        some(every(*map(_better, WIDE))),
        "row 4 or 7: AQS, VQS, PLR and P(X=0) below those of rows 3, 6 and 12 (the table itself: not VQS)",
    ),
)


PRINT = cells.as_table(PRINTED)


def _in_print(claim: Claim) -> Claim:
    """The claim on the numbers that Table 3.1 prints, which contradict some of the text."""
    holds = by_table(lambda _: claim.statement.on(PRINT), claim.statement.text)
    return replace(claim, holds=holds, reading="the printed numbers of Table 3.1")


CLAIMS = (*OF_RUNS, *(_in_print(claim) for claim in OF_RUNS if not claim.reading))

draw = panels.of(*(panels.Panel("min_th", y, "max_th", {"acks": "each"}) for y in ("AQS", "VQS", "PLR", "empty")))
"""What the triangles of the figure come to."""
