"""The command line: every example works as printed, results go to standard output and nothing else does."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from penstock.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
VERBS = tuple(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def penstock(*arguments: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a user does."""
    return subprocess.run(
        [sys.executable, "-m", "penstock", *arguments],
        cwd=cwd,
        env=os.environ | {"NO_COLOR": "1", "COLUMNS": "200"} | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the scenarios, the examples, a result and a store, as the examples of the help expect it."""
    folder = tmp_path_factory.mktemp("original")
    for name in ("scenarios", "examples"):
        shutil.copytree(ROOT / name, folder / name)
    (folder / "out").mkdir()
    process = penstock("run", "scenarios/thesis_link.toml", "--set", "duration=5s", "--json", "result.json", cwd=folder)
    assert process.returncode == 0, process.stderr
    small = ("--set", "duration=5s", "--runs", "2", "--vary", "traffic.extra.count=5,25")
    two = ("--scheme", "droptail", "--scheme", "red")
    process = penstock("compare", "scenarios/thesis_link.toml", *two, *small, "--store", "results", cwd=folder)
    assert process.returncode == 0, process.stderr
    return folder


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    """A copy of that folder."""
    shutil.copytree(original, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_the_verbs_are_those_of_the_contract() -> None:
    verbs = "run compare evaluate tune fit challenge link live check explain convert results reproduce doctor new"
    assert list(VERBS) == verbs.split()


@pytest.mark.parametrize(
    "verb",
    [
        pytest.param(verb, marks=[pytest.mark.link, pytest.mark.needs("curl")] if verb == "link" else [])
        for verb in VERBS
    ],
)
def test_the_example_of_each_verb_works_as_printed(verb: str, folder: Path) -> None:
    help_text = penstock(verb, "--help", COLUMNS="80").stdout
    match = re.search(r"^Example: (penstock .*)$", help_text, re.M)
    assert match, help_text
    process = penstock(*shlex.split(match[1])[1:], cwd=folder)
    assert process.returncode == 0, process.stderr
    assert "Traceback" not in process.stderr


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_plain_usage_and_the_common_options(verb: str) -> None:
    help_text = penstock(verb, "--help").stdout
    for internal in ("{", "[[", "]]", "...]...", "<", "=x", "list["):
        assert internal not in help_text.partition("Arguments:")[0]
    assert "<bool>" not in help_text
    assert "<=" not in help_text
    assert "--json FILE|-" in help_text


def test_output_that_lacks_characters_or_is_closed_is_no_error() -> None:
    process = penstock("check", "scenarios/thesis_link.toml", PYTHONIOENCODING="ascii")
    assert (process.returncode, process.stderr) == (0, "")
    assert "?  bottleneck 1.5Mbit" in process.stdout
    command = f"exec {shlex.quote(sys.executable)} -m penstock check scenarios/thesis_link.toml >&-"
    closed = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (closed.returncode, closed.stderr) == (0, "")


def test_json_on_standard_output_stands_alone(folder: Path) -> None:
    for arguments in (
        ("run", "scenarios/thesis_link.toml", "--json", "-", "--set", "duration=5s"),
        (
            "compare",
            "scenarios/thesis_link.toml",
            "--scheme",
            "red",
            "--runs",
            "2",
            "--json",
            "-",
            "--set",
            "duration=5s",
        ),
        ("explain", "--json", "-"),
        ("explain", "schemes", "--json", "-"),
        ("explain", "metrics", "--json", "-"),
        ("explain", "transports", "--json", "-"),
        ("explain", "red", "--json", "-"),
        ("check", "scenarios/thesis_link.toml", "--json", "-"),
        ("convert", "codel", "--to", "tc", "--from", "penstock", "--json", "-"),
        ("fit", "examples/uplink.pcap.gz", "--json", "-"),
        ("results", "results", "--json", "-"),
        ("results", "result.json", "--json", "-"),
        ("doctor", "--json", "-"),
    ):
        process = penstock(*arguments, cwd=folder)
        assert process.returncode == 0, process.stderr
        assert json.loads(process.stdout) is not None


def test_a_run_has_what_the_contract_says(folder: Path) -> None:
    answer = json.loads((folder / "result.json").read_text())
    for key in ("penstock", "scenario", "seed", "links", "traffic", "fairness", "events", "cpu_s"):
        assert key in answer
    assert answer["scenario"]["links"]["bottleneck"]["queue"]["scheme"] == "red"
    assert len(answer["traffic"]["extra"]["flows"]) == 25
    assert "jain" in answer["fairness"]


def test_runs_are_exact_again(folder: Path) -> None:
    answers = []
    for _ in range(2):
        text = penstock(
            "run", "scenarios/thesis_link.toml", "--seed", "3", "--json", "-", "--set", "duration=5s"
        ).stdout
        answers.append(re.sub(r'"cpu_s": [0-9.e-]+', "", text))
    assert answers[0] == answers[1]


def test_a_page_is_written(folder: Path) -> None:
    process = penstock(
        "run", "scenarios/thesis_link.toml", "--set", "duration=5s", "--html", "out/page.html", cwd=folder
    )
    assert process.returncode == 0, process.stderr
    assert (folder / "out/page.html").read_text().startswith("<!doctype html>")
    picture = penstock("explain", "red:gentle=true", "--figure", "red.svg", cwd=folder)
    assert picture.returncode == 0, picture.stderr
    assert "<svg" in (folder / "red.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Usage"),
        (("rnu",), "run"),
        (("run",), "SCENARIO.toml"),
        (("run", "x.toml", "--sed", "1"), "--seed"),
        (("run", "scenarios/thesis_link.toml", "--seed", "x"), "--seed x: must be a whole number from 0 to 92233720"),
        (("run", "x.toml", "--seed=-1", "--on", "lnik"), '--on lnik: must be one of simulation, link; did you mean'),
        (("compare", "x.toml", "--runs", "0", "--jobs", "2000"), "--runs 0: must be a whole number from 1 to 100000"),
        (("compare", "x.toml", "--runs", "0", "--jobs", "2000"), "--jobs 2000: must be a whole number from 1 to 1024"),
        (("run", "x.toml", "--max-events", "many"), "--max-events many: must be a number"),
        (("compare", "scenarios/thesis_link.toml"), "--scheme"),
        (("explain", "schemse"), 'did you mean "schemes"'),
        (("explain", "rde"), 'did you mean "red"'),
        (("explain", "red", "--rate", "20"), "--rate"),
        (("explain", "red", "--count", "400..50"), "--count"),
        (("explain", "red", "--figure", "x.bmp"), ".svg"),
        (("results", "nothing.json", "-o", "x.html"), "nothing.json"),
        (("results", "pyproject.toml", "-o", "x.html"), "JSON"),
        (("results", "pyproject.toml", "-o", "x.bmp"), "the file must end in"),
        (("results", "pyproject.toml", "-o", "deep/down/x.html"), "-o deep/down/x.html: there is no folder"),
        (("lst",), "No such command"),
        (("run", "scenarios/thesis_link.toml", "--trace", "deep/down"), "there is no folder deep"),
        (("run", "scenarios/thesis_link.toml", "--html", "doc/x.html"), 'no folder doc; did you mean "docs"'),
    ],
)  # fmt: skip
def test_wrong_requests_end_with_2_and_advice(arguments: tuple[str, ...], message: str) -> None:
    process = penstock(*arguments)
    assert process.returncode == 2, process.stderr
    assert message in process.stderr + (process.stdout if not arguments else "")
    assert "Traceback" not in process.stderr


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{shlex.quote(sys.executable)} -m penstock explain schemes | head -1"
    process = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert process.stderr == ""


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("penstock repr", {"reproduce"}),
        ("penstock explain fq-c", {"fq-codel"}),
        ("penstock compare x --scheme ared", {"ared-feng", "ared-floyd"}),
    ],
)
def test_the_shell_completes_verbs_and_schemes(words: str, completed: set[str]) -> None:
    process = penstock(_PENSTOCK_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(words.count(" ")))
    assert set(process.stdout.split()) == completed


def test_the_version_is_said() -> None:
    assert penstock("--version").stdout.startswith("penstock ")


@pytest.mark.parametrize("real", [False, pytest.param(True, marks=[pytest.mark.link, pytest.mark.needs("curl")])])
def test_the_readme_works_as_printed(folder: Path, real: bool) -> None:
    """The blocks of the README marked `sh` run in order, those that a comment excuses (`make`, `git`) apart.

    With `real` those with real links, else the others.
    """
    readme = ROOT / "README.md"
    blocks = re.findall(r"^(<!-- test: skip.*?-->\n)?```(sh|toml|python)\n(.*?)^```", readme.read_text(), re.M | re.S)
    for skipped, language, text in blocks:
        caption = re.match(r"# (\S+\.(?:toml|py))\n", text)
        if caption and language != "sh":
            (folder / caption[1]).write_text(text)
        if skipped or language != "sh" or re.search(r"^(make|git|cd|apt)\b", text, re.M):
            continue
        if real != bool(re.search(r"penstock link |--on link", text)):
            continue
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        text = text.replace(".venv/bin/", "")
        process = subprocess.run(
            ["sh", "-ec", text],
            cwd=folder,
            env=os.environ | {"PATH": path, "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert process.returncode == 0, f"{text}\n{process.stderr}"


def test_a_trace_tells_every_packets_way(folder: Path) -> None:
    import duckdb

    def ask(query: str) -> list[Any]:
        with duckdb.connect() as base:
            return list(base.execute(query).fetchall())

    process = penstock(
        "run", "scenarios/thesis_link.toml", "--set", "duration=5s", "--trace", "traces", "--json", "-", cwd=folder
    )
    assert process.returncode == 0, process.stderr
    answer = json.loads(process.stdout)
    packets, series = (f"'{folder / 'traces' / name}.parquet'" for name in ("packets", "series"))
    columns = [row[0] for row in ask(f"DESCRIBE SELECT * FROM {packets}")]
    assert columns == ["t_ns", "event", "place", "traffic", "flow", "kind", "seq", "size_bytes", "cause"]
    counted = dict(ask(f"SELECT event, count(*) FROM {packets} WHERE place = 'bottleneck' GROUP BY event"))
    link = answer["links"]["bottleneck"]
    assert (counted["arrive"], counted["dequeue"], counted["drop"]) == (
        link["arrivals"],
        link["departures"],
        link["drops"],
    )
    causes = ask(f"SELECT DISTINCT cause FROM {packets} WHERE event = 'drop'")
    assert {cause for (cause,) in causes} <= {"early", "forced", "overflow"}
    ordered = ask(
        f"SELECT bool_and(t_ns >= before) FROM (SELECT t_ns, lag(t_ns, 1, 0) OVER () AS before FROM {packets})"
    )
    assert ordered == [(True,)]
    names = {row[0] for row in ask(f"SELECT DISTINCT name FROM {series}")}
    assert {"length", "avg", "cwnd", "ssthresh"} <= names
    samples = ask(f"SELECT count(*) FROM {series} WHERE place = 'bottleneck' AND name = 'length'")[0]
    assert samples == (500,)


@pytest.mark.parametrize("metric", ["length_man_pkts", "goodput_bps"])
def test_a_metric_that_links_lack_is_refused_before_runs_are_announced(metric: str) -> None:
    process = penstock("compare", "scenarios/thesis_link.toml", "--scheme", "red", "--precision", f"{metric}=1%")
    assert process.returncode == 2
    assert f'no metric "{metric}"' in process.stderr
    assert "runs of" not in process.stderr


def test_a_gate_exits_with_3_after_the_result_is_written(folder: Path) -> None:
    run = ("run", "scenarios/thesis_link.toml", "--set", "duration=5s", "--json", "gate.json")
    failed = penstock(*run, "--fail-if", "delay_mean_s > 1ms", cwd=folder)
    assert failed.returncode == 3
    assert "--fail-if 'delay_mean_s > 1ms' is met: bottleneck: delay_mean_s = " in failed.stderr
    assert (folder / "gate.json").exists()
    assert penstock(*run, "--fail-if", "delay_mean_s > 10s", cwd=folder).returncode == 0
    for source in ("results", "gate.json"):
        assert penstock("results", source, "--fail-if", "utilization < 99.9%", cwd=folder).returncode == 3
        assert penstock("results", source, "--fail-if", "utilization < 1%", cwd=folder).returncode == 0
    for wrong in ("nonsense", "dealy < 1ms", "extra.mos < 1"):
        for output in ((), ("-o", "gate.csv"), ("--json", "-")):
            refused = penstock("results", "results", "--fail-if", wrong, *output, cwd=folder)
            assert (refused.returncode, refused.stdout) == (2, "")
            assert refused.stderr.startswith("--fail-if ")
    assert not (folder / "gate.csv").exists()
    compared = ("compare", "scenarios/thesis_link.toml", "--set", "duration=5s", "--scheme", "red", "--runs", "2")
    assert penstock(*compared, "--fail-if", "extra.loss > 0%", cwd=folder).returncode == 3


def test_every_exit_code_has_a_cause(folder: Path) -> None:
    """3 and 130 have tests of their own."""
    (folder / "broken.py").write_text(
        "import penstock as ps\n@ps.aqm('broken')\nclass Broken(ps.Aqm):\n    'Broken.'\n"
        "    def on_arrival(self, cx, pkt):\n        raise ZeroDivisionError\n"
    )
    short = ("--set", "duration=5s")
    causes = {
        0: ("check", "scenarios/thesis_link.toml"),
        1: ("run", "scenarios/thesis_link.toml", "--scheme", "broken.py:broken", *short),
        2: ("run", "scenarios/thesis_lnk.toml"),
        4: ("compare", "examples/buffers.study.toml", "--cluster", "none", *short),
    }
    (folder / "empty").mkdir()
    (folder / "empty" / "distributed.py").write_text("raise ImportError('hidden by the test')")
    (folder / "empty" / "dask.py").write_text("raise ImportError('hidden by the test')")
    paths = f"{folder / 'empty'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    for code, arguments in causes.items():
        process = penstock(*arguments, cwd=folder, PYTHONPATH=paths)
        assert process.returncode == code, (arguments, process.stderr)
    # These runs are so short that they are one chunk, which belongs to the first shard.
    part = ("compare", "examples/buffers.study.toml", *short, "--store", "part", "--shard", "2/2")
    assert penstock(*part, cwd=folder).returncode == 0
    status = penstock("results", "part", "--status", cwd=folder)
    assert (status.returncode, status.stdout[-1]) == (5, "\n")


def test_the_cache_is_shown_and_cleaned(tmp_path: Path) -> None:
    cache = tmp_path / "penstock" / "runs"
    cache.mkdir(parents=True)
    (cache / "part").write_bytes(bytes(2_000_000))
    assert f"{cache}: 2.0 MB in 1 files" in penstock("doctor", XDG_CACHE_HOME=str(tmp_path)).stdout
    process = penstock("doctor", "--clean-cache", XDG_CACHE_HOME=str(tmp_path))
    assert f"removed {cache}" in process.stderr
    assert not cache.exists()
