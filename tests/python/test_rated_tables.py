"""Tables of symbols remade (`papers/alemu_2004/symbols.py`): which symbol a mean gets, and when it is as printed."""

from __future__ import annotations

from typing import Any

import pytest
from penstock.papers.alemu_2004 import symbols
from penstock.results.sample import RunSample
from penstock.results.table import Table

COLUMN = {"BLUE": "++", "PI": "+", "REM": "+", "AVQ": "-", "LRED": ""}
SWINGS = [-0.2, -0.1, 0.0, 0.1, 0.2]


def table(**queues: float) -> Table:
    """Mean queues of the schemes; in each of five runs LRED is off by as much as the others are the other way."""

    def sample(scheme: str, mean: float) -> RunSample:
        return RunSample([mean + (swing if scheme == "LRED" else -swing) for swing in SWINGS])

    return Table(
        [
            ({"topology": "same", "scheme": scheme, "flows": n}, {"AQS": sample(scheme, mean)})
            for scheme, mean in queues.items()
            for n in (3, 8)
        ]
    )


def inside(tolerance: int = 0, **queues: float) -> Any:
    return symbols.symbols_agree(table(**queues), {"AQS": COLUMN}, tolerance).decide()


def test_groups_have_the_same_symbol_best_first_and_a_blank_is_worst() -> None:
    assert symbols.ranked_groups(COLUMN) == [["BLUE"], ["PI", "REM"], ["AVQ"], ["LRED"]]


def test_an_order_as_printed_is_inside_whoever_leads_within_a_group() -> None:
    assert inside(BLUE=1, PI=2, REM=3, AVQ=4, LRED=5).verdict == "confirmed"
    assert inside(BLUE=1, PI=3, REM=2, AVQ=4, LRED=5).verdict == "confirmed"


def test_two_that_changed_places_are_outside_and_no_other_is() -> None:
    finding = inside(BLUE=1, PI=2, REM=4, AVQ=3, LRED=5)
    assert (finding.verdict, finding.why) == ("contradicted", "3 of 5 confirmed; REM, AQS: - here, printed +")
    assert inside(1, BLUE=1, PI=2, REM=4, AVQ=3, LRED=5).verdict == "confirmed"


def test_what_the_intervals_do_not_tell_apart_may_have_the_symbol_of_either() -> None:
    assert inside(BLUE=1, PI=2, REM=3, AVQ=4.05, LRED=4).verdict == "confirmed"
    assert inside(BLUE=1, PI=2, REM=3, AVQ=5, LRED=4).verdict == "contradicted"


@pytest.mark.parametrize("name", ["tab4-2", "tab4-3"])
def test_the_printed_tables_rate_eight_schemes_by_five_numbers(name: str) -> None:
    columns = symbols.read_symbols(name)
    assert [len(column) for column in columns.values()] == [8] * 5
    assert {"", "-", "+", "++", "+++", "++++"} == {symbol for column in columns.values() for symbol in column.values()}
