"""Readings counted by the printed numbers that they meet: fitted ones apart, and the chosen one ahead or not."""

from __future__ import annotations

import pytest
from penstock.reproduce.claim import decide_claims
from penstock.reproduce.printed_numbers import PrintedNumber, PrintedNumbers
from penstock.results.sample import RunSample
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Table

NUMBERS = (
    PrintedNumber("fitted", 10, 9, 11, lambda table: table("x"), fitted=True),
    PrintedNumber("first", 10, 9, 11, lambda table: table("x")),
    PrintedNumber("second", 20, 19, 21, lambda table: table("x") * 2.0),
)


def measured(**by_reading: float) -> Table:
    cells = [
        ({"reading": reading, "number": number.says}, {"measured": number.measured(Table([({}, {"x": RunSample(x)})]))})
        for reading, x in by_reading.items()
        for number in NUMBERS
    ]
    return Table(cells)


@pytest.mark.parametrize(("chosen", "verdict"), [("good", "confirmed"), ("bad", "contradicted")])
def test_the_chosen_reading_is_ahead_if_no_other_meets_more(chosen: str, verdict: str) -> None:
    of = PrintedNumbers(NUMBERS, {"good": None, "bad": None}, chosen)
    claim = of.claim("readings")
    (reading,) = claim.on_table(measured(good=10.0, bad=9.2))  # 9.2 meets the first, but 18.4 not the second
    assert [decision.finding.verdict for decision in decide_claims([reading])] == [verdict]
    assert claim.reading  # it does not count as a claim of the work


def test_a_tie_is_at_least_as_many() -> None:
    of = PrintedNumbers(NUMBERS, {"one": None, "other": None}, "one")
    (claim,) = of.claim("readings").on_table(measured(one=10.0, other=10.1))
    assert [decision.finding.verdict for decision in decide_claims([claim])] == ["confirmed"]


def test_the_figure_counts_fitted_numbers_apart() -> None:
    of = PrintedNumbers(NUMBERS, {"good": None, "bad": None}, "good")
    table = of.draw(SummaryTable.from_table(measured(good=10.0, bad=9.2))).axes[0].tables[0]
    texts = [cell.get_text().get_text() for cell in table.get_celld().values()]
    assert any("held out: 1 of 2\nfitted: 1 of 1" in text for text in texts)
