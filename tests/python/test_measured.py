"""The common part of `make queue-law` and `make fec`: runs that are in the store are not made again."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from penstock.studies import executor
from penstock.studies.chunk import Chunk
from penstock.studies.executor import execute_chunk
from penstock.studies.store import Store


@pytest.fixture
def measured() -> ModuleType:
    return importlib.import_module("measured")


def cell(rate: str) -> dict[str, Any]:
    # packets from 0 to 1 s, both ends included
    return {
        "duration": "1s",
        "links": {"line": {"from": "A", "to": "B", "rate": "1Mbit", "delay": "1ms", "watch": True}},
        "traffic": {"cbr": {"kind": "cbr", "from": "A", "to": "B", "rate": rate, "packet": "972B"}},
    }


def read(run: dict[str, Any]) -> dict[str, Any]:
    return {"arrivals": run["links"]["line"]["arrivals"], "sizes": [1.0, float(run["seed"])]}


def test_what_is_in_the_store_is_not_run_again(
    measured: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, cells = tmp_path / "data.json", {"slow": cell("80kbit"), "fast": cell("400kbit")}
    seeds_run: list[int] = []

    def counted(chunk: Chunk, *rest: Any) -> bytes:
        seeds_run.extend(seed for _, seeds in chunk.runs for seed in seeds)
        return execute_chunk(chunk, *rest)

    monkeypatch.setattr(executor, "execute_chunk", counted)
    first = {"slow": {"arrivals": [11, 11], "sizes": [2, 3]}, "fast": {"arrivals": [51, 51], "sizes": [2, 3]}}
    for _ in range(2):
        measured.measure(file, cells, range(1, 3), read, Store(tmp_path / "store"))
        # numbers of each run; lists are added up
        assert measured.load(file) == (first, [1, 2])
        assert seeds_run == [1, 2, 1, 2]
    measured.measure(file, cells | {"fast": cell("160kbit")}, range(1, 4), read, Store(tmp_path / "store"))
    assert measured.load(file)[0]["fast"]["arrivals"] == [21, 21, 21]
    assert sorted(seeds_run[4:]) == [1, 2, 3, 3]


def test_pages_are_wrapped_but_tables_are_not(measured: ModuleType) -> None:
    long = "word " * 40
    table = "| a | b |\n| --- | --- |\n| 1 | " + "2" * 130 + " |"
    text = measured.wrapped(f"# Title\n\n{long}\n\n* {long}\n* short\n\n{table}\n")
    assert table in text
    assert "# Title\n\n" in text
    assert "\n* short\n" in text
    assert max(len(line) for line in text.splitlines() if not line.startswith("|")) <= 120
