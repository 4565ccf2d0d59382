"""Linux's queues beside penstock's in its emulator: the recorded runs and their page."""

from __future__ import annotations

import importlib
import json
from types import ModuleType
from typing import Any

import pytest

from validation.linux import real_queues
from validation.linux.record import Cell, RecordingError, starts_of

STARTS = 3


@pytest.fixture
def page() -> ModuleType:
    return importlib.import_module("real_queues")


def test_twenty_cells_are_recorded_on_both_sides_with_several_starts() -> None:
    cells = real_queues.recorded()
    assert len(real_queues.CELLS) == 20
    assert list(cells) == list(real_queues.ENTRIES)
    assert min(starts_of(numbers) for numbers in cells.values()) >= STARTS
    assert {Cell.parse(name).queue.removesuffix("_ecn") for name in real_queues.CELLS} == set(real_queues.QUEUES)


def test_every_result_is_within_a_tenth_of_linux(page: ModuleType) -> None:
    comparisons = page.compared(real_queues.recorded())
    assert len(comparisons) == 60
    beyond = [c for c in comparisons if not abs(c.penstock.mean - c.linux.mean) <= 0.1 * c.linux.mean]
    assert not beyond
    assert "**" not in page.table(comparisons)


def test_the_delay_is_that_of_littles_law(page: ModuleType) -> None:
    # 45 000 packets in 50 s: 900 a second
    assert page.values({"backlog": [9.0, 0.0], "sent": [45000, 45000]}, "delay") == [10.0, 0.0]


def test_marks_are_where_the_hosts_use_ecn() -> None:
    for entry, (cell, _) in real_queues.ENTRIES.items():
        marks = real_queues.recorded()[entry]["marks"]
        assert all((count > 0) == Cell.parse(cell).queue.endswith("_ecn") for count in marks), entry


def test_the_emulator_was_on_time() -> None:
    late = [numbers["late_us"] for entry, numbers in real_queues.recorded().items() if entry.endswith("penstock")]
    assert max(map(max, late)) < 20


def test_the_page_is_current(page: ModuleType) -> None:
    """`make real-queues` writes the page from the numbers; nothing was changed by hand."""
    assert page.page(real_queues.recorded()) == page.PAGE.read_text(encoding="utf-8")


def test_both_sides_have_the_same_link() -> None:
    cell = Cell.parse("red_ecn 20 cubic 4")
    link, back = json.loads(real_queues.scenario(cell).resolve().for_engine(flows=False, series=False))["links"]
    assert (link["rate"], link["delay"], back["delay"]) == (10_000_000, 0, 20_000_000 - 1_200_000)
    assert link["queue"]["params"]["ecn"] is True
    # 1500 bytes at 10 Mbit/s
    job = cell.job(0, False, overhead=-real_queues.ETHERNET).splitlines()
    assert {"overhead=-14", "emulator=''", "ecn=1"} <= set(job)


def result(**changes: Any) -> dict[str, Any]:
    link = {"drops": 12, "marks": 3, "departures": 45000, "length_mean_pkts": 4.5678}
    lateness = {"p50_s": 1e-6, "p99_s": 2.44e-6, "max_s": 1e-5}
    return {"valid": True, "invalid_because": [], "lateness": lateness, "links": {"bottleneck": link}, **changes}


def test_the_numbers_of_an_emulated_run() -> None:
    totals = real_queues.numbers({"goodput_bps": [1000000, 2000000]}, result())
    assert totals == {"goodput": 3000000, "drops": 12, "marks": 3, "sent": 45000, "backlog": 4.57, "late_us": 2.4}


def test_an_invalid_run_is_not_recorded() -> None:
    with pytest.raises(RecordingError, match="5 packets were lost"):
        real_queues.numbers({"goodput_bps": []}, result(valid=False, invalid_because=["5 packets were lost"]))
