"""`penstock compare`: complete whatever ends it, shared by processes, told what is missing; and its file."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import penstock as ps
import pytest
from penstock.errors import PenstockError, ScenarioError
from penstock.studies.complete import Shard
from penstock.studies.study_file import StudyFile
from penstock.studies.where import parse_condition

from .test_cli import penstock
from .test_scenario import small

STUDY = """
base = "link.toml"
schemes = ["droptail", "red:min_th=3"]
seeds = {seeds}
metrics = ["delay_mean_s", "bulk.goodput_bps"]

[axes]
flows = {{ path = "traffic.bulk.count", values = [1, 2, 4] }}
"links.bottleneck.queue.limit" = ["15p", "30p"]
"""


def written(folder: Path, seeds: int = 4, text: str = STUDY, **scenario: Any) -> Path:
    small(**scenario).save(folder / "link.toml")
    file = folder / "some.toml"
    file.write_text(text.format(seeds=seeds))
    return file


def rows(store: Path) -> dict[tuple[Any, ...], float]:
    """The mean delay of each run, by labels and seed, as another program reads it; no run is there twice."""
    query = duckdb.connect().execute(
        'SELECT scheme, flows, "links.bottleneck.queue.limit", seed, "links.bottleneck.delay_mean_s"'
        f" FROM read_parquet('{store}/runs/*.parquet', union_by_name = true) ORDER BY ALL"
    )
    listed = query.fetchall()
    assert len({row[:-1] for row in listed}) == len(listed)
    return {row[:-1]: row[-1] for row in listed}


def test_a_study_runs_every_cell_once_and_more_when_it_grows(tmp_path: Path) -> None:
    file, store = written(tmp_path), tmp_path / "store"
    process = penstock("compare", str(file), "--store", str(store), "--json", "-")
    assert process.returncode == 0, process.stderr
    result = json.loads(process.stdout)
    assert (result["study"], result["runs"]) == ("some", 48)
    labels = {
        "scheme": "red", "params": {"min_th": 3}, "vary": {"flows": 2, "links.bottleneck.queue.limit": "15p"},
        "place": "bottleneck", "metric": "delay_mean_s",
    }  # fmt: skip
    (row,) = (row for row in result["rows"] if labels.items() <= row.items())
    own = [value for key, value in rows(store).items() if key[:3] == ("red:min_th=3", 2, "15p")]
    assert row["mean"] == pytest.approx(sum(own) / 4)
    metrics = {(row["place"], row["metric"]) for row in result["rows"]}
    assert metrics >= {("bottleneck", "delay_mean_s"), ("bulk", "goodput_bps")}
    before = rows(store)
    file.write_text(STUDY.format(seeds=5).replace("[1, 2, 4]", "[1, 2, 4, 8]"))
    again = penstock("compare", str(file), "--store", str(store))
    assert again.returncode == 0, again.stderr
    assert len(rows(store)) == 80
    assert before.items() <= rows(store).items()


def test_a_metric_with_a_place_is_reported_at_this_place_only(tmp_path: Path) -> None:
    text = STUDY.replace('"delay_mean_s", "bulk.goodput_bps"', '"first.goodput_bps", "length_mean_pkts"')
    groups = {name: ps.Tcp(flavour="newreno") for name in ("first", "second")}
    file = written(tmp_path, text=text.replace("traffic.bulk", "traffic.first"), traffic=groups)
    process = penstock("compare", str(file), "--store", str(tmp_path / "store"), "--json", "-")
    assert process.returncode == 0, process.stderr
    places = {(row["metric"], row["place"]) for row in json.loads(process.stdout)["rows"]}
    assert ("goodput_bps", "first") in places
    assert ("length_mean_pkts", "bottleneck") in places
    assert ("goodput_bps", "second") not in places


def test_shards_share_a_study_and_status_tells_what_is_missing(tmp_path: Path) -> None:
    file, whole, store = written(tmp_path, seeds=12, duration="100s"), tmp_path / "whole", tmp_path / "store"
    assert penstock("compare", str(file), "--store", str(whole)).returncode == 0
    counts = []
    for number in (1, 2, 3):
        state = penstock("results", str(store), "--status")
        assert state.returncode == (2 if number == 1 else 5)
        assert penstock("compare", str(file), "--store", str(store), "--shard", f"{number}/3").returncode == 0
        counts.append(len(rows(store)))
    assert 0 < counts[0] < counts[1] < counts[2] == 144
    state = penstock("results", str(store), "--status", "--json", "-")
    assert (state.returncode, json.loads(state.stdout)["studies"]) == (
        0,
        [{"study": "some", "cells": 12, "runs": 144, "missing": 0}],
    )
    assert rows(store) == rows(whole)


def test_resume_completes_what_a_store_records(tmp_path: Path) -> None:
    file, store = written(tmp_path, seeds=12, duration="100s"), tmp_path / "store"
    assert penstock("compare", str(file), "--store", str(store), "--shard", "1/2").returncode == 0
    for original in (file, tmp_path / "link.toml"):
        original.unlink()
    process = penstock("results", str(store), "--resume")
    assert process.returncode == 0, process.stderr
    assert len(rows(store)) == 144


def start(file: Path, store: Path, *more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "penstock", "compare", str(file), "--store", str(store), *more]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_killed_at_random_moments_a_study_is_as_undisturbed(tmp_path: Path) -> None:
    """`PENSTOCK_KILLS` is the number of kills, 8 by default; a store that is complete in spite of them is compared."""
    kills, rng = int(os.environ.get("PENSTOCK_KILLS", "8")), random.Random(7)
    file, whole, store = written(tmp_path, seeds=40, duration="100s"), tmp_path / "whole", tmp_path / "store"
    assert penstock("compare", str(file), "--store", str(whole)).returncode == 0
    killed = 0
    while killed < kills:
        child = start(file, store)
        time.sleep(rng.uniform(0.3, 2.0))
        if child.poll() is None:
            child.send_signal(rng.choice([signal.SIGKILL, signal.SIGTERM]))
            killed += 1
        child.wait()
        if penstock("results", str(store), "--status").returncode == 0:
            assert rows(store) == rows(whole)
            store = tmp_path / f"store{killed}"
    assert penstock("compare", str(file), "--store", str(store)).returncode == 0
    assert rows(store) == rows(whole)
    assert [*(store / "claims").iterdir()] == []


def test_a_claim_whose_process_was_killed_after_it_stored_the_part_is_removed(tmp_path: Path) -> None:
    file, store = written(tmp_path), tmp_path / "store"
    assert penstock("compare", str(file), "--store", str(store)).returncode == 0
    (part, *_) = (store / "runs").glob("*.parquet")
    # A process starts a positive number of clock ticks after the machine.
    dead = {"host": socket.gethostname(), "pid": os.getpid(), "started": "-1"}
    (store / "claims" / part.stem).write_text(json.dumps(dead))
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        started = Path(f"/proc/{other.pid}/stat").read_text().rpartition(")")[2].split()[19]
        alive = {"host": socket.gethostname(), "pid": other.pid, "started": started}
        (store / "claims" / "of-another-study").write_text(json.dumps(alive))
        assert penstock("compare", str(file), "--store", str(store)).returncode == 0
        assert [claim.name for claim in (store / "claims").iterdir()] == ["of-another-study"]
        other.communicate(b"\n")


def test_two_processes_on_one_store_share_the_work(tmp_path: Path) -> None:
    file, whole, store = written(tmp_path, seeds=30, duration="100s"), tmp_path / "whole", tmp_path / "store"
    assert penstock("compare", str(file), "--store", str(whole)).returncode == 0
    children = [start(file, store, "--jobs", "1") for _ in range(2)]
    assert [child.wait(120) for child in children] == [0, 0]
    assert rows(store) == rows(whole)
    assert len(rows(store)) == 360


def test_a_dry_run_tells_the_cost_and_keeps_nothing(tmp_path: Path) -> None:
    file = written(tmp_path)
    process = penstock("compare", str(file), "--store", str(tmp_path / "store"), "--dry-run", "--json", "-")
    document = json.loads(process.stdout)
    assert (document["cells"], document["runs"]) == (12, 48)
    assert 0 < document["cpu_s"] < 60
    assert 0 < document["bytes"] < 1e7
    assert not (tmp_path / "store").exists()


def test_all_errors_of_a_study_file_are_told_with_their_lines(tmp_path: Path) -> None:
    text = """
base = "none.toml"
seeds = 0
scheme = ["red"]
metrics = ["delay_mean"]
where = "flow < 3"
[axes]
flows = {{ path = "traffic.bulk.count", valus = [1] }}
seed = [1, 2]
"""
    with pytest.raises(ScenarioError) as caught:
        StudyFile.read(written(tmp_path, text=text))
    message = str(caught.value)
    for part in (
        "none.toml",
        "some.toml:3: seeds = 0: must lie between 1 and",
        'did you mean "schemes"',
        'no metric "delay_mean"; did you mean "delay_mean_s"?',
        'names no axis "flow"; did you mean "flows"?',
        'did you mean "values"',
        "seed = [1, 2]: cannot be the name of an axis",
    ):
        assert part in message


def test_a_cell_does_not_depend_on_the_cells_before_it(tmp_path: Path) -> None:
    text = STUDY + 'delay = {{ path = "links.bottleneck.delay", values = ["5ms", "20ms"] }}\n'
    cells = list(StudyFile.read(written(tmp_path, text=text)).study.cells())
    points = [labels for labels, _, _ in cells]
    order = random.Random(1).sample(range(len(cells)), len(cells))
    study = StudyFile.read(written(tmp_path, text=text)).study
    for number in order:
        _, scenario, _ = study.cell(points[number])
        alone = StudyFile.read(written(tmp_path, text=text)).study.cell(points[number])[1]
        assert scenario == alone == cells[number][1]


def test_a_condition_that_leaves_no_cell_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="leaves no cell"):
        StudyFile.read(written(tmp_path, text='where = "flows > 9"\n' + STUDY))


def test_status_makes_no_store(tmp_path: Path) -> None:
    process = penstock("results", str(tmp_path / "none"), "--status")
    assert (process.returncode, "there is no such folder" in process.stderr) == (2, True)
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "1/0", "-1/3"])
def test_a_shard_is_a_part_of_a_number(text: str) -> None:
    with pytest.raises(PenstockError, match="is not I/N"):
        Shard.parse(text)


def test_conditions_compare_and_compute_only() -> None:
    chosen = parse_condition("flows * 2 <= 10 and scheme in ('red', 'pie') and not flows == 3", ["flows", "scheme"])
    assert [flows for flows in range(8) if chosen(flows=flows, scheme="red")] == [0, 1, 2, 4, 5]
    refused = ("__import__('os')", "flows.real > 1", "flows if flows else 1", "f(1)", "", "flows <", "[i for i in ()]")
    for text in refused:
        with pytest.raises(ValueError, match=r"may not contain|is no condition|names no axis"):
            parse_condition(text, ["flows"])
    with pytest.raises(PenstockError, match="not supported between"):
        parse_condition("flows < 'a'", ["flows"])(flows=1)


PID = """
import penstock as ps


@ps.aqm("my-cap")
class MyCap(ps.Aqm):
    '''Drop arrivals at `k` packets.'''

    k: int = 5

    def on_arrival(self, cx, pkt):
        return ps.DROP if cx.queue.packets >= self.k else ps.PASS
"""


def test_a_copied_store_shows_its_status_and_is_completed_without_the_original_files(tmp_path: Path) -> None:
    origin, elsewhere = tmp_path / "origin", tmp_path / "elsewhere"
    origin.mkdir()
    text = STUDY.replace('schemes = ["droptail", "red:min_th=3"]', 'schemes = ["droptail", "my_cap.py:my-cap"]')
    file = written(origin, seeds=12, text=text, duration="100s")
    (origin / "my_cap.py").write_text(PID)
    shard = penstock("compare", file.name, "--store", "store", "--shard", "1/2", cwd=origin)
    assert shard.returncode == 0, shard.stderr
    done_runs = len(rows(origin / "store"))
    assert 0 < done_runs < 144
    shutil.move(origin / "store", elsewhere)
    shutil.rmtree(origin)
    status = penstock("results", "elsewhere", "--status", "--json", "-", cwd=tmp_path)
    assert (status.returncode, json.loads(status.stdout)["studies"][0]["missing"]) == (5, 144 - done_runs)
    resumed = penstock("results", "elsewhere", "--resume", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert len(rows(elsewhere)) == 144


def test_several_bases_are_an_axis_and_seeds_begin_with_theirs(tmp_path: Path) -> None:
    small(seed=7).save(tmp_path / "slow.toml")
    small(seed=7).replace("links.bottleneck.rate", "8Mbit").save(tmp_path / "fast.toml")
    file = tmp_path / "some.toml"
    file.write_text('base = ["slow.toml", "fast.toml"]\nschemes = ["droptail", "codel"]\nseeds = 2\n')
    study = StudyFile.read(file).study
    assert study.vary == {"base": ("slow", "fast"), "scheme": ("droptail", "codel")}
    assert study.seed_range == range(7, 9)
    rates = [labels["base"] for labels, scenario, _ in study.cells() if "8Mbit" in str(scenario)]
    assert rates == ["fast", "fast"]
    small(seed=8).save(tmp_path / "fast.toml")
    with pytest.raises(ScenarioError, match="several seeds"):
        StudyFile.read(file)
    named = ("compare", "slow.toml", "fast.toml", "--scheme", "droptail", "--seed", "3", "--runs", "2")
    process = penstock(*named, "--store", "store", "--json", "-", cwd=tmp_path)
    assert process.returncode == 0, process.stderr
    assert {row["vary"]["base"] for row in json.loads(process.stdout)["rows"]} == {"slow", "fast"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('schemes = "droptail"', 'must be "all", or a list of schemes'),
        ("schemes = [3]", "a scheme must be a string or a table, not a number"),
        ('schemes = ["rde", "pi2", "codle"]', 'did you mean "red"'),
        ('schemes = ["rde", "pi2", "codle"]', 'did you mean "codel"'),
        ('load = "x.py"', "must be a list"),
        ("base = 3", "must name a scenario file"),
        ("base = []", "names no scenario"),
        ('base = ["link.toml", "link.toml"]', 'names two scenarios "link"'),
    ],
)
def test_a_wrong_type_is_one_clear_error(tmp_path: Path, line: str, message: str) -> None:
    text = 'base = "link.toml"\n' if not line.startswith("base") else ""
    with pytest.raises(ScenarioError) as caught:
        StudyFile.read(written(tmp_path, text=f"{text}{line}\n"))
    assert message in str(caught.value)
    assert "some.toml:" in str(caught.value)


def test_all_schemes_are_those_without_a_required_parameter(tmp_path: Path) -> None:
    schemes = StudyFile.read(written(tmp_path, text='base = "link.toml"\nschemes = "all"\n')).study.vary["scheme"]
    assert {"droptail", "red", "fq-codel"} <= set(schemes)
    assert not {"bernoulli", "wfq", "shaper"} & set(schemes)
