"""The page about studies: its tables are those of the data, and the simulated plan agrees with the theory."""

from __future__ import annotations

import importlib
import json
from types import ModuleType

import pytest


@pytest.fixture
def studies() -> ModuleType:
    return importlib.import_module("studies")


@pytest.mark.parametrize("workers", [1, 5, 50, 500])
def test_the_driver_limits_the_rate_of_chunks(studies: ModuleType, workers: int) -> None:
    # Work of 1 s, and 20 ms of the driver: 50 workers are as much as it can feed.
    expected = min(1.0, 1 / (0.02 * workers))
    at_the_limit = 0.08 if workers == 50 else 0.01
    assert studies.simulated(0.02, 1.0, workers) == pytest.approx(expected, abs=at_the_limit)


def test_the_tables_are_those_of_the_data(studies: ModuleType) -> None:
    data = json.loads(studies.DATA.read_text(encoding="utf-8"))
    page = studies.PAGE.read_text(encoding="utf-8")
    assert f"<!-- costs -->\n{studies.costs(data)}<!-- end" in page
    assert f"<!-- plans -->\n{studies.plans(data)}<!-- end" in page
    assert all(0 < times["submit"] + times["keep"] <= times["all"] for times in data.values())
