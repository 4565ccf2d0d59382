"""The store: whole parts or none, readable without penstock; damaged parts are missing; a full disk loses nothing."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import penstock as ps
import pytest
from penstock.errors import PenstockWarning
from penstock.files import atomic_replacement, write_bytes
from penstock.studies import compaction
from penstock.studies.database import Database
from penstock.studies.part import CellRuns
from penstock.studies.store import Store
from penstock.studies.study import Study

from .rows import Row, put
from .test_study import GRID, interrupt_after, measure, stored_runs

RESULT = {
    "events": 7,
    "fairness": {"jain": 0.1 + 0.2},
    "links": {"a.reverse": {"drops": 3, "delay_mean_s": 1e-300, "length_pmf": [0.25, 0.75], "burst_loss_pmf": []}},
    "traffic": {"web": {"count": 2}},
    "cpu_s": 0.001,
}


def row(seed: int, scenario: str = "s", labels: dict[str, Any] | None = None, **more: Any) -> Row:
    return Row(scenario, seed, json.dumps({**RESULT, "seed": seed, **more}), labels or {}, "mine")


def stored_results(folder: Path, scenarios: Sequence[str] = ("s",)) -> dict[tuple[str, int], dict[str, Any]]:
    return {(scenario, seed): result for scenario, seed, result in Store(folder).get(scenarios)}


def test_results_come_back_as_they_were(tmp_path: Path) -> None:
    store = Store(tmp_path)
    rare = {"links": {"a.reverse": {"drops": 0}, "b": {"x": 2}}, "traffic": {}}
    put(store, [row(1), row(2, "t", **rare)], {"s": '{"name": "one"}', "t": "{}"})
    expected = {("s", 1): {**RESULT, "seed": 1}, ("t", 2): {**RESULT, **rare, "seed": 2}}
    assert stored_results(tmp_path, ["s", "t", "u"]) == expected
    assert Store(tmp_path).has("s", 1)
    assert not Store(tmp_path).has("s", 2)
    assert Store(tmp_path).scenarios(["s", "u"]) == {"s": {"name": "one"}}


def test_what_a_study_keeps_comes_back(tmp_path: Path) -> None:
    values = {"number": 0.5, "whole": 3, "list": [1, 2.5], "table": {"a": [None]}, "text": "x", "with.point": 1}
    put(Store(tmp_path), [row(1, kept=values)], {})
    assert stored_results(tmp_path)["s", 1]["kept"] == values


def test_a_label_that_is_a_path_is_no_result(tmp_path: Path) -> None:
    labels = {"links.a.reverse.limit": 20, "scheme": "red:gentle=true", "share": 0.5, "none": None, "ecn": True}
    labels["traffic.web.count"] = 2  # is both
    put(Store(tmp_path), [row(1, labels=labels)], {})
    assert stored_results(tmp_path)["s", 1] == {**RESULT, "seed": 1}
    (file,) = (tmp_path / "runs").iterdir()
    query = duckdb.connect().execute(f"SELECT * FROM '{file}'")
    values = dict(zip((name for name, *_ in query.description or ()), query.fetchall()[0], strict=True))
    assert {name: values[name] for name in labels} == labels
    assert {name: values[name] for name in ("seed", "scenario", "study", "penstock")} == {
        "seed": 1, "scenario": "s", "study": "mine", "penstock": ps.__version__,
    }  # fmt: skip
    assert (values["links.a.reverse.drops"], values["links.a.reverse.length_pmf"]) == (3, [0.25, 0.75])


@pytest.mark.filterwarnings("ignore:.*skipped in the store:penstock.errors.PenstockWarning")
def test_any_flipped_bit_makes_a_part_missing_until_it_is_made_again(tmp_path: Path) -> None:
    put(Store(tmp_path), [row(1)], {})
    put(Store(tmp_path), [row(2)], {})
    file = min((tmp_path / "runs").iterdir())
    whole = file.read_bytes()
    (lost,) = (run for run in stored_runs(tmp_path) if _is_in(file, run[1]))
    for at in range(0, len(whole), 37):
        file.write_bytes(bytes([*whole[:at], whole[at] ^ 1 << at % 8, *whole[at + 1 :]]))
        assert len(stored_results(tmp_path)) == 1
        assert not Store(tmp_path).has(*lost)
    for content in (b"", whole[:-9], b"no parquet" * 100):
        file.write_bytes(content)
        assert len(stored_results(tmp_path)) == 1
    put(Store(tmp_path), [row(lost[1])], {})
    assert len(stored_results(tmp_path)) == 2


def _is_in(file: Path, seed: int) -> bool:
    return (seed,) in duckdb.connect().execute(f"SELECT seed FROM '{file}'").fetchall()


@pytest.mark.filterwarnings("ignore:.*skipped in the store:penstock.errors.PenstockWarning")
def test_a_damaged_store_does_not_stop_a_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt_after(100, monkeypatch)
    table = GRID.run(measure, store=Store(tmp_path))
    files = sorted((tmp_path / "runs").iterdir())
    for file in files[::2]:
        file.write_bytes(file.read_bytes()[1:])
    runs_made = interrupt_after(100, monkeypatch)
    again = GRID.run(measure, store=Store(tmp_path))
    assert len(runs_made) == len(files[::2])
    for cell, other in zip(table.cells, again.cells, strict=True):
        assert cell[1]["goodput"].values.tolist() == other[1]["goodput"].values.tolist()


def test_on_a_full_disk_results_stay_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)

    def full(file: Path, content: bytes) -> int:
        with file.open("wb") as opened:
            opened.write(content[: len(content) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    table = GRID.run(measure, store=store)
    assert not any(sample.summary is None for _, samples in table.cells for sample in samples.values())
    assert "8 results could not be stored in" in store.problem
    assert "No space left on device" in store.problem
    assert stored_runs(tmp_path) == set()
    assert [*(tmp_path / "runs").iterdir()] == []


def test_two_that_make_the_same_runs_keep_them_once(tmp_path: Path) -> None:
    first, second = Store(tmp_path), Store(tmp_path)
    put(first, [row(1, cpu_s=0.5)], {})
    put(second, [row(1, cpu_s=0.7)], {})
    assert stored_runs(tmp_path) == {("s", 1)}
    assert stored_results(tmp_path)["s", 1]["cpu_s"] == 0.7


def test_a_store_reads_what_others_add_to_it(tmp_path: Path) -> None:
    store = Store(tmp_path)
    put(Store(tmp_path), [row(1)], {})
    assert not store.has("s", 1)
    store.refresh()
    assert store.has("s", 1)


def test_many_small_parts_become_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)
    for seed in range(60):
        put(store, [row(seed, labels={"flows": seed % 3})], {"s": "{}"})
    for seed in range(60):
        put(store, [row(seed, "t", labels={"flows": "few"})], {"t": "{}"})
    other, before = Store(tmp_path), stored_results(tmp_path, ["s", "t"])
    store.compact()
    assert len(list((tmp_path / "runs").iterdir())) == 120
    monkeypatch.setattr(compaction, "MAX_PARTS", 120)
    claim = tmp_path / "claims" / "a"
    claim.touch()
    store.compact()
    assert len(list((tmp_path / "runs").iterdir())) == 120
    claim.unlink()
    store.compact()
    # A number and a text are no column together.
    assert len(list((tmp_path / "runs").iterdir())) == 2
    assert len(list((tmp_path / "sums").iterdir())) == 2 + len(list((tmp_path / "scenarios").iterdir()))
    assert len(stored_runs(tmp_path)) == 120
    results = {(scenario, seed): result for scenario, seed, result in other.get(["s", "t"])}
    assert stored_results(tmp_path, ["s", "t"]) == before == results
    files = [*(tmp_path / "runs").iterdir()]
    labels = {duckdb.connect().execute(f"SELECT max(flows), count(*) FROM '{file}'").fetchall()[0] for file in files}
    assert labels == {(2, 60), ("few", 60)}


def test_parts_with_a_common_run_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "MAX_PARTS", 10)
    first, second = Store(tmp_path), Store(tmp_path)
    for seed in range(10):
        put(first, [row(seed)], {})
    put(second, [row(9, cpu_s=0.5), row(10)], {})
    before = stored_results(tmp_path)
    Store(tmp_path).compact()
    # Either part with the run of seed 9 may be the one that has it alone.
    assert len(list((tmp_path / "runs").iterdir())) in (2, 3)
    assert stored_results(tmp_path).keys() == before.keys()
    with Database(tmp_path) as database:
        assert database.select("SELECT seed FROM runs ORDER BY seed") == [(seed,) for seed in range(11)]


def test_a_store_can_be_moved(tmp_path: Path) -> None:
    put(Store(tmp_path / "a"), [row(1)], {})
    shutil.move(tmp_path / "a", tmp_path / "b")
    assert len(stored_results(tmp_path / "b")) == 1


def test_a_folder_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ps.PenstockError, match="cannot be used"):
        Store(tmp_path / "file")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "results.sqlite").write_text("")
    with pytest.raises(ps.PenstockError, match="holds results of an earlier version of penstock"):
        Store(tmp_path / "old")
    for number, text in enumerate(["", "{", "[]", '{"format": 99}']):
        folder = tmp_path / f"foreign{number}"
        folder.mkdir()
        (folder / "store.json").write_text(text)
        with pytest.raises(ps.PenstockError, match="has a format that this version of penstock does not read"):
            Store(folder)


def test_a_study_has_its_labels_also_for_runs_that_another_one_made(tmp_path: Path) -> None:
    def link(flows: int) -> ps.Scenario:
        return ps.dumbbell(rate="2Mbit", rtt="40ms", duration="2s", traffic={"bulk": ps.Tcp(count=flows)})

    Study(link(4), seeds=4, name="one").run(measure, store=Store(tmp_path))
    many = Study(link, {"flows": [4, 8]}, seeds=3, name="many")
    for _ in range(2):
        many.run(measure, store=Store(tmp_path))
    assert len(stored_runs(tmp_path)) == 7
    with Database(tmp_path) as database:
        rows = database.select("SELECT study, flows, seed FROM runs ORDER BY ALL")
    own = [("many", flows, seed) for flows in (4, 8) for seed in (1, 2, 3)]
    assert rows == own + [("one", None, seed) for seed in (1, 2, 3, 4)]
    assert len([*(tmp_path / "labels").iterdir()]) == 1
    # More seeds: one that the other study has made, and one that this one makes.
    Study(link, {"flows": [4, 8]}, seeds=5, name="many").run(measure, store=Store(tmp_path))
    Study(link(4), seeds=6, name="one").run(measure, store=Store(tmp_path))
    assert len(stored_runs(tmp_path)) == 11
    with Database(tmp_path) as database:
        rows = database.select("SELECT study, flows, seed FROM runs ORDER BY ALL")
    own = [("many", flows, seed) for flows in (4, 8) for seed in range(1, 6)]
    assert rows == own + [("one", None, seed) for seed in range(1, 7)]


def test_two_writers_of_one_file_at_once_both_succeed(tmp_path: Path) -> None:
    """Such as two processes that open a new store: each writes its head, and the later one stays."""
    target = tmp_path / "store.json"
    with atomic_replacement(target) as first:
        first.write_bytes(b"first")
        write_bytes(target, b"second")
        assert target.read_bytes() == b"second"
    assert target.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [target]


def _copy_of(file: Path) -> Path:
    return Path(shutil.copy(file, file.with_name(f"{'0' * 32}.parquet")))


def _damage(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[:40] + bytes([content[40] ^ 1]) + content[41:])


def _one_more_fifo(file: Path) -> None:
    os.mkfifo(file.with_name("x.parquet"))


def _fifo(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "a flipped bit": (_damage, "its checksum is wrong"),
    "a copy": (_copy_of, "it has no checksum"),
    "one more FIFO": (_one_more_fifo, "it has no checksum"),
    "a FIFO in its place": (_fifo, "it is a FIFO"),
    "a directory": (lambda file: file.with_name("x.parquet").mkdir(), "it has no checksum"),
    "another Parquet file": (
        lambda file: duckdb.connect().execute(
            f"COPY (SELECT 1 AS x) TO '{file.with_name('x.parquet')}' (FORMAT parquet)"
        ),
        "it has no checksum",
    ),
}


@pytest.mark.parametrize("folder", ["runs", "scenarios", "labels"])
@pytest.mark.parametrize("bad", BAD)
def test_every_reader_skips_a_bad_file_and_warns(bad: str, folder: str, tmp_path: Path) -> None:
    store = Store(tmp_path)
    put(store, [row(1, labels={"flows": 2})], {"s": "{}"})
    put(store, [row(1, "t")], {"t": "{}"})
    store.record_reused_runs([CellRuns("s", [1], {"flows": 2}, "other")])
    file = next(item for item in sorted((tmp_path / folder).iterdir()))
    make_bad, reason = BAD[bad]
    make_bad(file)
    with pytest.warns(PenstockWarning, match=reason), Database(tmp_path) as database:
        rows = database.select("SELECT count(*) FROM runs")[0][0]
    lost = bad in ("a flipped bit", "a FIFO in its place")
    assert rows == {"runs": 3 - lost, "labels": 3 - lost, "scenarios": 3}[folder] or (lost and folder == "runs")
    if folder == "scenarios":
        assert len(Store(tmp_path).scenarios(["s", "t"])) == 2 - lost
    else:
        with pytest.warns(PenstockWarning, match=reason):
            assert len([*Store(tmp_path).get(["s", "t"])]) == 2 - (lost and folder == "runs")
