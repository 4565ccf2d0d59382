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

ROOT = Path(__file__).resolve().parents[2]
VERBS = (
    "run",
    "compare",
    "list",
    "explain",
    "check",
    "convert",
    "query",
    "export",
    "figure",
    "report",
    "tune",
    "evaluate",
    "live",
    "doctor",
)


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
    done = penstock("run", "scenarios/thesis_link.toml", "--set", "duration=5s", "--json", "result.json", cwd=folder)
    assert done.returncode == 0, done.stderr
    small = ("--set", "duration=5s", "--runs", "2", "--vary", "traffic.extra.count=5,25")
    two = ("--scheme", "droptail", "--scheme", "red")
    done = penstock("compare", "scenarios/thesis_link.toml", *two, *small, "--store", "results", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    """A copy of that folder."""
    shutil.copytree(original, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.mark.parametrize("verb", VERBS)
def test_the_example_of_each_verb_works_as_printed(verb: str, folder: Path) -> None:
    shown = penstock(verb, "--help").stdout
    found = re.search(r"Example: (penstock .*)", " ".join(shown.split()))
    assert found, shown
    done = penstock(*shlex.split(found[1])[1:], cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_output_that_lacks_characters_or_is_closed_is_no_error() -> None:
    done = penstock("check", "scenarios/thesis_link.toml", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "?  bottleneck 1.5Mbit" in done.stdout
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
        ("list", "schemes", "--json"),
        ("list", "metrics", "--json"),
        ("list", "tcp", "--json"),
        ("check", "scenarios/thesis_link.toml", "--json"),
        ("doctor", "--json"),
    ):
        done = penstock(*arguments, cwd=folder)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) is not None


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
    done = penstock("run", "scenarios/thesis_link.toml", "--set", "duration=5s", "--html", "out/page.html", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "out/page.html").read_text().startswith("<!doctype html>")
    picture = penstock("explain", "red:gentle=true", "--svg", "red.svg", cwd=folder)
    assert picture.returncode == 0, picture.stderr
    assert "<svg" in (folder / "red.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "Usage"),
        (("rnu",), "run"),
        (("run",), "SCENARIO.toml"),
        (("run", "x.toml", "--sed", "1"), "--seed"),
        (("run", "scenarios/thesis_link.toml", "--seed", "x"), "--seed"),
        (("compare", "scenarios/thesis_link.toml"), "--scheme"),
        (("list", "schemse"), 'did you mean "schemes"'),
        (("explain", "rde"), 'did you mean "red"'),
        (("explain", "red", "--link", "20"), "--link"),
        (("explain", "red", "--flows", "400..50"), "--flows"),
        (("explain", "red", "--svg", "x.bmp"), ".svg"),
        (("report", "nothing.json", "-o", "x.html"), "nothing.json"),
        (("report", "pyproject.toml", "-o", "x.html"), "JSON"),
        (("report", "pyproject.toml"), "--output"),
        (("report", "pyproject.toml", "-o", "deep/down/x.html"), "--output deep/down/x.html: there is no folder"),
        (("run", "scenarios/thesis_link.toml", "--trace", "deep/down"), "there is no folder deep"),
        (("run", "scenarios/thesis_link.toml", "--html", "doc/x.html"), 'no folder doc; did you mean "docs"'),
    ],
)  # fmt: skip
def test_wrong_requests_end_with_2_and_advice(arguments: tuple[str, ...], told: str) -> None:
    done = penstock(*arguments)
    assert done.returncode == 2, done.stderr
    assert told in done.stderr + (done.stdout if not arguments else "")
    assert "Traceback" not in done.stderr


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{shlex.quote(sys.executable)} -m penstock list schemes | head -1"
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("penstock repr", {"reproduce"}),
        ("penstock explain fq-c", {"fq-codel"}),
        ("penstock compare x --scheme ared", {"ared-feng", "ared-floyd"}),
    ],
)
def test_the_shell_completes_verbs_and_schemes(words: str, completed: set[str]) -> None:
    done = penstock(_PENSTOCK_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(words.count(" ")))
    assert set(done.stdout.split()) == completed


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
        if real != bool(re.search(r"penstock (link|measure)|--on link", text)):
            continue
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        text = text.replace(".venv/bin/", "")
        done = subprocess.run(
            ["sh", "-ec", text],
            cwd=folder,
            env=os.environ | {"PATH": path, "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, f"{text}\n{done.stderr}"


def test_a_trace_tells_every_packets_way(folder: Path) -> None:
    import duckdb

    def ask(query: str) -> list[Any]:
        with duckdb.connect() as base:
            return list(base.execute(query).fetchall())

    done = penstock(
        "run", "scenarios/thesis_link.toml", "--set", "duration=5s", "--trace", "traces", "--json", "-", cwd=folder
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
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
    done = penstock("compare", "scenarios/thesis_link.toml", "--scheme", "red", "--precision", f"{metric}=1%")
    assert done.returncode == 2
    assert f'no metric "{metric}"' in done.stderr
    assert "runs of" not in done.stderr
