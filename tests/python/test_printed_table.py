"""Printed tables remade (`penstock.reproduce.printed_table`)."""

from __future__ import annotations

from pathlib import Path

import pytest
from penstock.reproduce.printed_table import PrintedTable, PrintedTableCell
from penstock.results.condition import Condition
from penstock.results.sample import RunSample
from penstock.results.table import Table

RUNS = [-0.2, -0.1, 0.0, 0.1, 0.2]


def within_a_tenth(measured: RunSample, printed: float) -> Condition:
    return measured.matches_printed(printed, share=0.1)


@pytest.fixture
def printed(tmp_path: Path) -> PrintedTable:
    file = tmp_path / "tab1.csv"
    file.write_text("line,x,y,where\nRED,AQS,10,Table 1\nRED,PLR,2,Table 1\nBLUE,AQS,30,Table 1\n")
    return PrintedTable.read(
        file, lambda row, column: (column, {"scheme": row}), {"AQS": within_a_tenth, "PLR": within_a_tenth}
    )


def measured(red: float, blue: float) -> Table:
    def samples(mean: float) -> dict[str, RunSample]:
        return {"AQS": RunSample([mean + x for x in RUNS]), "PLR": RunSample([2 + x / 10 for x in RUNS])}

    return Table([({"scheme": "RED"}, samples(red)), ({"scheme": "BLUE"}, samples(blue))])


def test_cells_are_chosen_by_row_and_by_label(printed: PrintedTable) -> None:
    assert printed.rows == ["RED", "BLUE"]
    assert [cell.printed for cell in printed.row("RED")] == [10, 2]
    assert [cell.printed for cell in printed.where(lambda cell: cell.metric == "AQS", scheme="BLUE")] == [30]
    assert [dict(cell.at) for cell in printed.row("BLUE").at(scheme=None, flows=3)] == [{"flows": 3}]
    assert printed.numbers()("AQS", scheme="BLUE").mean == 30


def test_a_table_fits_within_its_tolerances(printed: PrintedTable) -> None:
    fits = printed.matches_measured()
    assert fits.text == "AQS 10, PLR 2, AQS 30"
    assert fits.on_table(measured(10.5, 30)).decide().verdict == "confirmed"
    assert fits.on_table(measured(10.5, 40)).decide().verdict == "contradicted"


def test_all_inside_has_no_tolerance(printed: PrintedTable) -> None:
    claim = printed.interval_claim("tab1")
    assert (claim.id, claim.statement.on_table(measured(10, 30)).decide().verdict) == ("tab1/cells", "confirmed")
    assert claim.statement.on_table(measured(10.5, 30)).decide().verdict == "contradicted"


def test_cells_that_a_quick_table_lacks_are_left_out_but_not_all(printed: PrintedTable) -> None:
    table = measured(10, 30).where(scheme="RED")
    assert printed.matches_measured().on_table(table).decide().why.startswith("2 of 2 confirmed")
    with pytest.raises(KeyError, match="none of the printed cells"):
        printed.row("BLUE").matches_measured().on_table(table)


def test_the_drawing_tells_measured_printed_and_difference(printed: PrintedTable) -> None:
    from penstock.results.summary_table import SummaryTable

    figure = printed.draw(SummaryTable.from_table(measured(10.5, 30)))
    (table,) = figure.axes[0].tables
    assert [table[row, 0].get_text().get_text() for row in (1, 2)] == ["10.5 (10)\n+0.5, +5 %", "30 (30)\n+0, +0 %"]
    assert [table[row, 0].get_text().get_fontweight() for row in (1, 2)] == ["normal", "bold"]


def test_a_cell_is_named_by_row_and_column() -> None:
    assert PrintedTableCell("RED", "AQS", 10, "AQS", {}, within_a_tenth).name == "RED, AQS"
