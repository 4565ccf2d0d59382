"""The automatic warm-up: MSER-5 on known series, and on runs whose transient is known."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from pathlib import Path

import numpy as np
import penstock as ps
import pytest
from penstock.cli.app import app
from penstock.engine.warmup import queue_means_by_link
from penstock.explain.unsettled_queues import unsettled_queue_warnings
from penstock.live.page_data import live_page_data
from penstock.results.transient import BATCH, batch_means, biasing_transient, transient_batch_count
from penstock.scenario.resolve import Resolved
from penstock.studies.complete import Shard
from penstock.studies.plan import ComparisonPlan
from penstock.studies.store import Store
from penstock.studies.stored_runs import read_runs, study_runs
from penstock.studies.study import StudyRuns
from penstock.studies.study_file import StudyFile
from penstock.units import parse_time
from typer.testing import CliRunner


def reference(values: np.ndarray) -> int | None:
    """MSER-5 as White, Cobb and Spratt print it: the sum of squared deviations over the squared number of batches."""
    means = values[: len(values) // BATCH * BATCH].reshape(-1, BATCH).mean(axis=1)
    errors = [np.sum((means[d:] - means[d:].mean()) ** 2) / (len(means) - d) ** 2 for d in range(len(means) - 1)]
    best = int(np.argmin(errors))
    return best if best <= len(means) // 2 else None


@pytest.mark.parametrize("seed", range(20))
def test_the_statistic_is_that_of_the_paper(seed: int) -> None:
    rng = np.random.default_rng(seed)
    length = int(rng.integers(30, 400))
    noise = rng.standard_normal(length)
    series = noise + 8 * np.exp(-np.arange(length) / rng.integers(1, 80))
    assert transient_batch_count(batch_means(series)) == reference(series)


def test_an_exponential_transient_is_cut_where_it_has_faded() -> None:
    rng = np.random.default_rng(1)
    series = 100 * np.exp(-np.arange(1000) / 30) + rng.standard_normal(1000)
    end = transient_batch_count(batch_means(series))
    assert end is not None
    assert 90 <= BATCH * end <= 250  # 100 exp(-t / 30) is 5 at 90 and 0.02 at 250
    assert transient_batch_count(batch_means(rng.standard_normal(1000) + np.arange(1000) / 20)) is None


def busy(**changes: object) -> ps.Scenario:
    """A link whose second source starts after 8 s and overloads it, so that the queue is full shortly after that."""
    link = ps.dumbbell(
        rate="10Mbit",
        rtt="20ms",
        duration="40s",
        queue=ps.DropTail(limit="100p"),
        traffic={
            "first": ps.Poisson(rate="2Mbit", packet="1000B"),
            "second": ps.Poisson(rate="12Mbit", packet="1000B", start="8s"),
        },
    )
    return dataclasses.replace(link, **{"warmup": "auto", **changes})  # type: ignore[arg-type]


def test_a_run_starts_its_statistics_after_the_transient() -> None:
    run = ps.run(busy())
    warmup = parse_time(run.scenario["warmup"]) / 1e9
    assert 7 <= warmup <= 12
    repeated = ps.run(dataclasses.replace(busy(), warmup=run.scenario["warmup"]))
    assert repeated.raw["links"] == run.raw["links"]


def seconds(resolved: Resolved) -> float:
    """The warm-up in seconds."""
    return parse_time(resolved.readable["warmup"]) / 1e9


def test_all_schemes_of_a_point_have_the_longest_warm_up_of_their_own_pilots() -> None:
    plan = ComparisonPlan.resolve_cases(
        busy(), ["droptail", "codel"], {"traffic.second.start": ["5s", "8s"]}
    ).with_warmups()
    late, later = plan.cases[:2], plan.cases[2:]
    for start, cases in ((5, late), (8, later)):
        assert len({seconds(case.resolved) for case in cases}) == 1
        assert start - 1 <= seconds(cases[0].resolved) <= start + 4
        alone = [
            seconds(
                ComparisonPlan.resolve_cases(busy(), [case.candidate], {"traffic.second.start": [f"{start}s"]})
                .with_warmups()
                .cases[0]
                .resolved
            )
            for case in cases
        ]
        assert seconds(cases[0].resolved) == max(alone)
    assert plan.base.readable["warmup"] == "auto"  # there are two


def test_a_run_that_is_too_short_is_refused() -> None:
    with pytest.raises(ps.ScenarioError, match="the queue of bottleneck has not settled after half of the duration"):
        ps.run(busy(duration="10s"))
    with pytest.raises(ps.ScenarioError, match='is not determined here; give a time, such as "5s"'):
        busy().resolve().for_engine(flows=False, series=False)
    study = ps.Study(busy(duration="10s"), {"traffic.first.rate": ["1Mbit", "2Mbit"]})
    with pytest.raises(ps.ScenarioError, match=r"(?s)with traffic.first.rate = 1Mbit has .*with .* = 2Mbit has"):
        study.run(lambda run: {})


STARTS = {"traffic.second.start": ["5s", "8s"]}


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study file with two schemes and two points, whose base scenario has an automatic warm-up."""
    busy().save(tmp_path / "busy.toml")
    file = tmp_path / "busy.study.toml"
    file.write_text(
        'base = "busy.toml"\nschemes = ["droptail", "codel"]\nseeds = 3\nmetrics = ["length_mean_pkts"]\n[axes]\n'
        '"traffic.second.start" = ["5s", "8s"]\n'
    )
    return file


def completed(file: Path, store: Path, threads: int = 2, shard: Shard | None = None) -> StudyRuns:
    """The study with its runs made."""
    batch = StudyRuns(StudyFile.read(file).study, Store(store))
    batch.complete(threads, None, shard)
    return batch


def test_a_study_has_the_rows_of_a_comparison(study: Path, tmp_path: Path) -> None:
    batch = completed(study, tmp_path / "store")
    runs = study_runs(batch.places, batch.results)
    compared = ps.compare(busy(), ["droptail", "codel"], vary=STARTS, runs=3)
    rows = [{**row, "vary": dict(row["vary"])} for row in runs.summary("length_mean_pkts")]
    assert rows == [{**row, "vary": dict(row["vary"])} for row in compared.summary("length_mean_pkts")]
    assert len(rows) == 4
    assert {each["warmup"] for each in runs.design.scenarios.values()} == {
        each["warmup"] for each in compared.design.scenarios.values()
    }


def test_shards_threads_and_resumption_find_the_same_warm_ups(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.studies.chunk.PACKETS", 1)  # every run is a chunk of its own
    whole = completed(study, tmp_path / "whole", threads=1)
    both = tmp_path / "both"
    completed(study, both, shard=Shard(1, 2))
    before = StudyRuns(StudyFile.read(study).study, Store(both))
    assert any(before.results.missing(cell.content, cell.seeds) for cell in before.cells())
    completed(study, both, shard=Shard(2, 2))
    resumed = StudyRuns(StudyFile.read(study).study, Store(both))
    for first, second in zip(whole.cells(), resumed.cells(), strict=True):
        assert first.content == second.content
        assert first.resolved.readable["warmup"] == second.resolved.readable["warmup"] != "auto"
        assert not resumed.results.missing(second.content, second.seeds)
    texts = {study_runs(batch.places, batch.results).to_json() for batch in (whole, resumed)}
    assert len(texts) == 1


def test_pilot_runs_are_kept_apart_and_made_once(study: Path, tmp_path: Path) -> None:
    file, folder = StudyFile.read(study), tmp_path / "store"
    unmade = StudyRuns(file.study, Store(folder))
    assert {cell.resolved.readable["warmup"] for cell in unmade.cells()} == {"auto"}
    completed(study, folder)
    times = {path.name: path.stat().st_mtime_ns for path in (folder / "pilots" / "runs").iterdir()}
    completed(study, folder)
    assert {path.name: path.stat().st_mtime_ns for path in (folder / "pilots" / "runs").iterdir()} == times
    assert len(read_runs(folder)) == 4 * 3


def test_a_study_in_python_determines_warm_ups_in_memory() -> None:
    table = ps.Study(busy(), {"traffic.second.start": ["8s"]}, seeds=1).run(
        lambda run: {"warmup": parse_time(run.scenario["warmup"]) / 1e9}
    )
    assert 7 <= table("warmup").mean <= 12


def test_check_shows_the_warm_up_that_a_run_finds(tmp_path: Path) -> None:
    busy().save(tmp_path / "busy.toml")
    result = CliRunner().invoke(app, ["check", str(tmp_path / "busy.toml"), "--json", str(tmp_path / "check.json")])
    expected = ps.run(busy()).scenario["warmup"]
    assert f"# {expected}, determined by a pilot run" in result.stdout
    assert json.loads((tmp_path / "check.json").read_text())["determined_warmup"] == expected
    result = CliRunner().invoke(app, ["check", str(tmp_path / "busy.toml"), "--set", "duration=400000s"])
    assert "# determined by pilot runs: the end of the transient" in result.stdout
    assert result.exit_code == 0


def test_tuning_and_pages_accept_an_automatic_warm_up() -> None:
    advice = ps.tune(busy(), "delay mean < 100ms", ["droptail"], budget_s=60)
    assert 7 <= parse_time(advice.scenario["warmup"]) / 1e9 <= 12
    assert live_page_data(busy().document(), (), None)["scenario"]["warmup_ns"] == 0


def test_a_transient_after_the_warm_up_is_reported_with_its_end() -> None:
    rng = np.random.default_rng(2)
    noise = rng.standard_normal(400)
    rest = biasing_transient(20 + noise + 60 * np.exp(-np.arange(400) / 10))
    assert rest is not None
    assert 20 <= (rest.end or 0) <= 80  # 60 exp(-t / 10) is 8 at 20 and 0.02 at 80
    assert rest.steady_mean == pytest.approx(20, abs=0.2)
    ramp = biasing_transient(20 + noise + np.arange(400) / 10)
    assert ramp is not None
    assert ramp.end is None
    # 0.3 for a quarter of the time is 0.4 % of the mean.
    assert biasing_transient(20 + noise + np.where(np.arange(400) < 100, 0.3, 0.0)) is None


@pytest.mark.parametrize(("memory", "most"), [(0.0, 0.002), (0.9, 0.01), (0.97, 0.03)])
def test_stationary_series_are_rarely_reported(memory: float, most: float) -> None:
    rng = np.random.default_rng(3)
    reported = 0
    for _ in range(1000):
        series = np.zeros(900)
        for index, shock in enumerate(rng.standard_normal(899)):
            series[index + 1] = memory * series[index] + shock
        # Its mean is three standard deviations, as of a queue that is seldom empty.
        reported += biasing_transient(3 / np.sqrt(1 - memory**2) + series[500:]) is not None
    assert reported <= 1000 * most


@pytest.mark.parametrize("scheme", ["droptail", "codel", "fq-codel", "red", "pie"])
@pytest.mark.parametrize("name", ["standard", "brandauer_ftp", "bodin_differentiation", "chung_limited_windows"])
def test_no_warning_about_scenarios_with_a_sufficient_warm_up(name: str, scheme: str) -> None:
    case = ComparisonPlan.resolve_cases(f"scenarios/{name}.toml", [scheme]).cases[0]
    series = ps.run(case.document, series=True).series
    assert (
        unsettled_queue_warnings(
            case.resolved, queue_means_by_link(series, parse_time(case.resolved.readable["duration"]) / 1e9)
        )
        == []
    )


def warnings_of(*words: str) -> list[str]:
    """The lines of a command that warn of a transient."""
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 0, result.output
    return [line for line in result.stderr.splitlines() if "transient" in line or "not settled" in line]


def test_run_compare_and_studies_warn_of_a_short_warm_up(tmp_path: Path) -> None:
    busy(warmup="5s").save(tmp_path / "short.toml")
    busy(warmup="12s").save(tmp_path / "long.toml")
    for name, count in (("short", 1), ("long", 0)):
        file, study = tmp_path / f"{name}.toml", tmp_path / f"{name}.study.toml"
        study.write_text(f'base = "{file.name}"\nschemes = ["droptail"]\nseeds = 2\n')
        (tmp_path / "out.json").unlink(missing_ok=True)
        out = ["--store", str(tmp_path / "store"), "--json", str(tmp_path / "out.json")]
        warnings = {
            "run": warnings_of("run", str(file)),
            "compare": warnings_of("compare", str(file), "--scheme", "droptail", "--runs", "2", *out),
        }
        in_json = json.loads((tmp_path / "out.json").read_text()).get("warnings", [])
        warnings["study"] = warnings_of("compare", str(study), *out)
        in_json += json.loads((tmp_path / "out.json").read_text()).get("warnings", [])
        assert {verb: len(lines) for verb, lines in warnings.items()} == dict.fromkeys(warnings, count), warnings
        assert [warned["name"] for warned in in_json] == ["unsettled"] * 2 * count
        for line in itertools.chain(*warnings.values()):
            end = re.search(r'set warmup = "([0-9.]+)s"', line)
            assert end is not None
            assert 8 <= float(end[1]) <= 11
