"""Studies: the same numbers as single runs, kept in a store, going on after an interruption."""

from __future__ import annotations

from operator import itemgetter
from pathlib import Path
from typing import Any, cast

import duckdb
import penstock as ps
import pytest
from penstock.reproduce import points
from penstock.results.summary_table import SummaryTable
from penstock.results.table import Table
from penstock.studies import chunk as chunks
from penstock.studies import executor
from penstock.studies.chunk import Chunk
from penstock.studies.database import Database
from penstock.studies.executor import execute_chunk
from penstock.studies.store import Store
from penstock.studies.store_table import StoreTable
from penstock.studies.study import Study, StudyRuns


def link(flows: int, scheme: str) -> ps.Scenario:
    queue = ps.Red(limit="50p") if scheme == "red" else ps.DropTail(limit="50p")
    return ps.dumbbell(rate="2Mbit", rtt="40ms", duration="3s", queue=queue, traffic={"bulk": ps.Tcp(count=flows)})


def measure(run: ps.Run) -> dict[str, float | None]:
    return {"goodput": run.traffic["bulk"].goodput_bps, "delay": run.links["bottleneck"].delay_mean_s}


def interrupt_after(runs: int, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Makes each run a chunk, and ends a study as Ctrl-C does when it begins a further one; returns the runs made."""
    runs_made: list[tuple[str, int]] = []

    def counted(chunk: Chunk, *rest: Any) -> bytes:
        if len(runs_made) >= runs:
            raise KeyboardInterrupt
        runs_made.extend((cell.content, seed) for cell, seeds in chunk.runs for seed in seeds)
        return execute_chunk(chunk, *rest)

    monkeypatch.setattr(chunks, "PACKETS", 0)
    monkeypatch.setattr(executor, "execute_chunk", counted)
    return runs_made


def stored_runs(folder: Path) -> set[tuple[str, int]]:
    """Scenario and seed of each run in a store, by another reader."""
    files = [*(folder / "runs").glob("*.parquet")]
    database = duckdb.connect()
    rows = [row for file in files for row in database.execute(f"SELECT scenario, seed FROM '{file}'").fetchall()]
    assert len(set(rows)) == len(rows)
    return set(rows)


GRID = Study(link, {"flows": [1, 4], "scheme": ["droptail", "red"]}, seeds=2)


def test_each_run_is_the_one_that_run_makes() -> None:
    table = GRID.run(measure)
    for flows in (1, 4):
        for scheme in ("droptail", "red"):
            sample = table("goodput", flows=flows, scheme=scheme)
            own = [measure(ps.run(link(flows, scheme), seed))["goodput"] for seed in (1, 2)]
            assert sample.values.tolist() == own
    assert table.runs == 8
    assert table.axis("flows") == [1, 4]


def test_chunks_grow_with_a_study_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    # A run has 500 packets: the first chunks have 10 runs each, and later ones 50, or 45 if that is the limit.
    monkeypatch.setattr(chunks, "PACKETS", 5000)
    study = Study(link, {"flows": [1, 2], "scheme": ["droptail", "red"]}, seeds=600)
    grown = [10] * 8 + [20] * 8 + [30] * 8 + [40] * 8
    for limit, sizes in ((4096, [50] * 32), (45, [45] * 35 + [25])):
        monkeypatch.setattr(chunks, "MAX_RUNS", limit)
        assert [chunk.size for chunk in chunks.split_into_chunks(StudyRuns(study, None).cells())] == grown + sizes


def test_a_store_knows_the_order_of_the_names_of_all_parts_of_a_study(tmp_path: Path) -> None:
    parts = Study(link, {"flows": [2, 1], "scheme": ["red"]}, seeds=1) + Study(
        link, {"flows": [1, 2], "scheme": ["droptail"]}, seeds=1
    )
    parts.run(measure, store=Store(tmp_path))
    with Database(tmp_path) as database:
        contents = StoreTable(database).read(["traffic.bulk.goodput_bps"])
    assert (contents.axis("scheme"), contents.axis("flows")) == (["red", "droptail"], [1, 2])


def test_a_watched_link_may_have_a_drawn_rate() -> None:
    """Its work is that of the mean rate: 8 Mbit/s for 3 s are 2000 packets of 1500 bytes."""
    base = link(2, "red").replace("links.bottleneck.rate", {"uniform": ["6Mbit", "10Mbit"]})
    study = Study(base, {"traffic.bulk.count": [1, 2]}, seeds=3)
    assert [cell.packets() for cell in StudyRuns(study, None).cells()] == [2000.0, 2000.0]
    sample = study.run(measure)("goodput", **{"traffic.bulk.count": 2})
    assert sample.values.tolist() == [ps.run(base, seed).traffic["bulk"].goodput_bps for seed in (1, 2, 3)]


def test_an_interrupted_study_goes_on_and_nothing_is_done_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs_made = interrupt_after(4, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        GRID.run(measure, store=Store(tmp_path), jobs=2)
    stored = stored_runs(tmp_path)
    assert 3 <= len(stored) <= len(runs_made) <= 5
    assert stored <= set(runs_made)
    runs_made = interrupt_after(100, monkeypatch)
    table = GRID.run(measure, store=Store(tmp_path), jobs=2)
    assert len(stored) + len(runs_made) == 8
    assert len(stored_runs(tmp_path)) == 8
    interrupt_after(0, monkeypatch)
    again = GRID.run(measure, store=Store(tmp_path))
    for cell, other in zip(table.cells, again.cells, strict=True):
        assert cell[1]["delay"].values.tolist() == other[1]["delay"].values.tolist()


def test_paths_are_axes_too() -> None:
    table = Study(link(2, "red"), {"links.bottleneck.queue.max_p": [0.05, 0.5]}, seeds=1).run(measure)
    path = "links.bottleneck.queue.max_p"
    assert table("delay", **{path: 0.05}).mean > table("delay", **{path: 0.5}).mean


def test_all_errors_of_all_cells_are_told_before_anything_runs() -> None:
    broken = Study(lambda rate: ps.dumbbell(rate=rate, rtt="10ms", access="1Gbit"), {"rate": ["1Mbit", "2Mbit"]})
    bad = Study(link(2, "red"), {"links.bottleneck.queue.max_p": [3, 7]})
    with pytest.raises(ps.ScenarioError) as caught:
        bad.run(measure)
    assert len(caught.value.errors) == 2
    assert len(list(broken.cells())) == 2


def test_sums_of_studies_and_parts_of_tables() -> None:
    both = Study(link, {"flows": [2, 1], "scheme": ["red"]}, seeds=1, labels={"part": "a"}) + Study(
        link, {"flows": [3], "scheme": ["red"]}, seeds=3, labels={"part": "b"}
    )
    table = both.run(measure)
    assert len(table("delay", part="a", flows=2).values) == 1
    assert len(table("delay", part="b").values) == 3
    assert both.with_max_seeds(2).max_seeds == 2
    assert table.where(part="b").axis("flows") == [3]
    with pytest.raises(KeyError, match="3 cells"):
        table("delay", scheme="red")
    with pytest.raises(KeyError, match='no measured number "loss"; available: goodput, delay'):
        table("loss", part="a", flows=2)


def longest(run: ps.Run) -> dict[str, float]:
    return {"longest": float(max(run.series["bottleneck"]["queue"]["max"]))}


def test_what_is_kept_of_a_series_is_with_the_result(tmp_path: Path) -> None:
    study = Study(link, {"flows": [4], "scheme": ["droptail"]}, seeds=1, keep=longest)
    store = Store(tmp_path)
    longest_queue = study.run(lambda run: run.raw["kept"], store=store)("longest").mean
    assert 40 <= longest_queue <= 50
    assert study.run(lambda run: {"series": float("series" in run.raw)}, store=store)("series").mean == 0


def test_a_function_that_keeps_numbers_is_known_by_its_code() -> None:
    key = Study(link, keep=longest).keep_key
    assert key == Study(link, keep=longest).keep_key != Study(link, keep=lambda run: longest(run)).keep_key
    assert Study(link).keep_key == ""
    with pytest.raises(ps.PenstockError, match="`keep` of a study: itemgetter is no function in Python"):
        Study(link, {"flows": [4], "scheme": ["red"]}, keep=cast(Any, itemgetter("longest"))).run(measure)


def test_a_summary_survives_its_file(tmp_path: Path) -> None:
    table = GRID.run(measure) + Table.from_formulas([({"flows": 9}, {"goodput": 1.0})])
    summary = SummaryTable.from_table(table)
    points.write_points(tmp_path / "points.parquet", {"fig1": summary})
    again = points.read_points(tmp_path / "points.parquet")["fig1"]
    assert again.cells == summary.cells
    assert len(again.along("flows", "goodput", scheme="red")) == len(table.along("flows", "goodput", scheme="red"))
    assert again("goodput", flows=9).mean == 1.0
    assert again("goodput", flows=9).half_width is None
