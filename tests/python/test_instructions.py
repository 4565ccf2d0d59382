"""Instructions per packet do not grow unnoticed: they are compared with the record of `make instructions`."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "peers"))

guard: Any = importlib.import_module("guard")

RECORDED = guard.Counts("rustc 1", {"w1": 1000.0, "w2": 2000.0})


@pytest.mark.parametrize(
    ("counted", "named"),
    [
        ({"w1": 1000.0, "w2": 2000.0}, []),
        ({"w1": 1019.0, "w2": 1500.0}, []),
        ({"w1": 1021.0, "w2": 2039.0}, ["w1"]),
        ({"w1": 1100.0, "w2": 2041.0}, ["w1", "w2"]),
    ],
)
def test_a_growth_of_over_two_percent_is_named(counted: dict[str, float], named: list[str]) -> None:
    growths = guard.growth(RECORDED, guard.Counts("rustc 1", counted))
    assert [line.split(":")[0] for line in growths] == named


def test_the_record_has_every_workload() -> None:
    assert guard.Counts.read().per_packet.keys() == guard.WORKLOADS.keys()


@pytest.mark.slow
@pytest.mark.needs("valgrind")
def test_no_workload_needs_two_percent_more_instructions_than_recorded() -> None:
    if reason := guard.obstacle():
        pytest.skip(reason)
    growths = guard.growth(guard.Counts.read(), guard.Counts.of_this_build())
    assert not growths, "\n".join([*growths, "If that is the price of something: make instructions"])
