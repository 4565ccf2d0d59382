"""Table 2.2: average and variance of the queue and losses of PSAND and the adaptive REDs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from matplotlib.figure import Figure

from penstock.papers.alemu_2004 import cells, judge, tables2
from penstock.papers.alemu_2004.measures import of_queue as measure
from penstock.papers.alemu_2004.tables2 import at, study
from penstock.reproduce.claim import Claim
from penstock.results.sample import Sample, all_of
from penstock.results.summary_table import Shown
from penstock.results.table import Table

__all__ = ["claims", "draw", "measure", "study"]

JUDGES = {"AQS": judge.aqs, "VQS": judge.vqs, "PLR": judge.plr}
PRINTED = tables2.printed("tab2-2")
ROWS = {f"c{i}": row for i, row in enumerate(["Feng", "Floyd", "PSAND1", "PSAND2", "PSAND3"], 1)}


def claims(table: Table) -> Iterator[Claim]:
    """The five rows, and what the text and the order of the numbers say."""
    for number, row in ROWS.items():
        own = [cell for cell in PRINTED if cell.row == row]
        yield Claim(
            id=f"tab2.2/{number}",
            says=f"the row of {row}",
            expected=", ".join(f"{cell.column} {cell.printed:g}" for cell in own),
            holds=cells.fits(table, own, JUDGES),
            because=tables2.BECAUSE,
        )
        delayed = tables2.printed("tab2-2", acks="delayed")
        yield Claim(
            id=f"tab2.2/{number}",
            says=f"the row of {row}",
            expected="as above",
            holds=cells.fits(table, [cell for cell in delayed if cell.row == row], JUDGES),
            reading="delayed acknowledgements",
        )
        if row in tables2.PSANDS and table.has(high=0.5):
            other = tables2.printed("tab2-2", 0.5)
            yield Claim(
                id=f"tab2.2/{number}",
                says=f"the row of {row}",
                expected="as above",
                holds=cells.fits(table, [cell for cell in other if cell.row == row], JUDGES),
                reading="max_p at most 0.5",
            )
    yield Claim(
        id="tab2.2/cells",
        says="cells whose print is inside the 95 % interval",
        expected="all",
        holds=cells.inside(table, PRINTED),
        reading="no tolerance",
    )
    yield Claim(
        id="tab2.2/cells",
        says="cells whose print is inside the 95 % interval",
        expected="all",
        holds=cells.inside(table, tables2.printed("tab2-2", acks="delayed")),
        reading="no tolerance; delayed acknowledgements",
    )

    def of(metric: str, row: str, flows: int) -> Sample:
        return table(metric, **at(row, flows))

    others = ("RED", "Feng", "Floyd")
    yield Claim(
        id="tab2.2/c6",
        says="PSAND1 loses less than RED and the adaptive REDs: by 0.2 points at 3 flows, by almost 2 at 28",
        expected="0.2 +- 0.5 and 2 +- 0.5 points (Table 2.2 itself has 1.3 and 1.2 at 28)",
        holds=all_of(
            judge.gap(of("PLR", row, n) - of("PLR", "PSAND1", n), printed).at(f"{row}, {n} flows")
            for n, printed in ((3, 0.2), (28, 2))
            for row in others
        ),
    )
    yield Claim(
        id="tab2.2/c7",
        says="the queue of PSAND1 varies less than that of the adaptive REDs at 3 flows, more at 28",
        expected="VQS(PSAND1) < VQS(ARED) at 3, > at 28",
        holds=all_of(
            *((of("VQS", "PSAND1", 3) < of("VQS", row, 3)).at(f"{row}, 3 flows") for row in ("Feng", "Floyd")),
            *((of("VQS", "PSAND1", 28) > of("VQS", row, 28)).at(f"{row}, 28 flows") for row in ("Feng", "Floyd")),
        ),
    )
    yield Claim(
        id="tab2.2/c8",
        says="the queue of PSAND2 varies less than that of the adaptive REDs; it loses more than PSAND1 at 3 flows",
        expected="VQS(PSAND2) < VQS(ARED) at 3 and 28; PLR(PSAND2) > PLR(PSAND1) at 3",
        holds=all_of(
            *(
                (of("VQS", "PSAND2", n) < of("VQS", row, n)).at(f"{row}, {n} flows")
                for row in ("Feng", "Floyd")
                for n in (3, 28)
            ),
            (of("PLR", "PSAND2", 3) > of("PLR", "PSAND1", 3)).at("PLR"),
        ),
    )  # fmt: skip
    yield Claim(
        id="tab2.2/c9",
        says="PSAND3 improves on PSAND2",
        expected="lower VQS at 28, lower PLR at 3",
        holds=all_of(
            (of("VQS", "PSAND3", 28) < of("VQS", "PSAND2", 28)).at("VQS"),
            (of("PLR", "PSAND3", 3) < of("PLR", "PSAND2", 3)).at("PLR"),
        ),
    )
    for number, metric, order in (
        ("c10", "VQS", ["PSAND3", "PSAND2", "Feng", "Floyd", "PSAND1"]),
        ("c11", "PLR", ["PSAND1", "PSAND3", "PSAND2", "Floyd", "Feng"]),
    ):
        yield Claim(
            id=f"tab2.2/{number}",
            says=f"the order of {metric} at 28 flows",
            expected=" < ".join(order),
            holds=all_of(
                (of(metric, a, 28) < of(metric, b, 28)).at(f"{a} below {b}") for a, b in itertools.pairwise(order)
            ),
        )


def draw(shown: Shown) -> Figure:
    """The table."""
    return cells.draw(shown, PRINTED)
