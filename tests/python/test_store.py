"""The store: damaged rows are missing rows, nothing inflates without bound, and a full disk loses nothing."""

from __future__ import annotations

import sqlite3
import zlib
from pathlib import Path
from typing import Any

import penstock as ps
import pytest
from penstock.studies import store as stores
from penstock.studies.store import Store

from .test_study import GRID, measure

RESULT = '{"seed": 1, "goodput_bps": 1234567.0}'


def stored(folder: Path, sql: str, *values: Any) -> Store:
    """A store with one result under the key "a", changed by a statement."""
    store = Store(folder)
    store.put([("a", RESULT), ("b", RESULT)])
    store.close()
    connection = sqlite3.connect(store.file)
    connection.execute(sql, values)
    connection.commit()
    connection.close()
    return Store(folder)


def test_results_are_found_by_their_keys(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put((f"{n:04}", f"{n} µs") for n in range(1200))
    keys = [f"{n:04}" for n in range(0, 2400, 2)]
    assert dict(Store(tmp_path).get(keys)) == {f"{n:04}": f"{n} µs" for n in range(0, 1200, 2)}
    assert len(store.has(keys)) == 600
    assert store.problem == ""


def test_any_flipped_bit_makes_a_row_missing(tmp_path: Path) -> None:
    packed = zlib.compress(RESULT.encode(), 3)
    store = stored(tmp_path, "SELECT 1")
    for at in range(len(packed)):
        for bit in range(8):
            flipped = bytes([*packed[:at], packed[at] ^ 1 << bit, *packed[at + 1 :]])
            store._connection.execute("UPDATE results SET result = ? WHERE key = 'a'", (flipped,))
            assert dict(store.get(["a", "b"])) == {"b": RESULT}
            assert store.has(["a", "b"]) == {"b"}


@pytest.mark.parametrize(
    "change",
    ["result = substr(result, 1, 9)", "result = 'text'", "result = 7", "result = x''", "checksum = x'00'",
     "checksum = 'text'", "key = 'c'"],
)  # fmt: skip
def test_a_damaged_row_is_a_missing_row_until_it_is_replaced(change: str, tmp_path: Path) -> None:
    store = stored(tmp_path, f"UPDATE results SET {change} WHERE key = 'a'")
    assert dict(store.get(["a", "b", "c"])) == {"b": RESULT}
    assert store.has(["a", "b", "c"]) == {"b"}
    store.put([("a", "new")])
    assert dict(store.get(["a"])) == {"a": "new"}


def test_altered_numbers_are_not_believed(tmp_path: Path) -> None:
    altered = zlib.compress(RESULT.replace("1234567", "7654321").encode(), 3)
    assert stored(tmp_path, "UPDATE results SET result = ? WHERE key = 'a'", altered).has(["a"]) == set()


def test_a_bomb_is_not_inflated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "MAX_RESULT", 1000)
    store = Store(tmp_path)
    store.put([("small", "1" * 1000), ("bomb", "1" * 1001)])
    assert dict(store.get(["small", "bomb"])) == {"small": "1" * 1000}


def test_a_damaged_store_does_not_stop_a_study(tmp_path: Path) -> None:
    table = GRID.run(measure, store=Store(tmp_path))
    store = Store(tmp_path)
    with store._connection:
        store._connection.execute("UPDATE results SET result = substr(result, 2) WHERE rowid % 2 = 0")
    again = GRID.run(measure, store=store)
    assert len(store.has([key for (key,) in store._connection.execute("SELECT key FROM results")])) == 8
    for cell, other in zip(table.cells, again.cells, strict=True):
        assert cell[1]["goodput"].values.tolist() == other[1]["goodput"].values.tolist()


def test_on_a_full_disk_results_stay_in_memory(tmp_path: Path) -> None:
    store = Store(tmp_path)
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    table = GRID.run(measure, store=store)
    assert not any(sample.summary is None for _, samples in table.cells for sample in samples.values())
    assert 0 < len(store._unwritten) <= 8
    assert f"{len(store._unwritten)} results could not be stored in" in store.problem
    assert "disk is full" in store.problem
    assert Store(tmp_path).has(list(store._unwritten)) == set()
    assert GRID.run(measure, store=store)("delay", flows=1, scheme="red").mean == pytest.approx(
        table("delay", flows=1, scheme="red").mean
    )


def test_a_folder_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ps.PenstockError, match="cannot be used"):
        Store(tmp_path / "file")
    (tmp_path / "results.sqlite").write_text("no database" * 1000)
    with pytest.raises(ps.PenstockError, match="cannot be used"):
        Store(tmp_path)
