"""Table 3.3: the eight methods of adapting the thresholds (Section 3.3)."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from penstock.papers.alemu_2004 import cells, judge
from penstock.papers.alemu_2004.setup import AQS, PLR, VQS, load, psand
from penstock.reproduce.figure import Choice, Claim, Number, Statement, Sweep, every

METHODS = ["max-down", "max-up", "squeeze", "spread", "shift-up", "shift-down", "pseudo-drop-tail", "sandwich"]
FLOWS = {3: 23, 8: 23}
"""Rows whose printed losses are those of 23 flows; the others are compared at 103 (guess 10)."""
JUDGES = {"AQS": judge.aqs, "VQS": judge.vqs, "PLR": judge.plr}


# The methods and, as "none", the fixed thresholds, at both loads that the text speaks of.
study = Sweep(
    lambda method, flows: load(psand(adapt=method), flows),
    {"method": [*METHODS, "none"], "flows": [23, 103]},
    seeds=Choice(5, 100),
)

PRINTED = cells.read(
    "tab3-3", lambda row, column: (column, {"method": row, "flows": FLOWS.get(METHODS.index(row) + 1, 103)})
)


def _rows() -> Iterator[Claim]:
    for i, method in enumerate(METHODS, 1):
        own = [cell for cell in PRINTED if cell.row == method]
        row = partial(Claim, f"tab3.3/r{i}", f"the row of method {i}, {method}")
        yield row(cells.rows_fit(own, JUDGES))
        flows = 126 - FLOWS.get(i, 103)
        yield row(
            cells.rows_fit([replace(cell, at={**cell.at, "flows": flows}) for cell in own], JUDGES),
            reading=f"{flows} flows",
        )


def _ordered(number: Number, *groups: Sequence[int]) -> Statement:
    """Each method of a group is below each of the next one."""
    lists = [[METHODS[i - 1] for i in group] for group in groups]
    return every(*(number(method=a) < number(method=b) for a, b in itertools.pairwise(lists)))(flows=103)


def _as_4(number: Number, share: float) -> Statement:
    own = number(method="spread")
    return abs(number(method=["shift-up", "shift-down"]) - own) <= own * share


CLAIMS = (
    *_rows(),
    cells.all_inside("tab3.3", PRINTED),
    Claim(
        "tab3.3/c1",
        "the order of VQS",
        _ordered(VQS, [3], [4, 5, 6], [2], [7], [8], [1]),
        "methods 3 < {4, 5, 6} < 2 < 7 < 8 < 1 at 103 flows",
    ),
    Claim(
        "tab3.3/c2",
        "the order of AQS",
        _ordered(AQS, [7], [3], [4, 5, 6], [8], [2], [1]),
        "methods 7 < 3 < {4, 5, 6} < 8 < 2 < 1 at 103 flows",
    ),
    Claim(
        "tab3.3/c3",
        "methods 4, 5 and 6 are nearly equal",
        every(
            _as_4(AQS, 0.25), _as_4(VQS, 0.4), abs(PLR(method=["shift-up", "shift-down"]) - PLR(method="spread")) <= 2
        )(flows=103),
        "AQS within 25 %, VQS within 40 %, PLR within 2 points of method 4's at 103 flows",
    ),
    Claim(
        "tab3.3/c4",
        "the fixed thresholds (0, 20) are better overall",
        every(*(q(method="none") < q(method=[m for m in METHODS if m != "squeeze"]) for q in (AQS, VQS)))(flows=103),
        "AQS and VQS below those of methods 1, 2, 4 to 8 at 103 flows",
    ),
)

draw = partial(cells.draw, cells=PRINTED)
