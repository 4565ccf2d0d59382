"""Table 2.3: how often the queue is empty, near its target and almost full under PSAND."""

from collections.abc import Mapping
from functools import partial

from penstock.papers.alemu_2004 import cells, tables2
from penstock.papers.alemu_2004.judge import probability
from penstock.papers.alemu_2004.setup import AREDS, LONGER
from penstock.papers.alemu_2004.tables2 import HIGH, PSANDS, at, study
from penstock.reproduce.figure import Claim, Statement, by_table, every
from penstock.results.sample import all_of

__all__ = ["CLAIMS", "JUDGES", "PRINTED", "draw", "study"]

JUDGES = {"empty": probability, "5 to 15": probability, "25 to 35": probability}
PRINTED = tables2.printed("tab2-3")
EMPTY = {("Feng", 3): 8.8, ("Feng", 28): 3.7, ("Floyd", 3): 9.1, ("Floyd", 28): 2.9}
FULL = {("Feng", 28): 2.1, ("Floyd", 28): 3.2, ("PSAND1", 28): 4.0}
"""Numbers of Section 2.4.4."""


def _printed(metric: str, values: Mapping[tuple[str, int], float], text: str) -> Statement:
    return by_table(
        lambda table: all_of(
            probability(table(metric, **at(*place)), value).at(f"{place[0]}, {place[1]} flows")
            for place, value in values.items()
        ),
        text,
    )


# The columns "25" are 28 flows in all (guess 2).
CLAIMS = (
    *tables2.rows("tab2.3", JUDGES, " %"),
    cells.all_inside("tab2.3", PRINTED),
    Claim(
        "tab2.3/c4",
        "the queue of the adaptive REDs is empty more often",
        _printed("empty", EMPTY, "P(X=0): Feng 8.8 % at 3 flows and 3.7 % at 28, Floyd 9.1 % and 2.9 %"),
    ),
    Claim(
        "tab2.3/c5",
        "PSAND1 is almost full more often at 28 flows",
        every(
            _printed("25 to 35", FULL, "P(25<X<=35): Feng 2.1 %, Floyd 3.2 %, PSAND1 4.0 %"),
            (LONGER(row="PSAND1", high=HIGH) > LONGER(row=AREDS))(flows=28, acks="each"),
        ),
        "P(25<X<=35): Feng 2.1 %, Floyd 3.2 %, PSAND1 4.0 %, the largest",
    ),
    Claim(
        "tab2.3/c6",
        "with 3 flows the queue is never almost full under PSAND",
        _printed("25 to 35", {(row, 3): 0 for row in PSANDS}, "P(25<X<=35) 0 +- 1.5 points for PSAND1 to 3"),
    ),
)

draw = partial(cells.draw, cells=PRINTED)
