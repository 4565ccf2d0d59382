"""Table 2.3: how often the queue is empty, near its target and almost full under PSAND."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import cells, tables2
from penstock.papers.alemu_2004.judge import probability
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.papers.alemu_2004.tables2 import at, study
from penstock.reproduce.claim import Claim
from penstock.results.sample import all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table

__all__ = ["claims", "draw", "measure", "study"]

JUDGES = {"empty": probability, "5 to 15": probability, "25 to 35": probability}
PRINTED = tables2.printed("tab2-3")


def claims(table: Table) -> Iterator[Claim]:
    """The rows, and the numbers of Section 2.4.4; the columns "25" are 28 flows in all (guess 2)."""
    for number, row in {"c1": "PSAND1", "c2": "PSAND2", "c3": "PSAND3"}.items():
        for high in table.axis("high"):
            own = [cell for cell in tables2.printed("tab2-3", high) if cell.row == row]
            yield Claim(
                id=f"tab2.3/{number}",
                says=f"the row of {row}",
                expected=", ".join(f"{cell.column} {cell.printed:g} %" for cell in own),
                holds=cells.fits(table, own, JUDGES),
                reading="" if high == tables2.HIGH else f"max_p at most {high:g}",
            )  # fmt: skip
        delayed = [cell for cell in tables2.printed("tab2-3", acks="delayed") if cell.row == row]
        yield Claim(
            id=f"tab2.3/{number}",
            says=f"the row of {row}",
            expected="as above",
            holds=cells.fits(table, delayed, JUDGES),
            reading="delayed acknowledgements",
        )
    yield Claim(
        id="tab2.3/cells",
        says="cells whose print is inside the 95 % interval",
        expected="all",
        holds=cells.inside(table, PRINTED),
        reading="no tolerance",
    )
    empty = {("Feng", 3): 8.8, ("Feng", 28): 3.7, ("Floyd", 3): 9.1, ("Floyd", 28): 2.9}
    yield Claim(
        id="tab2.3/c4",
        says="the queue of the adaptive REDs is empty more often",
        expected="P(X=0): Feng 8.8 % at 3 flows and 3.7 % at 28, Floyd 9.1 % and 2.9 %",
        holds=all_of(
            probability(table("empty", **at(row, n)), value).at(f"{row}, {n} flows")
            for (row, n), value in empty.items()
        ),
    )
    full = {"Feng": 2.1, "Floyd": 3.2, "PSAND1": 4.0}
    yield Claim(
        id="tab2.3/c5",
        says="PSAND1 is almost full more often at 28 flows",
        expected="P(25<X<=35): Feng 2.1 %, Floyd 3.2 %, PSAND1 4.0 %, the largest",
        holds=all_of(
            *(probability(table("25 to 35", **at(row, 28)), value).at(row) for row, value in full.items()),
            *(
                (table("25 to 35", **at("PSAND1", 28)) > table("25 to 35", **at(row, 28))).at(f"above {row}")
                for row in ("Feng", "Floyd")
            ),
        ),
    )
    yield Claim(
        id="tab2.3/c6",
        says="with 3 flows the queue is never almost full under PSAND",
        expected="P(25<X<=35) 0 +- 1.5 points for PSAND1 to 3",
        holds=all_of(probability(table("25 to 35", **at(row, 3)), 0).at(row) for row in tables2.PSANDS),
    )


def draw(shown: Shown) -> Figure:
    """The table."""
    return cells.draw(shown, PRINTED)
