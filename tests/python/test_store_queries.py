"""Questions to a store: short names, errors in one line, and nothing but its own tables can be read."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from penstock.cli.app import app
from penstock.errors import PenstockError
from penstock.studies.database import Database
from penstock.studies.store import Store
from typer.testing import CliRunner

from .rows import Row, put
from .small_store import SCHEMES, result, write


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("stores") / "it's a [store]")


def ask(store: Path, sql: str) -> list[tuple[Any, ...]]:
    with Database(store) as database:
        return list(database.ask(sql).rows)


def refused(store: Path, sql: str) -> str:
    with pytest.raises(PenstockError) as error:
        ask(store, sql)
    assert error.value.exit_code == 2
    assert "\n" not in str(error.value)
    return str(error.value)


def run(*arguments: object) -> tuple[int, str, str]:
    invocation = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return invocation.exit_code, invocation.stdout, invocation.stderr


def test_a_mean_by_an_axis(store: Path) -> None:
    rows = ask(store, "SELECT scheme, avg(delay_mean_s) AS mean FROM runs GROUP BY scheme ORDER BY scheme")
    flows, seeds, rtt = (25 + 50 + 100) / 3, 2.5, 0.01 / 3
    expected = [base + 1e-4 * flows + 1e-3 * seeds + rtt for base in (0.1, 0.02)]
    assert rows == [(scheme, pytest.approx(mean, rel=1e-12)) for scheme, mean in zip(SCHEMES, expected, strict=True)]


def test_columns_are_labels_then_facts_of_the_run_then_results(store: Path) -> None:
    names = [name for name, *_ in ask(store, "DESCRIBE runs")]
    assert names[:2] == ["scheme", "links.right.delay"]
    assert names[2:9] == ["seed", "scenario", "meaning", "penstock", "study", "events", "cpu_s"]
    with Database(store) as database:
        assert database.labels == names[:2]
        assert database.results == names[9:]
        assert "traffic.extra.count" in database.metrics
        assert "kept.slope" in database.metrics
        assert "links.bottleneck.length_pmf" not in database.metrics


@pytest.mark.parametrize(
    ("sql", "first"),
    [
        ('SELECT max("bottleneck.delay_mean_s") FROM runs', 0.124),
        ('SELECT count(DISTINCT "right.delay") FROM runs', 3),
        ("SELECT count(DISTINCT delay) FROM runs", 3),
        ("SELECT max(r.delay_mean_s) AS delay_mean_s FROM runs r", 0.124),
        ("SELECT count(*) FILTER (marks IS NULL) FROM runs", 36),
        ("SELECT max(len(length_pmf)) FROM runs", 3),
        ("SELECT max(slope) - max(kept.slope) FROM (SELECT slope, {'slope': slope} AS kept FROM runs)", 0.0),
        ("WITH few AS (FROM runs WHERE seed = 1) SELECT count(*) FROM few", 18),
        ("SELECT count(*) FROM scenarios JOIN runs USING (scenario)", 72),
        ("SELECT count(DISTINCT resolved->>'$.links.right.delay') FROM scenarios", 3),
    ],
)
def test_short_names_stand_for_the_only_column_that_ends_so(store: Path, sql: str, first: object) -> None:
    assert ask(store, sql)[0][0] == pytest.approx(first)


def test_a_short_name_adds_no_column_unless_it_is_used(store: Path) -> None:
    with Database(store) as database:
        assert database.ask("SELECT * FROM runs").columns == list(database.columns)


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT avg(dely_mean_s) FROM runs", 'no column "dely_mean_s"; did you mean "delay_mean_s"?'),
        ("SELECT r.dely_mean_s FROM runs r", 'did you mean "delay_mean_s"?'),
        ("SELECT nonsense FROM runs", "no column \"nonsense\"; all columns: penstock results --sql 'DESCRIBE runs'"),
        ("SELECT avg(loss_rate) FROM runs", '"links.bottleneck.loss_rate", "links.bottleneck.reverse.loss_rate"'),
        ("SELECT avg(loss_rate) AS loss_rate FROM runs", '"loss_rate" may be any of 2 columns'),
        ("SELECT bottleneck.drops FROM runs", 'put a name with dots in double quotes: "bottleneck.drops"'),
        ("SELECT links.bottleneck.drops FROM runs", 'double quotes: "links.bottleneck.drops"'),
        ("SELECT a.b FROM runs", 'no column "a.b"'),
        ("SELECT * FROM rnus", 'no table "rnus"; did you mean "runs"?'),
        ("SELECT avg(scheme) FROM runs", "avg"),
        ("SELECT scheme, avg(seed) FROM runs", "GROUP BY"),
        ("SELECT CAST(scheme AS INTEGER) FROM runs", "Could not convert"),
        ("SELECT 'open", "unterminated"),
        ("SELCT 1", 'syntax error at or near "SELCT"'),
        ("SELECT ?", "parameters"),
        ("", "one SELECT statement"),
        ("SELECT 1; SELECT 2", "one SELECT statement"),
    ],
)
def test_a_mistake_is_one_line_with_the_nearest_name(store: Path, sql: str, message: str) -> None:
    assert message in refused(store, sql)


def test_a_query_neither_writes_nor_reads_other_files(store: Path, tmp_path: Path) -> None:
    before = {file: file.read_bytes() for file in store.rglob("*") if file.is_file()}
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    part = next((store / "runs").iterdir())
    quoted = str(part).replace("'", "''")
    for sql in (
        f"SELECT * FROM read_csv('{secret}')",
        f"SELECT * FROM '{secret}'",
        f"SELECT * FROM read_text('{secret}')",
        f"SELECT * FROM glob('{tmp_path}/*')",
        f"COPY (SELECT 1) TO '{tmp_path / 'new.csv'}'",
        f"COPY runs TO '{quoted}' (FORMAT parquet)",
        f"COPY (PIVOT runs ON scheme USING avg(seed)) TO '{quoted}' (FORMAT parquet)",
        f"ATTACH '{tmp_path / 'new.db'}'",
        "CREATE TABLE mine AS SELECT 1",
        "DROP VIEW runs",
        "SET enable_external_access = true",
        "INSTALL httpfs",
        "EXPLAIN ANALYZE SELECT 1",
        "WITH a AS (SELECT 1) INSERT INTO runs SELECT * FROM a",
    ):
        refused(store, sql)
    assert {file: file.read_bytes() for file in store.rglob("*") if file.is_file()} == before
    assert [file.name for file in tmp_path.iterdir()] == ["secret.csv"]


def test_a_run_that_two_parts_have_counts_once(tmp_path: Path) -> None:
    def rows(seeds: range, **labels: object) -> list[Row]:
        return [Row("s", seed, json.dumps(result("red", 25, "10ms", seed)), labels, "x") for seed in seeds]

    first, second = Store(tmp_path), Store(tmp_path)  # neither knows the parts of the other
    put(first, rows(range(1, 6), flows=25), {"s": '{"name": "s"}'})
    put(second, rows(range(4, 9), load=0.5), {"s": '{"name": "s"}', "t": "{}"})
    put(second, [Row("t", 1, json.dumps(result("red", 25, "10ms", 1)), {"name": "other"}, "x")], {})
    assert ask(tmp_path, "SELECT seed FROM runs WHERE scenario = 's' ORDER BY seed") == [(n,) for n in range(1, 9)]
    assert ask(tmp_path, "SELECT count(*), avg(goodput_bps) FROM runs WHERE scenario = 's'") == [(8, 1e6 / 25 + 4.5)]
    assert ask(tmp_path, "SELECT count(*) FROM runs JOIN scenarios USING (scenario)") == [(9,)]
    with Database(tmp_path) as database:
        assert "filename" not in database.ask("SELECT * FROM runs").columns


def test_a_folder_that_is_no_store_is_told_so(store: Path, tmp_path: Path) -> None:
    def refusal(folder: Path) -> str:
        with pytest.raises(PenstockError) as error:
            Database(folder)
        assert "\n" not in str(error.value)
        return str(error.value)

    copy = shutil.copytree(store, tmp_path / "results")
    assert 'no such folder; did you mean "results"?' in refusal(tmp_path / "result")
    (tmp_path / "empty").mkdir()
    assert "is not a store of penstock" in refusal(tmp_path / "empty")
    assert not any((tmp_path / "empty").iterdir())
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "results.sqlite").touch()
    assert "earlier version" in refusal(tmp_path / "old")
    for part in (copy / "runs").iterdir():
        part.write_bytes(part.read_bytes()[:-20])
    assert "its checksum is wrong: it is damaged" in refusal(copy)
    shutil.rmtree(copy / "runs")
    assert "has no runs" in refusal(copy)
    (copy / "store.json").write_text('{"format": 99}')
    assert "format" in refusal(copy)
    (copy / "store.json").write_text("{")
    assert "store.json" in refusal(copy)


def test_a_store_whose_parts_are_merged_meanwhile_is_asked_again(store: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(store, tmp_path / "results")
    with Database(copy) as database:
        for part in (copy / "runs").iterdir():
            part.unlink()
        with pytest.raises(PenstockError, match="run the same command again"):
            list(database.ask("SELECT sum(seed) FROM runs").rows)


def test_the_verb_prints_a_table(store: Path) -> None:
    sql = "SELECT scheme, max(drops) AS drops FROM runs GROUP BY scheme ORDER BY scheme"
    code, out, err = run("results", store, "--sql", sql.replace("drops)", '"bottleneck.drops")'))
    assert (code, err) == (0, "")
    assert out.splitlines() == ["scheme           drops", "droptail             7", "red:gentle=true      7"]
    code, out, err = run("results", store, "--sql", sql)
    assert (code, out) == (2, "")
    assert err.startswith('"drops" may be any of 2 columns')


def test_json_is_a_list_of_objects(store: Path, tmp_path: Path) -> None:
    sql = (
        "SELECT scheme, count(*) AS runs, max(marks) AS marks, 1e308 * 10 AS large, [1.5, NULL] AS list,"
        " any_value(resolved) AS resolved, 1.25 AS exact FROM runs JOIN scenarios USING (scenario)"
        " GROUP BY scheme ORDER BY scheme LIMIT 1"
    )
    file = tmp_path / "answer.json"
    assert run("results", store, "--sql", sql, "--json", file)[:2] == (0, "")
    (row,) = json.loads(file.read_text())
    assert row.pop("resolved")["name"] == "thesis link"
    assert row == {
        "scheme": "droptail", "runs": 36, "marks": None, "large": None, "list": [1.5, None], "exact": 1.25,
    }  # fmt: skip
    code, out, _ = run("results", store, "--sql", "SELECT seed FROM runs WHERE seed > 9", "--json", "-")
    assert (code, json.loads(out)) == (0, [])


def test_ctrl_c_ends_a_long_query(store: Path) -> None:
    product = " * ".join(f"{name}.seed" for name in "abcdef")
    sql = f"SELECT sum({product}) FROM {', '.join(f'runs {name}' for name in 'abcdef')}"
    command = [sys.executable, "-m", "penstock", "results", str(store), "--sql", sql]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A job in the background inherits SIGINT as ignored, and this test may run in one.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "")


def test_a_long_table_is_cut_and_its_json_is_whole(store: Path) -> None:
    sql = "SELECT a.seed FROM runs a, runs b"
    code, out, err = run("results", store, "--sql", sql)
    assert (code, len(out.splitlines())) == (0, 1001)
    assert "only the first 1000 rows are shown" in err
    assert len(json.loads(run("results", store, "--sql", sql, "--json", "-")[1])) == 72 * 72
