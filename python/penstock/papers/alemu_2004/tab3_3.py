"""Table 3.3: the eight methods of adapting the thresholds (Section 3.3)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import cells, judge
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.papers.alemu_2004.setup import load, psand
from penstock.reproduce.claim import Claim
from penstock.reproduce.experiment_run import Effort
from penstock.results.sample import Condition, Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table
from penstock.studies.study import Study

__all__ = ["claims", "draw", "measure", "study"]

METHODS = ["max-down", "max-up", "squeeze", "spread", "shift-up", "shift-down", "pseudo-drop-tail", "sandwich"]
FLOWS = {3: 23, 8: 23}
"""Rows whose printed losses are those of 23 flows; the others are compared at 103 (guess 10)."""
JUDGES = {"AQS": judge.aqs, "VQS": judge.vqs, "PLR": judge.plr}


def study(effort: Effort) -> Study:
    """The methods and, as "none", the fixed thresholds, at both loads that the text speaks of."""
    return Study(
        lambda method, flows: load(psand(adapt=method), flows),
        {"method": [*METHODS, "none"], "flows": [23, 103]},
        seeds=effort.choose(5, 100),
    )


PRINTED = cells.read(
    "tab3-3", lambda row, column: (column, {"method": row, "flows": FLOWS.get(METHODS.index(row) + 1, 103)})
)


def claims(table: Table) -> Iterator[Claim]:
    """The rows, and the orders among them."""
    for i, method in enumerate(METHODS, 1):
        own = [cell for cell in PRINTED if cell.row == method]
        for flows in (FLOWS.get(i, 103), 126 - FLOWS.get(i, 103)):
            chosen = [cells.Cell(c.row, c.column, c.printed, c.metric, {**c.at, "flows": flows}) for c in own]
            yield Claim(
                id=f"tab3.3/r{i}",
                says=f"the row of method {i}, {method}",
                expected=", ".join(f"{cell.column} {cell.printed:g}" for cell in own),
                holds=cells.fits(table, chosen, JUDGES),
                reading="" if flows == FLOWS.get(i, 103) else f"{flows} flows",
            )
    yield Claim(
        id="tab3.3/cells",
        says="cells whose print is inside the 95 % interval",
        expected="all",
        holds=cells.inside(table, PRINTED),
        reading="no tolerance",
    )

    def of(metric: str, method: int, flows: int = 103) -> Sample:
        return table(metric, method=METHODS[method - 1] if method else "none", flows=flows)

    def ordered(metric: str, groups: list[list[int]]) -> Condition:
        return all_of(
            (of(metric, a) < of(metric, b)).at(f"method {a} below {b}")
            for first, second in itertools.pairwise(groups)
            for a in first
            for b in second
        )

    yield Claim(
        id="tab3.3/c1",
        says="the order of VQS",
        expected="methods 3 < {4, 5, 6} < 2 < 7 < 8 < 1 at 103 flows",
        holds=ordered("VQS", [[3], [4, 5, 6], [2], [7], [8], [1]]),
    )
    yield Claim(
        id="tab3.3/c2",
        says="the order of AQS",
        expected="methods 7 < 3 < {4, 5, 6} < 8 < 2 < 1 at 103 flows",
        holds=ordered("AQS", [[7], [3], [4, 5, 6], [8], [2], [1]]),
    )
    yield Claim(
        id="tab3.3/c3",
        says="methods 4, 5 and 6 are nearly equal",
        expected="AQS within 25 %, VQS within 40 %, PLR within 2 points of method 4's at 103 flows",
        holds=all_of(
            (abs(of(metric, method) - of(metric, 4)) <= (bound if metric == "PLR" else of(metric, 4) * bound)).at(
                f"{metric}, method {method}"
            )
            for metric, bound in (("AQS", 0.25), ("VQS", 0.4), ("PLR", 2.0))
            for method in (5, 6)
        ),
    )
    yield Claim(
        id="tab3.3/c4",
        says="the fixed thresholds (0, 20) are better overall",
        expected="AQS and VQS below those of methods 1, 2, 4 to 8 at 103 flows",
        holds=all_of(
            (of(metric, 0) < of(metric, method)).at(f"{metric}, method {method}")
            for metric in ("AQS", "VQS")
            for method in (1, 2, 4, 5, 6, 7, 8)
        ),
    )


def draw(shown: Shown) -> Figure:
    """The table."""
    return cells.draw(shown, PRINTED)
