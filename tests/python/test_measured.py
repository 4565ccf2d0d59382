"""The common part of `make queue-law` and `make fec`: a stopped call is resumed, and a changed cell is measured
again."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [str(DOCS), *sys.path])
    return importlib.import_module("measured")


def cell(rate: str) -> dict[str, Any]:
    # packets from 0 to 1 s, both ends included
    return {
        "duration": "1s",
        "links": {"line": {"from": "A", "to": "B", "rate": "1Mbit", "delay": "1ms", "watch": True}},
        "traffic": {"cbr": {"kind": "cbr", "from": "A", "to": "B", "rate": rate, "packet": "972B"}},
    }


def test_a_stopped_call_goes_on(measured: ModuleType, tmp_path: Path) -> None:
    file, cells = tmp_path / "data.json", {"slow": cell("80kbit"), "fast": cell("400kbit")}
    seen: list[float] = []

    def read(run: dict[str, Any], most: int = 99) -> dict[str, Any]:
        if len(seen) == most:
            raise KeyboardInterrupt
        seen.append(run["links"]["line"]["arrivals"])
        return {"arrivals": seen[-1], "sizes": [1.0, float(run["seed"])]}

    with pytest.raises(KeyboardInterrupt):
        measured.measure(file, cells, [1, 2], lambda run: read(run, most=2))
    assert not file.exists()
    measured.measure(file, cells, [1, 2], read)
    assert seen == [11, 11, 51, 51]
    # numbers of each run; lists are added up
    assert measured.load(file)[0] == {
        "slow": {"arrivals": [11, 11], "sizes": [2, 3]},
        "fast": {"arrivals": [51, 51], "sizes": [2, 3]},
    }
    assert [path.name for path in tmp_path.iterdir()] == ["data.json"]


def test_a_changed_cell_is_measured_again(measured: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "data.json"
    kept = {"slow": {"stamp": "of another scenario", "values": {"arrivals": [1]}}}
    file.with_suffix(".part.json").write_text(json.dumps(kept))
    measured.measure(file, {"slow": cell("80kbit")}, [1], lambda run: {"arrivals": run["links"]["line"]["arrivals"]})
    assert measured.load(file) == ({"slow": {"arrivals": [11]}}, [1])


def test_pages_are_wrapped_but_tables_are_not(measured: ModuleType) -> None:
    long = "word " * 40
    table = "| a | b |\n| --- | --- |\n| 1 | " + "2" * 130 + " |"
    text = measured.wrapped(f"# Title\n\n{long}\n\n* {long}\n* short\n\n{table}\n")
    assert table in text
    assert "# Title\n\n" in text
    assert "\n* short\n" in text
    assert max(len(line) for line in text.splitlines() if not line.startswith("|")) <= 120
